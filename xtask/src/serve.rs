use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::shell::say;

/// The port that is tried first.
const PORT: u16 = 8080;

/// A folder served over HTTP on this machine only.
pub(crate) struct Server {
    listener: TcpListener,
    folder: PathBuf,
    base: String,
}

/// `cargo xtask serve`.
pub(crate) fn command(mut args: Args) -> Result<()> {
    let port = args.option("--port")?;
    let base = args.option("--base")?.unwrap_or_else(|| "/".to_owned());
    let folder = PathBuf::from(args.positional().context("which folder?")?);
    args.finish()?;
    if !folder.is_dir() {
        bail!("{} is not a folder", folder.display());
    }
    let server = Server::bind(folder, port, &base)?;
    say(format!("serving {}", server.url()?));
    server.run();
    Ok(())
}

impl Server {
    /// Takes the asked port, or else the first free one from 8080 on.
    pub(crate) fn bind(folder: PathBuf, port: Option<u16>, base: &str) -> Result<Server> {
        let listener = if let Some(port) = port {
            TcpListener::bind(("127.0.0.1", port)).with_context(|| format!("cannot listen on port {port}"))?
        } else {
            first_free()?
        };
        Ok(Server { listener, folder, base: format!("/{}/", base.trim_matches('/')).replace("//", "/") })
    }

    /// Where the page is.
    pub(crate) fn url(&self) -> Result<String> {
        Ok(format!("http://{}{}", self.listener.local_addr()?, self.base))
    }

    /// Answers until the program ends.
    pub(crate) fn run(&self) {
        for stream in self.listener.incoming() {
            let (folder, base) = (self.folder.clone(), self.base.clone());
            // A visitor who goes away in the middle of an answer is no error of the server.
            thread::spawn(move || stream.and_then(|stream| answer(stream, &folder, &base)));
        }
    }
}

fn first_free() -> Result<TcpListener> {
    for port in PORT..PORT + 100 {
        match TcpListener::bind(("127.0.0.1", port)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            Err(error) => return Err(error).context("cannot listen on 127.0.0.1"),
        }
    }
    bail!("no free port from {PORT} to {}", PORT + 99)
}

fn answer(mut stream: TcpStream, folder: &Path, base: &str) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if method != "GET" && method != "HEAD" {
        return respond(&mut stream, "405 Method Not Allowed", "text/plain", method, b"");
    }
    let found = resolve(target, base).and_then(|path| {
        let path = folder.join(path);
        let path = if path.is_dir() { path.join("index.html") } else { path };
        fs::read(&path).ok().map(|content| (content, media_type(&path)))
    });
    match found {
        Some((content, kind)) => respond(&mut stream, "200 OK", kind, method, &content),
        None => respond(&mut stream, "404 Not Found", "text/plain", method, b"not here\n"),
    }
}

fn respond(
    stream: &mut TcpStream,
    status: &str,
    kind: &str,
    method: &str,
    content: &[u8],
) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        content.len()
    )?;
    if method != "HEAD" {
        stream.write_all(content)?;
    }
    stream.flush()
}

/// The file that a request names, below the folder; nothing that lies outside of it.
fn resolve(target: &str, base: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix(base)?;
    let path = PathBuf::from(percent_decode(path)?);
    path.components().all(|part| matches!(part, Component::Normal(_))).then_some(path)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_stay_below_the_folder() {
        assert_eq!(resolve("/app.js?v=1", "/"), Some(PathBuf::from("app.js")));
        assert_eq!(resolve("/", "/"), Some(PathBuf::new()));
        assert_eq!(resolve("/../secret", "/"), None);
        assert_eq!(resolve("/%2e%2e/secret", "/"), None);
        assert_eq!(resolve("//etc/passwd", "/"), None);
        assert_eq!(resolve("/broken%2", "/"), None);
    }

    #[test]
    fn a_base_is_a_prefix() {
        assert_eq!(resolve("/a/b/app.js", "/a/b/"), Some(PathBuf::from("app.js")));
        assert_eq!(resolve("/app.js", "/a/b/"), None);
    }

    #[test]
    fn modules_have_the_type_that_browsers_demand() {
        assert_eq!(media_type(Path::new("x/app_bg.wasm")), "application/wasm");
        assert_eq!(media_type(Path::new("boot.js")), "text/javascript; charset=utf-8");
    }

    #[test]
    fn a_file_comes_back_over_the_wire() {
        let folder = std::env::temp_dir().join(format!("runqueue-serve-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("index.html"), "hello").unwrap();
        let server = Server::bind(folder.clone(), Some(0), "sub").unwrap();
        let address = server.listener.local_addr().unwrap();
        assert_eq!(server.url().unwrap(), format!("http://{address}/sub/"));
        thread::spawn(move || server.run());
        let fetch = |target: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "GET {target} HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
            std::io::read_to_string(stream).unwrap()
        };
        let found = fetch("/sub/");
        assert!(found.starts_with("HTTP/1.1 200 OK\r\n") && found.ends_with("\r\n\r\nhello"), "{found}");
        assert!(found.contains("Cache-Control: no-store"), "{found}");
        assert!(fetch("/").starts_with("HTTP/1.1 404"), "outside of the base");
        fs::remove_dir_all(folder).unwrap();
    }
}
