//! The worker of the page: the engine behind messages.

fn main() {
    web_worker::start();
}
