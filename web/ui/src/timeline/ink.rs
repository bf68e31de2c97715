//! The colours and patterns of the canvas, read from the style sheet so that the themes are written in one place.

use crate::charts::OTHERS;
use wasm_bindgen::JsCast;
use web_sys::{CanvasPattern, CanvasRenderingContext2d, CssStyleDeclaration, HtmlCanvasElement};

/// How many colours tasks have.
pub(crate) const TASK_COLOURS: usize = 10;

/// What the canvas is drawn with.
pub(crate) struct Ink {
    /// Behind everything.
    pub(crate) ground: String,
    /// Text.
    pub(crate) muted: String,
    /// Lines of the axis.
    pub(crate) line: String,
    /// What an idle CPU is drawn with.
    pub(crate) idle: String,
    /// An idle CPU while a task waits for another one.
    pub(crate) wasted: String,
    /// The ground of a waiting strip.
    pub(crate) wait: String,
    /// The cursor, and the frame of the view in the overview.
    pub(crate) cursor: String,
    /// The interval that charts are restricted to.
    pub(crate) accent: String,
    /// Wake-up arrows.
    pub(crate) arrow: String,
    /// Tasks, and the text on them.
    pub(crate) tasks: Vec<(String, String)>,
    /// The tones of base and subject.
    pub(crate) tones: [String; 2],
    /// The tones of the columns between them.
    pub(crate) others: [String; OTHERS as usize],
    /// The font of labels.
    pub(crate) font: String,
    /// The hatch of waiting; none where the browser has no second canvas.
    pub(crate) hatch: Option<CanvasPattern>,
    /// The dots of wasted idle time.
    pub(crate) dots: Option<CanvasPattern>,
}

impl Ink {
    /// Reads the custom properties that hold for the canvas now.
    pub(crate) fn of(canvas: &HtmlCanvasElement) -> Option<Ink> {
        let window = web_sys::window()?;
        let style = window.get_computed_style(canvas).ok()??;
        let tasks = (0..TASK_COLOURS)
            .map(|task| (read(&style, &format!("--task-{task}")), read(&style, &format!("--on-task-{task}"))))
            .collect();
        let wait = read(&style, "--wait");
        let wasted = read(&style, "--wasted");
        Some(Ink {
            ground: read(&style, "--surface"),
            muted: read(&style, "--muted"),
            line: read(&style, "--line"),
            idle: read(&style, "--idle"),
            cursor: read(&style, "--cursor"),
            accent: read(&style, "--accent"),
            arrow: read(&style, "--arrow"),
            hatch: pattern(&read(&style, "--wait-ground"), &wait, Motif::Hatch),
            dots: pattern(&read(&style, "--wasted-ground"), &wasted, Motif::Dots),
            wasted,
            wait,
            tasks,
            tones: ["--base", "--subject"].map(|name| read(&style, name)),
            others: ["--other", "--other-1", "--other-2", "--other-3", "--other-4", "--other-5"]
                .map(|name| read(&style, name)),
            font: read(&style, "--font"),
        })
    }

    /// The colour of a task and that of text on it. A task keeps its colour in every run and view.
    pub(crate) fn task(&self, task: u32) -> (&str, &str) {
        let (fill, text) = &self.tasks[colour_of(task)];
        (fill, text)
    }

    /// The colour of a tone.
    pub(crate) fn tone(&self, tone: crate::charts::Tone) -> &str {
        use crate::charts::Tone;
        match tone {
            Tone::Base => &self.tones[0],
            Tone::Subject => &self.tones[1],
            Tone::Other(which) => &self.others[usize::from(which)],
        }
    }
}

/// The colour of a task. Neighbours differ, and so do tasks that are ten or twenty apart, because workers of
/// different message threads often are and run side by side.
pub(crate) fn colour_of(task: u32) -> usize {
    (task + task / TASK_COLOURS as u32) as usize % TASK_COLOURS
}

/// The bytes of a colour that the style sheet writes as `#rrggbb`; black for any other.
pub(super) fn rgb(colour: &str) -> [u8; 3] {
    let number = colour.strip_prefix('#').filter(|digits| digits.len() == 6);
    let number = number.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0);
    let [_, red, green, blue] = number.to_be_bytes();
    [red, green, blue]
}

fn read(style: &CssStyleDeclaration, name: &str) -> String {
    style.get_property_value(name).unwrap_or_default().trim().to_owned()
}

#[derive(Clone, Copy)]
enum Motif {
    Hatch,
    Dots,
}

/// A repeated motif, 6 device pixels wide so that it stays fine on every screen.
fn pattern(ground: &str, ink: &str, motif: Motif) -> Option<CanvasPattern> {
    let document = web_sys::window()?.document()?;
    let tile: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
    let size = (6.0 * crate::browser::pixel_ratio()).round();
    tile.set_width(size as u32);
    tile.set_height(size as u32);
    let context = context(&tile)?;
    context.set_fill_style_str(ground);
    context.fill_rect(0.0, 0.0, size, size);
    context.set_fill_style_str(ink);
    context.set_stroke_style_str(ink);
    context.set_line_width(size / 4.0);
    context.begin_path();
    match motif {
        Motif::Hatch => {
            for shift in [-size, 0.0, size] {
                context.move_to(shift - 1.0, size + 1.0);
                context.line_to(shift + size + 1.0, -1.0);
            }
            context.stroke();
        }
        Motif::Dots => {
            context.fill_rect(size / 3.0, size / 3.0, size / 3.0, size / 3.0);
        }
    }
    context.create_pattern_with_html_canvas_element(&tile, "repeat").ok()?
}

/// The drawing context of a canvas.
pub(crate) fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_the_style_sheet_are_read() {
        assert_eq!(rgb("#b3201a"), [0xb3, 0x20, 0x1a]);
        assert_eq!(rgb("red"), [0, 0, 0]);
    }
}
