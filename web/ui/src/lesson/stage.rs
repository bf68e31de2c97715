//! The CPUs around the moment of a decision. Until the answer is given nothing is drawn of what comes after.

use std::rc::Rc;

use ::lesson::Question;
use protocol::{LaneState, Lanes, RunSummary};
use yew::prelude::*;

use super::reading::{Prediction, Turn};
use crate::charts::{label, line, picture, rect};
use crate::orders::{Order, Orders, click};
use crate::part::{Frame, framed};
use crate::timeline::{caption, colour_of};
use crate::{format, text};

/// The height of a lane, and of the strip in it that shows who waits.
const LANE: f64 = 30.0;
const STRIP: f64 = 8.0;
/// Between lanes of different last-level caches.
const GAP: f64 = 10.0;
/// Where time begins: the CPUs' names are left of it.
const LEFT: f64 = 58.0;
/// The height of what stands under the lanes.
const AXIS: f64 = 22.0;

/// What the picture is made from.
#[derive(Clone, PartialEq)]
pub(super) struct Stage {
    /// The question, where it is known.
    pub(super) prediction: Prediction,
    /// The run.
    pub(super) run: Rc<RunSummary>,
    /// Where orders go.
    pub(super) orders: Orders,
}

impl Stage {
    /// The picture, as wide as there is room.
    pub(super) fn html(self) -> Html {
        framed(self, |stage, frame| {
            html! { <div ref={frame.node.clone()} class="stage">{ stage.draw(frame) }</div> }
        })
    }

    fn draw(&self, frame: &Frame) -> Html {
        let (Some(question), Some(lanes)) = (self.prediction.question.content(), &self.prediction.lanes)
        else {
            return Html::default();
        };
        let room = frame.width.unwrap_or(760.0);
        let scene = Scene {
            stage: self,
            question,
            lanes,
            width: room,
            from: lanes.from_ns as f64,
            scale: (room - LEFT) / (lanes.to_ns - lanes.from_ns).max(1) as f64,
        };
        scene.html()
    }
}

/// What a picture of one width is made from.
struct Scene<'a> {
    stage: &'a Stage,
    question: &'a Question,
    lanes: &'a Lanes,
    width: f64,
    from: f64,
    /// Pixels a nanosecond.
    scale: f64,
}

impl Scene<'_> {
    fn html(&self) -> Html {
        let cpus = &self.stage.run.cpus;
        let mut parts = Vec::new();
        let mut y = 0.0;
        let mut cache = cpus.first().map(|cpu| cpu.llc);
        for (lane, cpu) in cpus.iter().enumerate() {
            if cache != Some(cpu.llc) {
                cache = Some(cpu.llc);
                y += GAP;
            }
            self.lane(lane, cpu.cpu, y, &mut parts);
            y += LANE;
        }
        let now = self.x(self.question.at_ns as f64);
        if !self.stage.prediction.is_revealed {
            parts.push(rect("unknown", [now, 0.0, (self.width - now).max(0.0), y], 0.0, ""));
            parts.push(label("unknown-mark", (f64::midpoint(now, self.width), y / 2.0 + 8.0), "middle", "?"));
        }
        parts.push(line("now", (now, 0.0), (now, y)));
        let moment = format::seconds(self.question.at_ns as f64, 6);
        let anchor = if now < self.width * 0.3 { "start" } else { "middle" };
        parts.push(label("tick", (now, y + 16.0), anchor, &text::stopped_at(&moment)));
        if self.stage.prediction.is_about_cpus() && !self.stage.prediction.is_revealed {
            self.targets(&mut parts);
        }
        picture("lanes-around", self.width, y + AXIS, text::STAGE_LABEL, parts)
    }

    fn x(&self, ns: f64) -> f64 {
        (LEFT + (ns - self.from) * self.scale).min(self.width)
    }

    /// Up to where something is drawn.
    fn known(&self) -> f64 {
        if self.stage.prediction.is_revealed { self.width } else { self.x(self.question.at_ns as f64) }
    }

    fn lane(&self, lane: usize, cpu: u16, y: f64, parts: &mut Vec<Html>) {
        let chosen = self.stage.prediction.is_about_cpus() && self.stage.prediction.choice == Some(cpu);
        let is_truth = self.stage.prediction.is_revealed
            && self.stage.prediction.is_about_cpus()
            && self.stage.prediction.truth() == Some(cpu);
        if is_truth {
            parts.push(rect("true-lane", [0.0, y, self.width, LANE], 4.0, ""));
        } else if chosen {
            parts.push(rect("chosen-lane", [0.0, y, self.width, LANE], 4.0, ""));
        }
        parts.push(label("lane-name", (6.0, y + 18.0), "start", &text::cpu(cpu)));
        let bounds = self.lanes.lane_start.get(lane).zip(self.lanes.lane_start.get(lane + 1));
        let Some((first, last)) = bounds else { return };
        let pixel = (self.width - LEFT) / f64::from(self.lanes.width_px.max(1));
        for index in *first as usize..*last as usize {
            let (from, to) = (f64::from(self.lanes.x0[index]), f64::from(self.lanes.x1[index]));
            let (left, right) = (LEFT + from * pixel, (LEFT + to * pixel).min(self.known()));
            if left < right {
                self.piece(index, (left, right), y, parts);
            }
        }
    }

    fn piece(&self, index: usize, (left, right): (f64, f64), y: f64, parts: &mut Vec<Html>) {
        let width = (right - left).max(1.0);
        let busy = LANE - STRIP - 4.0;
        match LaneState::from_u8(self.lanes.state[index]) {
            Some(LaneState::Running) => {
                let task = self.lanes.task[index];
                let class = ["task-fill-", &colour_of(task).to_string()].concat();
                parts.push(rect(&class, [left, y + 2.0, width, busy], 0.0, ""));
                let name = caption::task_name(&self.stage.run, task);
                if name.len() as f64 * 7.0 + 8.0 < width {
                    let class = ["task-name-", &colour_of(task).to_string()].concat();
                    parts.push(label(&class, (right - 5.0, y + 15.0), "end", name));
                }
            }
            Some(LaneState::Waiting) => {
                parts.push(rect("swatch-wait-ground", [left, y + 2.0 + busy, width, STRIP], 0.0, ""));
                parts.push(rect("waiting-here", [left, y + 2.0 + busy, width, STRIP], 0.0, ""));
            }
            Some(LaneState::Wasted) => {
                parts.push(rect("swatch-wasted", [left, y + busy - 3.0, width, 5.0], 0.0, ""));
            }
            _ => parts.push(rect("swatch-idle", [left, y + busy - 1.0, width, 3.0], 0.0, "")),
        }
    }

    /// What can be clicked. Screen readers and keys have the list beside the picture.
    fn targets(&self, parts: &mut Vec<Html>) {
        let mut y = 0.0;
        let mut cache = self.stage.run.cpus.first().map(|cpu| cpu.llc);
        for cpu in &self.stage.run.cpus {
            if cache != Some(cpu.llc) {
                cache = Some(cpu.llc);
                y += GAP;
            }
            let onclick = click(&self.stage.orders, Order::Lesson(Turn::Choose(cpu.cpu)));
            let [top, width, height] = [y, self.width, LANE].map(format::coordinate);
            parts.push(html! {
                <rect class="lane-target" x="0" y={top} {width} {height} {onclick}
                    data-testid={format!("lane-{}", cpu.cpu)} />
            });
            y += LANE;
        }
    }
}
