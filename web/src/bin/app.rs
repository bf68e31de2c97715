//! The page.

fn main() {
    ui::start();
}
