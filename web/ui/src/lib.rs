//! The page: what people see and touch. It knows scenarios and what workers say of them, never the engine.

mod app;
mod band;
mod bridge;
mod browser;
mod chain;
mod charts;
mod columns;
mod compare;
mod controls;
mod driver;
mod export;
mod format;
mod frame;
mod history;
mod inspection;
mod interval;
mod lesson;
mod link;
mod markup;
mod orders;
mod panels;
mod part;
mod scale;
mod state;
mod sweep;
mod text;
mod timeline;

/// Puts the page into the element `#app`, in place of what it says while it loads.
pub fn start() {
    let Some(root) = browser::element("app") else { return };
    root.set_inner_html("");
    yew::Renderer::<app::App>::with_root(root).render();
}
