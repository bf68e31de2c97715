//! Rectangles too narrow to be told apart, as a picture that has one row of pixels for each part of a lane. Filling a
//! hundred thousand rectangles takes longer than a frame; stretching such rows takes next to nothing.

use protocol::{LaneState, Lanes};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::fill::Spot;
use super::ink::{self, Ink, TASK_COLOURS};

/// A rectangle that is less wide than this, in pixels of its own view, is part of the picture.
pub(super) const NARROW: f32 = 2.0;

/// The parts of a lane that have a row each.
pub(super) const PARTS: usize = 3;

/// The picture.
pub(super) struct Strips {
    canvas: HtmlCanvasElement,
    width: u32,
    /// Which rows hold anything.
    used: Vec<bool>,
}

/// The row of a lane to which a state belongs: what runs or is wasted, who waits, and when a thread sleeps.
fn part_of(state: LaneState) -> usize {
    match state {
        LaneState::Waiting => 1,
        LaneState::Blocked => 2,
        LaneState::Idle | LaneState::Running | LaneState::Wasted | LaneState::Busy => 0,
    }
}

/// The pixels of a picture, four bytes each, and which rows hold anything.
fn pixels(
    lanes: &Lanes,
    count: usize,
    narrow: &[Spot],
    colour: impl Fn(Spot, LaneState) -> [u8; 3],
) -> (Vec<u8>, Vec<bool>) {
    let width = lanes.width_px as usize;
    let mut bytes = vec![0; 4 * width * count * PARTS];
    let mut used = vec![false; count * PARTS];
    for spot in narrow {
        let rect = spot.rect as usize;
        let Some(state) = LaneState::from_u8(lanes.state[rect]) else { continue };
        let row = spot.lane as usize * PARTS + part_of(state);
        let [red, green, blue] = colour(*spot, state);
        let first = lanes.x0[rect] as usize;
        // At least one pixel, so that microseconds do not vanish.
        let last = (lanes.x1[rect].ceil() as usize).max(first + 1).min(width);
        used[row] = true;
        for pixel in first..last {
            let at = 4 * (row * width + pixel);
            bytes[at..at + 4].copy_from_slice(&[red, green, blue, 255]);
        }
    }
    (bytes, used)
}

impl Strips {
    /// Draws the picture of the narrow rectangles of so many lanes.
    pub(super) fn new(
        lanes: &Lanes,
        count: usize,
        narrow: &[Spot],
        colour: impl Fn(Spot, LaneState) -> [u8; 3],
    ) -> Option<Strips> {
        let height = (count * PARTS) as u32;
        if narrow.is_empty() || lanes.width_px == 0 {
            return None;
        }
        let canvas: HtmlCanvasElement =
            web_sys::window()?.document()?.create_element("canvas").ok()?.dyn_into().ok()?;
        canvas.set_width(lanes.width_px);
        canvas.set_height(height);
        let (bytes, used) = pixels(lanes, count, narrow, colour);
        let image =
            ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), lanes.width_px, height).ok()?;
        ink::context(&canvas)?.put_image_data(&image, 0.0, 0.0).ok()?;
        Some(Strips { canvas, width: lanes.width_px, used })
    }

    /// Draws one part of a lane: from an x to another one, from a top and so high.
    pub(super) fn draw(
        &self,
        context: &CanvasRenderingContext2d,
        (lane, part): (usize, usize),
        (x0, x1): (f64, f64),
        (top, height): (f64, f64),
    ) {
        let row = lane * PARTS + part;
        if self.used.get(row) == Some(&true) {
            // It fails only for pictures without pixels.
            let _ = context.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                &self.canvas,
                0.0,
                row as f64,
                f64::from(self.width),
                1.0,
                x0,
                top,
                x1 - x0,
                height,
            );
        }
    }
}

/// The bytes of every colour, read once for all rectangles.
pub(super) struct Palette {
    tasks: [[u8; 3]; TASK_COLOURS],
    wait: [u8; 3],
    wasted: [u8; 3],
    idle: [u8; 3],
}

impl Palette {
    /// The palette of the style sheet.
    pub(super) fn of(ink: &Ink) -> Palette {
        Palette {
            tasks: std::array::from_fn(|colour| ink::rgb(&ink.tasks[colour].0)),
            wait: ink::rgb(&ink.wait),
            wasted: ink::rgb(&ink.wasted),
            idle: ink::rgb(&ink.idle),
        }
    }

    /// The colour of a state of a task.
    pub(super) fn colour(&self, task: u32, state: LaneState) -> [u8; 3] {
        match state {
            LaneState::Waiting => self.wait,
            LaneState::Wasted => self.wasted,
            LaneState::Running => self.tasks[ink::colour_of(task)],
            LaneState::Idle | LaneState::Blocked | LaneState::Busy => self.idle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_rectangle_is_at_least_a_pixel_of_its_row() {
        let lanes = Lanes {
            width_px: 4,
            x0: vec![0.25, 1.0, 2.5],
            x1: vec![0.5, 2.0, 4.0],
            state: [LaneState::Running, LaneState::Waiting, LaneState::Running]
                .map(|state| state as u8)
                .into(),
            ..Lanes::default()
        };
        let narrow = [Spot { lane: 0, rect: 0 }, Spot { lane: 0, rect: 1 }, Spot { lane: 1, rect: 2 }];
        let (bytes, used) = pixels(&lanes, 2, &narrow, |spot, _| [spot.rect as u8 + 1, 0, 0]);
        assert_eq!(used, [true, true, false, true, false, false]);
        let reds: Vec<u8> = bytes.chunks(4).map(|pixel| pixel[0]).collect();
        assert_eq!(reds[..4], [1, 0, 0, 0], "what runs on the first lane");
        assert_eq!(reds[4..8], [0, 2, 0, 0], "who waits for it");
        assert_eq!(reds[12..16], [0, 0, 3, 3], "the second lane");
        assert_eq!(bytes[3], 255);
        assert_eq!(bytes[7], 0, "what is empty lets the ground through");
    }
}
