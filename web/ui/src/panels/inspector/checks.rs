//! The list of checks.

use kernel::Patch;
use protocol::{HunkAnswers, StepView};
use yew::prelude::*;

use crate::markup::{el, explained, plain, said};
use crate::text::{self, Answered};

/// Checks in their order, the first of which has this number.
pub(crate) fn checks(steps: &[StepView], first: usize, label: &str) -> Html {
    let start = first.to_string();
    let attributes = [("class", "checks"), ("start", &*start), ("aria-label", label)];
    let patch = |step: &StepView| step.hunk.as_ref().map(|hunk| hunk.patch.clone());
    // A search meets the same patch again and again: once is enough to say where to read it.
    let is_new = |place: usize| steps[..place].iter().all(|before| patch(before) != patch(&steps[place]));
    // The same holds for words that can be opened: every one of them is a stop of the keyboard.
    let is_met = |place: usize, name: &str| {
        steps[..place].iter().any(|before| before.values.iter().any(|value| value.name == name))
    };
    let row = |(place, step)| check(step, is_new(place), &|name| !is_met(place, name));
    let rows = steps.iter().enumerate().map(row);
    el("ol", &attributes, rows.collect())
}

fn check(step: &StepView, tells_patch: bool, is_first: &dyn Fn(&str) -> bool) -> Html {
    let mut parts = Vec::new();
    let mut class = "step-check";
    if let Some(words) = text::check(step) {
        let (mark, spoken, of_mark) = match words.answered {
            Answered::Yes => ("✓", text::YES, "step-check yes"),
            Answered::No => ("✕", text::NO, "step-check no"),
            Answered::Seen => ("•", text::SEEN, "step-check seen"),
        };
        class = of_mark;
        let mark = el("span", &[("class", "mark"), ("aria-hidden", "true")], vec![plain(mark)]);
        parts.extend([mark, said("span", "visually-hidden", &format!("{spoken}: "))]);
        let line = vec![
            said("span", "question", &words.question),
            plain(" "),
            said("strong", "answer", &words.answer),
        ];
        parts.push(el("p", &[("class", "asked")], line));
    }
    parts.push(kernel_line(step, is_first));
    parts.extend(step.hunk.as_ref().map(|hunk| answers(hunk, tells_patch)));
    el("li", &[("class", class), ("data-check", &step.check)], parts)
}

/// The kernel's words for it: who asks, and what it sees; explained where they are met first.
fn kernel_line(step: &StepView, is_first: &dyn Fn(&str) -> bool) -> Html {
    let mut line = vec![el("code", &[], vec![plain(&step.kernel_function)])];
    for value in &step.values {
        line.push(plain(" "));
        let words = text::seen(&value.name, value.value);
        let words = if is_first(&value.name) { explained(&words, &value.name) } else { plain(&words) };
        line.push(el("span", &[("class", "value")], vec![words]));
    }
    el("p", &[("class", "soft-line mono")], line)
}

/// What every form of the patch answers, that in force marked, and where to read the patch if that is to be told.
fn answers(hunk: &HunkAnswers, tells_patch: bool) -> Html {
    let row = |name: &str, says: &str, is_in_force: bool| {
        let mut answer = vec![plain(says)];
        if is_in_force {
            answer.extend([plain(" "), said("strong", "in-force", &format!("◀ {}", text::IN_FORCE))]);
        }
        let parts = vec![said("span", "form", name), el("span", &[], answer)];
        el("li", &[("class", if is_in_force { "active" } else { "" })], parts)
    };
    let mut rows = vec![row(text::WITHOUT, text::KERNELS_ANSWER, hunk.in_force == "base")];
    rows.extend(hunk.answers.iter().map(|answer| {
        let says = if answer.differs { text::ANSWERS_OTHERWISE } else { text::ANSWERS_AS_KERNEL };
        row(&answer.form, says, answer.form == hunk.in_force)
    }));
    let mut parts = vec![el("ul", &[("class", "answers")], rows)];
    let known = Patch::ALL.iter().find(|patch| tells_patch && patch.slug() == hunk.patch);
    if let Some(info) = known.map(|patch| patch.info()) {
        let address = format!("https://lore.kernel.org/r/{}", info.message_id);
        let link = el("a", &[("href", &*address), ("rel", "noreferrer")], vec![plain(text::MAIL)]);
        let place = vec![plain(&format!("{}, {}. ", info.title, hunk.file)), link];
        parts.push(el("p", &[("class", "help")], place));
    }
    el("div", &[("class", "hunk")], parts)
}
