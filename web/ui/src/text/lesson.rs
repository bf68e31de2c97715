//! What the page says around lessons. What lessons themselves say is in `public/lessons`.

use super::cpu;
use crate::format::count;

pub(crate) const LESSON: &str = "Lesson";
pub(crate) const LESSONS: &str = "Lessons";
pub(crate) const LESSONS_WHAT: &str = "Each lesson follows one patch from what goes wrong to the line that puts it right. You predict what the scheduler decides, and then \
     open the decision. Every figure is computed while you read.";
pub(crate) const ALL_LESSONS: &str = "All lessons";
pub(crate) const TO_PLAYGROUND: &str = "To the playground";
pub(crate) const OPEN_PLAYGROUND: &str = "Open this in the playground";
pub(crate) const SCREENS: &str = "Screens of this lesson";
pub(crate) const TURNING: &str = "Previous and next screen";
pub(crate) const BACK: &str = "Back";
pub(crate) const NEXT: &str = "Next";
pub(crate) const ARROWS: &str = "The arrow keys ← and → turn the pages, too.";
pub(crate) const FETCHING: &str = "Fetching the lesson";
pub(crate) const NO_LESSONS: &str = "There are no lessons here yet.";
pub(crate) const TRY: &str = "Try it";
pub(crate) const PAGE_TITLE: &str = "Runqueue: a playground for the Linux CPU scheduler";

// Predictions.
pub(crate) const PREDICT: &str = "Predict, then look";
pub(crate) const VARIANT: &str = "Your number";
pub(crate) const VARIANT_HELP: &str =
    "Optional. The same number gives the same question, another one gives another run.";
pub(crate) const VARIANT_WRONG: &str =
    "A whole number of at most 15 digits, please, such as a student number.";
pub(crate) const SEEKING_QUESTION: &str = "Looking for the moment in this run";
pub(crate) const NO_QUESTION: &str = "In this run there is no such moment. Try another number.";
pub(crate) const STAGE_LABEL: &str =
    "The CPUs just before the decision, one lane each. The choices below say the same.";
pub(crate) const STAGE_KEY: &str = "Coloured: a thread runs. Red strip below: a thread waits. Thin line: the CPU idles. Thick line: it idles while a thread waits beside it.";
pub(crate) const YOUR_PREDICTION: &str = "Your prediction";
pub(crate) const TAKES: &str = "It takes the waiting thread";
pub(crate) const LEAVES: &str = "It leaves the thread where it is";
pub(crate) const REVEAL: &str = "Show what happens";
pub(crate) const REVEAL_WITHOUT: &str = "Show it without a guess";
pub(crate) const REVEAL_KEYS: &str =
    "A click on a lane chooses it, too. Keys: the number of a CPU, or y and n; r to show.";
pub(crate) const GOES_ON: &str = "The screen goes on once you have looked.";
pub(crate) const DECIDED_BY: &str = "The check that decided it is in ";
pub(crate) const OTHER_ID: &str = "it holds another lesson than its name says";

/// What stands in the title of the window.
pub(crate) fn page_title(screen: &str) -> String {
    format!("{screen} – Runqueue")
}

/// About how long a lesson takes.
pub(crate) fn minutes(minutes: u64) -> String {
    format!("About {minutes} minutes")
}

/// Which lesson it is and how far.
pub(crate) fn eyebrow(lesson: &str, screen: usize, all: usize) -> String {
    format!("{lesson} · {screen} of {all}")
}

/// A screen of a lesson.
pub(crate) fn screen_of(screen: usize, all: usize, title: &str) -> String {
    format!("Screen {screen} of {all}: {title}")
}

/// Why a lesson is not there. Status 0 is that of no answer at all.
pub(crate) fn not_fetched(id: &str, status: u16) -> String {
    match (id, status) {
        ("", 0) => {
            "The list of lessons could not be fetched: there is no connection, and it is not kept here yet."
                .to_owned()
        }
        (id, 0) => format!(
            "The lesson “{id}” could not be fetched: there is no connection, and it is not kept here yet."
        ),
        ("", status) => format!("The list of lessons could not be fetched: the server answers {status}."),
        (id, 404) => format!(
            "There is no lesson “{id}” here. The address may be mistyped; “All lessons” lists those that there are."
        ),
        (id, status) => format!("The lesson “{id}” could not be fetched: the server answers {status}."),
    }
}

/// Why a file is not a lesson.
pub(crate) fn bad_file(wrong: &str) -> String {
    format!(
        "The lesson’s file is broken: {wrong}. Reload the page; if that does not help, tell whoever hosts it."
    )
}

/// When the picture stops.
pub(crate) fn stopped_at(seconds: &str) -> String {
    format!("{seconds} s")
}

/// A CPU to choose, and what it does.
pub(crate) fn choice(number: u16, doing: &str) -> String {
    format!("{}: {doing}", cpu(number))
}

/// What a CPU does: who runs, and who waits.
pub(crate) fn doing(running: Option<&str>, waiting: &[&str]) -> String {
    let runs = running.map_or_else(|| "idle".to_owned(), |name| format!("runs {name}"));
    match (running, waiting) {
        (_, []) => runs,
        (None, waiting) => format!("idle, {} is on its way", waiting.join(", ")),
        (Some(_), waiting) => format!("{runs}, {} waits", waiting.join(", ")),
    }
}

/// A prediction that was right.
pub(crate) fn right(truth: &str) -> String {
    format!("You were right: {}.", uncapped(truth))
}

/// One that was not.
pub(crate) fn wrong_guess(guess: &str, truth: &str) -> String {
    format!(
        "A good guess, but the kernel decides otherwise. You said: {}. It is: {}.",
        uncapped(guess),
        uncapped(truth)
    )
}

/// None at all.
pub(crate) fn no_prediction(truth: &str) -> String {
    format!("This is what happens: {}.", uncapped(truth))
}

fn uncapped(words: &str) -> String {
    words.strip_prefix("It ").map_or_else(|| words.to_owned(), |rest| format!("it {rest}"))
}

/// How a figure spreads over many seeds.
pub(crate) fn spread(runs: usize, low: &str, high: &str, median: &str) -> String {
    format!("{low} to {high} in 95 % of {} runs, {median} in the middle", count(runs as u64))
}

/// What the author of the patch printed.
pub(crate) fn published_as(value: &str) -> String {
    format!("published: {value}")
}
