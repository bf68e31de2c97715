use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, Element, HtmlCanvasElement, HtmlImageElement, Url,
};

use crate::browser;

/// What decides how a shape of a chart looks. Style sheets give it on the page; a file must carry it.
const LOOKS: [&str; 15] = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-opacity",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "opacity",
    "visibility",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
    "dominant-baseline",
];
/// A picture for print has so many dots to a pixel.
const DOTS: f64 = 2.0;

/// A picture on the page: a chart, or the timeline.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Picture {
    /// What it is called: the heading of its panel.
    pub(super) title: String,
    element: Element,
}

/// Every picture that the page shows, from top to bottom.
pub(super) fn all() -> Vec<Picture> {
    let mut found: Vec<Picture> = Vec::new();
    for element in browser::elements("main .panel svg[role=img], main .panel canvas") {
        let heading = element.closest(".panel").ok().flatten().and_then(|panel| {
            panel.query_selector("h2, h1").ok().flatten().and_then(|heading| heading.text_content())
        });
        let panel = heading.unwrap_or_default();
        let before = found.iter().filter(|picture| picture.title.starts_with(&panel)).count();
        let title = if before == 0 { panel } else { format!("{panel} ({})", before + 1) };
        found.push(Picture { title, element });
    }
    found
}

impl Picture {
    /// Whether it is drawn in lines, so that an SVG can hold it.
    pub(super) fn is_drawing(&self) -> bool {
        !self.element.has_type::<HtmlCanvasElement>()
    }

    /// Its title as part of a file's name.
    pub(super) fn slug(&self) -> String {
        let words = self.title.to_lowercase();
        let plain =
            words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        plain.collect::<Vec<_>>().join("-")
    }

    /// Makes the file, or tells that the browser cannot.
    pub(super) fn make(&self, is_png: bool, made: impl FnOnce(Option<Blob>) + 'static) {
        let made: Box<dyn FnOnce(Option<Blob>)> = Box::new(made);
        if let Some(canvas) = self.element.dyn_ref::<HtmlCanvasElement>() {
            return as_png(canvas, made);
        }
        let drawing = standalone(&self.element).and_then(|drawing| blob(&drawing, "image/svg+xml"));
        match drawing {
            Some(drawing) if is_png => painted(&self.element, &drawing, made),
            drawing => made(drawing),
        }
    }
}

/// A chart as a document of its own: every shape with the looks that it has on the page, on the page's ground.
fn standalone(chart: &Element) -> Option<String> {
    let copy: Element = chart.clone_node_with_deep(true).ok()?.dyn_into().ok()?;
    let window = web_sys::window()?;
    let dress = |from: &Element, to: &Element| {
        let Ok(Some(looks)) = window.get_computed_style(from) else { return };
        for name in LOOKS {
            let value = looks.get_property_value(name).unwrap_or_default();
            // What does not apply to a shape does no harm there.
            let _ = if value.is_empty() { Ok(()) } else { to.set_attribute(name, &value) };
        }
        for name in ["class", "data-testid", "tabindex"] {
            let _ = to.remove_attribute(name);
        }
    };
    let (from, to) = (browser::below(chart), browser::below(&copy));
    for (from, to) in from.iter().zip(&to) {
        dress(from, to);
    }
    dress(chart, &copy);
    copy.set_attribute("xmlns", "http://www.w3.org/2000/svg").ok()?;
    let ground = window.document()?.create_element_ns(Some("http://www.w3.org/2000/svg"), "rect").ok()?;
    for (name, value) in [("width", "100%"), ("height", "100%"), ("fill", &browser::ground())] {
        ground.set_attribute(name, value).ok()?;
    }
    copy.insert_before(&ground, copy.first_child().as_ref()).ok()?;
    let written = web_sys::XmlSerializer::new().ok()?.serialize_to_string(&copy).ok()?;
    Some(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{written}\n"))
}

fn blob(text: &str, kind: &str) -> Option<Blob> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options).ok()
}

/// Paints a drawing at the size that it has on the page.
fn painted(chart: &Element, drawing: &Blob, made: Box<dyn FnOnce(Option<Blob>)>) {
    let size = chart.get_bounding_client_rect();
    let (width, height) = (size.width() * DOTS, size.height() * DOTS);
    let (Ok(image), Ok(url)) = (HtmlImageElement::new(), Url::create_object_url_with_blob(drawing)) else {
        return made(None);
    };
    let loaded = {
        let (image, url) = (image.clone(), url.clone());
        Closure::once_into_js(move || {
            let canvas = browser::canvas(width as u32, height as u32);
            let context = canvas.as_ref().and_then(|canvas| canvas.get_context("2d").ok().flatten());
            let context = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
            let drawn = context.is_some_and(|context| {
                context
                    .draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)
                    .is_ok()
            });
            let _ = Url::revoke_object_url(&url);
            match canvas.filter(|_| drawn) {
                Some(canvas) => as_png(&canvas, made),
                None => made(None),
            }
        })
    };
    image.set_onload(Some(loaded.unchecked_ref()));
    image.set_src(&url);
}

fn as_png(canvas: &HtmlCanvasElement, made: Box<dyn FnOnce(Option<Blob>)>) {
    let told = Closure::once_into_js(move |file: JsValue| made(file.dyn_into::<Blob>().ok()));
    // It fails only for a canvas that holds foreign pictures.
    let _ = canvas.to_blob(told.unchecked_ref());
}
