//! The worker that makes files for other tools.

fn main() {
    web_exporter::start();
}
