//! What the page asks of the browser: one function each, none of which can fail the page.

use wasm_bindgen::prelude::*;
use web_sys::{Document, HtmlElement, Storage, Window, XmlHttpRequest};

/// How long a file that was handed to the browser is kept for it.
const FILE_MS: i32 = 60_000;

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

/// How many threads the machine runs at once, as far as the browser tells.
pub(crate) fn cpus() -> usize {
    window().map_or(1, |window| window.navigator().hardware_concurrency() as usize).max(1)
}

/// The address against which the page's files are resolved.
pub(crate) fn base_uri() -> String {
    document().and_then(|document| document.base_uri().ok().flatten()).unwrap_or_default()
}

/// The content of `<meta name="…">`.
pub(crate) fn meta(name: &str) -> Option<String> {
    let element = document()?.query_selector(&format!("meta[name=\"{name}\"]")).ok()??;
    element.get_attribute("content")
}

/// Milliseconds of a clock that never runs backwards.
pub(crate) fn now_ms() -> f64 {
    window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Calls `what` once, `ms` milliseconds from now.
pub(crate) fn after(ms: i32, what: impl FnOnce() + 'static) -> Timer {
    after_boxed(ms, Box::new(what))
}

fn after_boxed(ms: i32, what: Box<dyn FnOnce()>) -> Timer {
    let id = window().and_then(|window| {
        let what: js_sys::Function = Closure::once_into_js(what).unchecked_into();
        window.set_timeout_with_callback_and_timeout_and_arguments_0(&what, ms).ok()
    });
    Timer(id)
}

/// A call that was asked for with [`after`]; it comes whether or not this is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer(Option<i32>);

impl Timer {
    /// Calls it off later, as the undoing of an effect.
    pub(crate) fn undo(self) -> Box<dyn FnOnce()> {
        Box::new(move || self.clear())
    }

    /// Calls it off.
    fn clear(self) {
        if let (Some(window), Some(id)) = (window(), self.0) {
            window.clear_timeout_with_handle(id);
        }
    }
}

/// Calls `what` once before the next picture is shown.
pub(crate) fn before_next_frame(what: impl FnOnce() + 'static) {
    before_next_frame_boxed(Box::new(what));
}

fn before_next_frame_boxed(what: Box<dyn FnOnce()>) {
    if let Some(window) = window() {
        let what: js_sys::Function = Closure::once_into_js(what).unchecked_into();
        // Without a frame there is no picture to draw for.
        let _ = window.request_animation_frame(&what);
    }
}

/// How many device pixels make a CSS pixel.
pub(crate) fn pixel_ratio() -> f64 {
    window().map_or(1.0, |window| window.device_pixel_ratio()).clamp(1.0, 4.0)
}

/// The fragment of the address, without its `#`.
pub(crate) fn fragment() -> String {
    let hash = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    hash.strip_prefix('#').unwrap_or(&hash).to_owned()
}

/// Whether the query of the address has a key.
pub(crate) fn query_has(key: &str) -> bool {
    let search = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    search.trim_start_matches('?').split('&').any(|part| part.split('=').next() == Some(key))
}

/// Puts a fragment into the address without adding to the history.
pub(crate) fn replace_fragment(fragment: &str) {
    if let Some(history) = window().and_then(|window| window.history().ok()) {
        // Browsers refuse when asked too often; the next change sets it again.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("#{fragment}")));
    }
}

/// Puts a fragment into the address as a step that the browser can take back.
pub(crate) fn push_fragment(fragment: &str) {
    if let Some(history) = window().and_then(|window| window.history().ok()) {
        // See above.
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&format!("#{fragment}")));
    }
}

/// The title of the window.
pub(crate) fn set_title(title: &str) {
    if let Some(document) = document() {
        document.set_title(title);
    }
}

/// Shows the top of the page.
pub(crate) fn scroll_to_top() {
    if let Some(window) = window() {
        window.scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// Fetches a file of the page as text; what is told otherwise is the status of the answer, 0 where there was none.
pub(crate) fn fetch(path: &str, told: impl FnOnce(Result<String, u16>) + 'static) {
    fetch_boxed(path, Box::new(told));
}

fn fetch_boxed(path: &str, told: Box<dyn FnOnce(Result<String, u16>)>) {
    let started = XmlHttpRequest::new().ok().filter(|request| request.open("GET", path).is_ok());
    let Some(request) = started else { return told(Err(0)) };
    let answered = request.clone();
    let ended: Box<dyn FnOnce()> = Box::new(move || {
        let status = answered.status().unwrap_or(0);
        let text = answered.response_text().ok().flatten().filter(|_| status == 200);
        told(text.ok_or(status));
    });
    let ended: js_sys::Function = Closure::once_into_js(ended).unchecked_into();
    // It comes once, however the request ends.
    request.set_onloadend(Some(&ended));
    // What fails at once ends at once.
    let _ = request.send();
}

/// The address of the page with a fragment and without a query.
pub(crate) fn address_with(fragment: &str) -> String {
    let Some(location) = window().map(|window| window.location()) else { return String::new() };
    let origin = location.origin().unwrap_or_default();
    let path = location.pathname().unwrap_or_default();
    // A page opened from a file has no origin.
    let start = if origin == "null" { "file://".to_owned() } else { origin };
    format!("{start}{path}#{fragment}")
}

fn storage() -> Option<Storage> {
    window()?.local_storage().ok()?
}

/// A value that was kept on this machine.
pub(crate) fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Keeps a value on this machine, where the browser allows it.
pub(crate) fn store(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}

/// Sets or removes an attribute of the root element.
pub(crate) fn set_root_attribute(name: &str, value: Option<&str>) {
    if let Some(root) = document().and_then(|document| document.document_element()) {
        let _ = match value {
            Some(value) => root.set_attribute(name, value),
            None => root.remove_attribute(name),
        };
    }
}

/// Whether the root element has an attribute.
pub(crate) fn root_has(name: &str) -> bool {
    let root = document().and_then(|document| document.document_element());
    root.is_some_and(|root| root.has_attribute(name))
}

/// A seed that nobody has seen before, short enough to be read out.
pub(crate) fn fresh_seed() -> u64 {
    let mut bytes = [0; 4];
    if let Some(crypto) = window().and_then(|window| window.crypto().ok()) {
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    u64::from(u32::from_le_bytes(bytes) % 1_000_000)
}

/// Copies text to the clipboard and tells `done` whether that worked.
pub(crate) fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    let promise = window().and_then(|window| {
        let navigator = window.navigator();
        // Absent on pages that are not served securely.
        let has_clipboard = js_sys::Reflect::has(&navigator, &"clipboard".into()).unwrap_or(false);
        has_clipboard.then(|| navigator.clipboard().write_text(text))
    });
    let Some(promise) = promise else {
        done(false);
        return;
    };
    let done = std::rc::Rc::new(std::cell::Cell::new(Some(done)));
    let settle = |worked: bool| {
        let done = done.clone();
        let settled: Box<dyn FnOnce()> = Box::new(move || {
            if let Some(done) = done.take() {
                done(worked);
            }
        });
        Closure::once_into_js(settled)
    };
    let _ = js_sys::Reflect::get(&promise, &"then".into())
        .map(JsCast::unchecked_into::<js_sys::Function>)
        .and_then(|then| then.call2(&promise, &settle(true), &settle(false)));
}

/// The element with an id.
pub(crate) fn element(id: &str) -> Option<web_sys::Element> {
    document()?.get_element_by_id(id)
}

/// Every element that a selector finds, in the order of the page.
pub(crate) fn elements(selector: &str) -> Vec<web_sys::Element> {
    document().and_then(|document| document.query_selector_all(selector).ok()).map_or_else(Vec::new, listed)
}

/// Every element inside of one, in the order of the page.
pub(crate) fn below(element: &web_sys::Element) -> Vec<web_sys::Element> {
    element.query_selector_all("*").map_or_else(|_| Vec::new(), listed)
}

fn listed(found: web_sys::NodeList) -> Vec<web_sys::Element> {
    (0..found.length()).filter_map(|index| found.get(index)?.dyn_into().ok()).collect()
}

/// The colour on which charts stand.
pub(crate) fn ground() -> String {
    let panel = document().and_then(|document| document.query_selector(".panel").ok().flatten());
    let looks =
        panel.zip(window()).and_then(|(panel, window)| window.get_computed_style(&panel).ok().flatten());
    looks.and_then(|looks| looks.get_property_value("background-color").ok()).unwrap_or_default()
}

/// A canvas that is not in the page.
pub(crate) fn canvas(width: u32, height: u32) -> Option<web_sys::HtmlCanvasElement> {
    let canvas = document()?.create_element("canvas").ok()?.dyn_into::<web_sys::HtmlCanvasElement>().ok()?;
    canvas.set_width(width);
    canvas.set_height(height);
    Some(canvas)
}

/// Hands a file to the browser, which saves it or asks where.
pub(crate) fn save(file: &web_sys::Blob, name: &str) {
    let link = document().and_then(|document| document.create_element("a").ok());
    let link = link.and_then(|link| link.dyn_into::<web_sys::HtmlAnchorElement>().ok());
    let (Some(link), Ok(url)) = (link, web_sys::Url::create_object_url_with_blob(file)) else { return };
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser reads the file after the click; how long that takes it does not tell.
    after(FILE_MS, move || {
        let _ = web_sys::Url::revoke_object_url(&url);
    });
}

/// What is chosen in a list.
pub(crate) fn chosen_in(id: &str) -> Option<String> {
    Some(element(id)?.dyn_into::<web_sys::HtmlSelectElement>().ok()?.value())
}

/// Whether the browser prefers dark colours now.
pub(crate) fn prefers_dark() -> bool {
    dark_query().is_some_and(|list| list.matches())
}

fn dark_query() -> Option<web_sys::MediaQueryList> {
    window()?.match_media("(prefers-color-scheme: dark)").ok()?
}

/// Whether the user wants less motion.
pub(crate) fn prefers_less_motion() -> bool {
    let query = window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok()?);
    query.is_some_and(|query| query.matches())
}

/// Scrolls the box around an element so that a part of the element, from top to bottom in CSS pixels, is seen.
pub(crate) fn scroll_into(element: Option<&web_sys::HtmlCanvasElement>, top: f64, bottom: f64) {
    let Some(around) = element.and_then(|element| element.parent_element()) else { return };
    let (scrolled, room) = (f64::from(around.scroll_top()), f64::from(around.client_height()));
    if top < scrolled {
        around.set_scroll_top(top as i32);
    } else if scrolled + room < bottom {
        around.set_scroll_top((bottom - room).ceil() as i32);
    }
}

/// Listens to the browser's preference of colours for as long as the returned value lives.
pub(crate) fn listen_to_scheme(mut heard: impl FnMut(bool) + 'static) -> SchemeListener {
    let list = dark_query();
    let handler = Closure::<dyn FnMut()>::new(move || heard(prefers_dark()));
    if let Some(list) = &list {
        list.set_onchange(Some(handler.as_ref().unchecked_ref()));
    }
    SchemeListener { list, _handler: handler }
}

/// See [`listen_to_scheme`].
pub(crate) struct SchemeListener {
    list: Option<web_sys::MediaQueryList>,
    _handler: Closure<dyn FnMut()>,
}

impl Drop for SchemeListener {
    fn drop(&mut self) {
        if let Some(list) = &self.list {
            list.set_onchange(None);
        }
    }
}

/// Opens the dialog of an id over the page.
pub(crate) fn open_dialog(id: &str) {
    if let Some(dialog) = dialog(id).filter(|dialog| !dialog.open()) {
        // It fails only for a dialog that is open or not in the page.
        let _ = dialog.show_modal();
    }
}

/// Closes the dialog of an id.
pub(crate) fn close_dialog(id: &str) {
    if let Some(dialog) = dialog(id).filter(web_sys::HtmlDialogElement::open) {
        dialog.close();
    }
}

fn dialog(id: &str) -> Option<web_sys::HtmlDialogElement> {
    element(id)?.dyn_into().ok()
}

/// Moves the focus to an element.
pub(crate) fn focus(id: &str) {
    if let Some(element) = element(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// The key of a keyboard event that no modifier and nobody who types has a claim on.
pub(crate) fn plain_key(event: &web_sys::Event) -> Option<String> {
    let event = event.dyn_ref::<web_sys::KeyboardEvent>()?;
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
        return None;
    }
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let is_typed = target.is_some_and(|target| {
        matches!(target.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA") || target.is_content_editable()
    });
    (!is_typed).then(|| event.key())
}

/// The letter of a shortcut with Ctrl (or Command), and whether Shift is held.
pub(crate) fn control_key(event: &web_sys::Event) -> Option<(char, bool)> {
    let event = event.dyn_ref::<web_sys::KeyboardEvent>()?;
    if event.alt_key() || !(event.ctrl_key() || event.meta_key()) {
        return None;
    }
    let mut letters = event.key().to_ascii_lowercase().chars().collect::<Vec<_>>().into_iter();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => Some((letter, event.shift_key())),
        _ => None,
    }
}

/// Listens on the window for as long as the returned value lives.
pub(crate) fn listen(event: &'static str, heard: impl FnMut(web_sys::Event) + 'static) -> Listener {
    let heard: Box<dyn FnMut(web_sys::Event)> = Box::new(heard);
    let handler = Closure::<dyn FnMut(web_sys::Event)>::wrap(heard);
    if let Some(window) = window() {
        let _ = window.add_event_listener_with_callback(event, handler.as_ref().unchecked_ref());
    }
    Listener { event, handler }
}

/// See [`listen`].
pub(crate) struct Listener {
    event: &'static str,
    handler: Closure<dyn FnMut(web_sys::Event)>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(window) = window() {
            let _ =
                window.remove_event_listener_with_callback(self.event, self.handler.as_ref().unchecked_ref());
        }
    }
}
