use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

/// What one `<link data-trunk …>` of index.html asks for. Trunk reads the same elements, so that the two ways to build
/// the page cannot drift apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asset {
    /// The page's program.
    App(Program),
    /// A worker's program.
    Worker(Program),
    /// A style sheet, by its path beside index.html.
    Style(String),
    /// The icon of the page, by its path beside index.html.
    Icon(String),
    /// A file to copy: from, to.
    File(String, String),
    /// A folder whose content is copied: from, to.
    Folder(String, String),
}

/// A binary that becomes a module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its name.
    pub(crate) bin: String,
    /// The level of `wasm-opt` in a release build, if it is to be used.
    pub(crate) optimise: Option<String>,
}

/// The page with the elements replaced by what a browser understands, and the assets that they ask for.
pub(crate) fn process(html: &str) -> Result<(String, Vec<Asset>)> {
    let mut page = String::new();
    let mut assets = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find("<link data-trunk") {
        page.push_str(&rest[..start]);
        let length = rest[start..].find('>').context("index.html: a link element does not end")? + 1;
        let element = &rest[start..start + length];
        let asset = asset(element).with_context(|| format!("index.html: {element}"))?;
        page.push_str(&replacement(&asset));
        assets.push(asset);
        rest = &rest[start + length..];
    }
    page.push_str(rest);
    let apps = assets.iter().filter(|asset| matches!(asset, Asset::App(_))).count();
    if apps != 1 {
        bail!("index.html names {apps} programs of data-type \"main\", there must be one");
    }
    Ok((page, assets))
}

fn asset(element: &str) -> Result<Asset> {
    let needed = |name: &str| attribute(element, name).with_context(|| format!("{name} is missing"));
    let target = || attribute(element, "data-target-path").unwrap_or_default();
    Ok(match needed("rel")?.as_str() {
        "rust" => {
            let program = Program { bin: needed("data-bin")?, optimise: attribute(element, "data-wasm-opt") };
            if needed("data-type")? == "main" { Asset::App(program) } else { Asset::Worker(program) }
        }
        "css" => Asset::Style(needed("href")?),
        "icon" => Asset::Icon(needed("href")?),
        "copy-file" => Asset::File(needed("href")?, target()),
        "copy-dir" => Asset::Folder(needed("href")?, target()),
        other => bail!("rel={other:?} is not supported by `cargo xtask build`"),
    })
}

fn attribute(element: &str, name: &str) -> Option<String> {
    let start = element.find(&format!(" {name}=\""))? + name.len() + 3;
    let length = element[start..].find('"')?;
    Some(element[start..start + length].to_owned())
}

fn replacement(asset: &Asset) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match asset {
        Asset::App(Program { bin, .. }) => write!(
            text,
            "<link rel=\"modulepreload\" href=\"./{bin}.js\">\n    \
             <link rel=\"preload\" href=\"./{bin}_bg.wasm\" as=\"fetch\" type=\"application/wasm\" crossorigin>\n    \
             <script type=\"module\" src=\"./boot.js\" data-js=\"./{bin}.js\" data-wasm=\"./{bin}_bg.wasm\"></script>"
        ),
        Asset::Style(path) => write!(text, "<link rel=\"stylesheet\" href=\"./{}\">", file_name(path)),
        Asset::Icon(path) => write!(text, "<link rel=\"icon\" href=\"./{}\">", file_name(path)),
        Asset::Worker(_) | Asset::File(..) | Asset::Folder(..) => Ok(()),
    };
    text
}

/// The last part of a path in index.html.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<head>
    <link data-trunk rel="rust" href="Cargo.toml" data-bin="app" data-type="main" data-wasm-opt="s">
    <link data-trunk rel="rust" href="Cargo.toml" data-bin="worker" data-type="worker">
    <link data-trunk rel="css" href="styles/page.css">
    <link data-trunk rel="copy-file" href="boot.js">
    <link data-trunk rel="copy-dir" href="../public" data-target-path=".">
</head>"#;

    #[test]
    fn every_link_becomes_an_asset() {
        let (page, assets) = process(PAGE).unwrap();
        assert_eq!(
            assets,
            [
                Asset::App(Program { bin: "app".to_owned(), optimise: Some("s".to_owned()) }),
                Asset::Worker(Program { bin: "worker".to_owned(), optimise: None }),
                Asset::Style("styles/page.css".to_owned()),
                Asset::File("boot.js".to_owned(), String::new()),
                Asset::Folder("../public".to_owned(), ".".to_owned()),
            ]
        );
        assert!(!page.contains("data-trunk"), "{page}");
        assert!(page.contains(r#"data-wasm="./app_bg.wasm""#), "{page}");
        assert!(page.contains(r#"<link rel="stylesheet" href="./page.css">"#), "{page}");
    }

    #[test]
    fn an_unknown_link_is_named() {
        let error = process(r#"<link data-trunk rel="sass" href="x.scss">"#).unwrap_err();
        assert!(format!("{error:#}").contains("sass"), "{error:#}");
    }

    #[test]
    fn a_page_without_a_program_is_refused() {
        assert!(process("<head></head>").is_err());
    }
}
