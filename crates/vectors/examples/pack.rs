//! Packs reference files into `data/`: `cargo run -p vectors --example pack -- FOLDER`.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("give the folder of the reference files"));
    };
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for file in vectors::known_files() {
        let content = fs::read(folder.join(file))?;
        let packed = miniz_oxide::deflate::compress_to_vec(&content, 10);
        println!("{file}: {} bytes, packed {}", content.len(), packed.len());
        fs::write(data.join(format!("{file}.deflate")), packed)?;
    }
    Ok(())
}
