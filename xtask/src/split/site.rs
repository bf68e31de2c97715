use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{BRING, Rules, split, without_names};
use crate::index::{Asset, process};
use crate::shell::{files_below, root, say, target_dir};
use crate::wasm_opt::optimise;

/// What the script beside a module begins its list of imports with.
const IMPORTS: &str = "const import0 = {";

/// The programs that the first chart waits for.
const FIRST_LOAD: [&str; 2] = ["app", "worker"];

/// Cuts the modules of the first load in two, makes all of them small, and tells page and workers where they are.
pub(crate) fn cut_site(folder: &Path) -> Result<()> {
    let web = root().join("web");
    let read =
        |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let (_, assets) = process(&read(&web.join("index.html"))?)?;
    let rules = Rules::parse(&read(&web.join("later.txt"))?)?;
    let files = files_below(folder)?;
    for asset in &assets {
        let (Asset::App(program) | Asset::Worker(program)) = asset else { continue };
        let is_module = |file: &&String| file.starts_with(&program.bin) && file.ends_with("_bg.wasm");
        let module =
            files.iter().find(is_module).with_context(|| format!("{} has no module", program.bin))?;
        let stem = module.trim_end_matches("_bg.wasm");
        let level = program.optimise.as_deref().unwrap_or("s");
        if !FIRST_LOAD.contains(&program.bin.as_str()) {
            let module = folder.join(module);
            make_small(&module, &fs::read(&module)?, level)?;
            continue;
        }
        cut_module(folder, stem, &rules, level)?;
        if let Asset::App(_) = asset {
            let index = folder.join("index.html");
            fs::write(&index, naming_later(&read(&index)?, stem)?)?;
        }
    }
    Ok(())
}

fn cut_module(folder: &Path, stem: &str, rules: &Rules, level: &str) -> Result<()> {
    let (module, later) = (folder.join(format!("{stem}_bg.wasm")), folder.join(format!("{stem}_later.wasm")));
    let script = folder.join(format!("{stem}.js"));
    let parts = split(&fs::read(&module)?, rules).with_context(|| format!("cannot cut {stem}"))?;
    make_small(&module, &parts.first, level)?;
    make_small(&later, &parts.later, level)?;
    let notes = target_dir().join("later");
    fs::create_dir_all(&notes)?;
    let program = stem.split('-').next().unwrap_or(stem);
    fs::write(notes.join(format!("{program}.txt")), &parts.slots)?;
    fs::write(&script, bringing(&fs::read_to_string(&script)?, &parts.renamed)?)?;
    let size = |path: &Path| fs::metadata(path).map(|metadata| metadata.len());
    say(format!("{stem}: {} bytes to begin with, {} later", size(&module)?, size(&later)?));
    Ok(())
}

/// Writes a module without names, and smaller where there is an optimiser.
fn make_small(path: &Path, wasm: &[u8], level: &str) -> Result<()> {
    fs::write(path, wasm)?;
    if !optimise(path, path, level)? {
        fs::write(path, without_names(wasm)?)?;
    }
    Ok(())
}

/// The script beside a module, with the function by which that has its later part brought, and with short names.
fn bringing(script: &str, renamed: &[(String, String)]) -> Result<String> {
    if script.matches(IMPORTS).count() != 1 {
        bail!("the script beside a module has another form than it had: {IMPORTS:?} is not there once");
    }
    let mut script =
        script.replace(IMPORTS, &format!("{IMPORTS}\n{BRING}: (slot) => self.{BRING}(slot, wasm),"));
    for (long, short) in renamed {
        let (long, short) = (format!("\n{long}: "), format!("\n{short}: "));
        if script.matches(&long).count() != 1 {
            bail!("the script beside a module has another form than it had: {long:?} is not there once");
        }
        script = script.replace(&long, &short);
    }
    Ok(format!("self.isCut = true;\n{script}"))
}

/// The page with the name of the later part beside that of the first one.
fn naming_later(html: &str, stem: &str) -> Result<String> {
    let first = format!("{stem}_bg.wasm\"></script>");
    let start = html.find(&first).context("index.html does not start the page's module")? + first.len();
    let place = start - "></script>".len();
    let named = html[..place].rfind("data-wasm=\"").map(|at| &html[at + "data-wasm=\"".len()..place - 1]);
    let base = named.and_then(|path| path.strip_suffix(&format!("{stem}_bg.wasm"))).unwrap_or_default();
    Ok(format!("{} data-{BRING}=\"{base}{stem}_later.wasm\"{}", &html[..place], &html[place..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_later_part_beside_the_first() {
        let html = r#"<script src="./boot.js" data-js="./app.js" data-wasm="./app_bg.wasm"></script>"#;
        let named = naming_later(html, "app").unwrap();
        assert_eq!(
            named,
            r#"<script src="./boot.js" data-js="./app.js" data-wasm="./app_bg.wasm" data-later="./app_later.wasm"></script>"#
        );
        assert!(naming_later("<head></head>", "app").is_err());
    }

    #[test]
    fn a_script_of_another_form_is_refused() {
        let renamed = [("long_1".to_owned(), "i0".to_owned())];
        assert!(
            bringing("const import0 = {\nlong_1: f,", &renamed)
                .unwrap()
                .contains("self.later(slot, wasm),\ni0: f")
        );
        assert!(bringing("const import0 = {\n", &renamed).is_err());
        assert!(bringing("const imports = {}", &renamed).is_err());
    }
}
