//! Predict, then reveal: the run stops before a decision, the reader says how it will come out, and the inspector opens it.

use std::rc::Rc;

use ::lesson::{Predict, Question};
use protocol::{DecisionView, RunSummary};
use yew::prelude::*;

use super::hooks::VERDICT;
use super::page::LessonView;
use super::place::read_variant;
use super::reading::{LEAVES, Prediction, TAKES, Turn};
use super::stage::Stage;
use super::words::Reader;
use crate::controls::{Button, Segments};
use crate::markup::{el, plain, said};
use crate::orders::{Order, click};
use crate::text;

/// The id of the field for the reader's number.
const VARIANT: &str = "lesson-variant";

/// The block in whatever state it is.
pub(super) fn predict(
    view: &LessonView,
    predict: &Predict,
    inspector: &dyn Fn() -> Html,
    reader: Reader<'_>,
) -> Html {
    let prediction = &view.reading.prediction;
    let mut parts = vec![
        el("h2", &[("id", "predict-title")], vec![plain(text::PREDICT)]),
        variant(view),
        prediction.question.body(|question| asked(view, predict, question, reader)),
    ];
    // Places are kept, as on the whole screen.
    let answered = prediction.question.content().filter(|_| prediction.is_revealed);
    parts.push(
        answered.map_or_else(Html::default, |question| revealed(prediction, predict, question, reader)),
    );
    parts.push(answered.map_or_else(Html::default, |_| inspector()));
    let attributes = [
        ("class", "predict"),
        ("data-testid", "predict"),
        ("data-state", prediction.question.name()),
        ("data-revealed", if prediction.is_revealed { "true" } else { "" }),
        ("aria-labelledby", "predict-title"),
    ];
    el("section", &attributes, parts)
}

/// The number that a reader gives, which is the seed of the question.
fn variant(view: &LessonView) -> Html {
    let given = view.reading.place.variant;
    let committed = || given.map_or(String::new(), |variant| variant.to_string());
    let value = view.reading.typed.clone().unwrap_or_else(committed);
    let oninput = {
        let orders = view.orders.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() {
                orders.emit(Order::Lesson(Turn::Type(input.value())));
            }
        })
    };
    let (orders, place) = (view.orders.clone(), view.reading.place.clone());
    let onchange = Callback::from(move |event: Event| {
        let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() else { return };
        let typed = input.value();
        let variant = read_variant(&typed);
        let is_wrong = variant.is_none() && !typed.trim().is_empty();
        orders.emit(if is_wrong {
            Order::Lesson(Turn::Mistyped)
        } else {
            Order::Lesson(Turn::Go(super::Place { variant, ..place.clone() }))
        });
    });
    let is_mistyped = view.reading.is_mistyped;
    let help = if is_mistyped { text::VARIANT_WRONG } else { text::VARIANT_HELP };
    let help_id = "lesson-variant-help";
    let field = html! {
        <input id={VARIANT} type="text" inputmode="numeric" autocomplete="off" {value} {oninput} {onchange}
            aria-describedby={help_id} aria-invalid={is_mistyped.then_some("true")} data-testid="variant" />
    };
    let class = if is_mistyped { "help problem" } else { "help" };
    let parts = vec![
        el("label", &[("for", VARIANT)], vec![plain(text::VARIANT)]),
        field,
        el("span", &[("id", help_id), ("class", class), ("role", "status")], vec![plain(help)]),
    ];
    el("div", &[("class", "variant")], parts)
}

fn asked(view: &LessonView, predict: &Predict, question: &Rc<Question>, reader: Reader<'_>) -> Html {
    let prediction = &view.reading.prediction;
    let blanks = blanks(question);
    let question_words = Reader { blanks: &blanks, id: "asked", ..reader }.phrases(&predict.question);
    let column = view.reading.column();
    let run = column.and_then(|column| {
        view.results.content()?.columns.get(column).map(|column| Rc::clone(&column.summary))
    });
    let mut parts =
        vec![el("p", &[("class", "prose asked-question"), ("data-testid", "question")], question_words)];
    if let Some(run) = run {
        let stage =
            Stage { prediction: prediction.clone(), run: Rc::clone(&run), orders: view.orders.clone() };
        parts.push(stage.html());
        parts.push(said("p", "help", text::STAGE_KEY));
        if !prediction.is_revealed {
            parts.push(choices(view, question, &run));
            parts.push(reveal(view));
        }
    }
    el("div", &[("class", "asked")], parts)
}

/// What a question calls its task and CPUs.
fn blanks(question: &Question) -> Vec<(&'static str, String)> {
    let Some(decision) = question.decision() else { return Vec::new() };
    let own = decision.task.as_ref().map(|task| task.name.clone());
    let mut blanks = vec![("cpu", text::cpu(decision.cpu))];
    if let Some((cpu, name)) = &question.beside {
        blanks.extend([("from", text::cpu(*cpu)), ("other", name.clone())]);
    }
    // A balance is about the task that waits.
    let task = own.or_else(|| question.beside.as_ref().map(|(_, task)| task.clone()));
    blanks.extend(task.map(|task| ("task", task)));
    blanks
}

fn choices(view: &LessonView, question: &Question, run: &RunSummary) -> Html {
    let prediction = &view.reading.prediction;
    let words = |choice: u16| {
        if !prediction.is_about_cpus() {
            return if choice == TAKES { text::TAKES.to_owned() } else { text::LEAVES.to_owned() };
        }
        text::choice(choice, &doing(question, choice))
    };
    // In the order of lanes where CPUs are chosen from.
    let mut choices = prediction.choices();
    let lane = |choice: &u16| run.cpus.iter().position(|cpu| cpu.cpu == *choice);
    if prediction.is_about_cpus() {
        choices.sort_by_key(lane);
    }
    let said_choices: Vec<(String, String)> =
        choices.iter().map(|choice| (choice.to_string(), words(*choice))).collect();
    let shown: Vec<(&str, &str, bool)> =
        said_choices.iter().map(|(value, words)| (value.as_str(), words.as_str(), true)).collect();
    let chosen = prediction.choice.map_or(String::new(), |choice| choice.to_string());
    let list = Segments { name: "choice", label: text::YOUR_PREDICTION, class: "choices", chosen: &chosen };
    list.html(&shown, &view.orders, &|value| Order::Lesson(Turn::Choose(value.parse().unwrap_or(LEAVES))))
}

/// What a CPU does when the question is asked.
fn doing(question: &Question, cpu: u16) -> String {
    let Some(cpu) = question.moment.cpus.iter().find(|known| known.cpu == cpu) else { return String::new() };
    let waiting: Vec<&str> = cpu
        .waiting
        .iter()
        .map(|waiting| waiting.task.name.as_str())
        .chain(cpu.wake_list.iter().map(|task| task.name.as_str()))
        .collect();
    text::doing(cpu.running.as_ref().map(|running| running.task.name.as_str()), &waiting)
}

fn reveal(view: &LessonView) -> Html {
    let has_choice = view.reading.prediction.choice.is_some();
    let words = if has_choice { text::REVEAL } else { text::REVEAL_WITHOUT };
    let button = Button::small(words, "reveal").class(if has_choice { "primary" } else { "" });
    let parts = vec![
        button.html(click(&view.orders, Order::Lesson(Turn::Reveal))),
        said("span", "help", text::REVEAL_KEYS),
    ];
    el("div", &[("class", "reveal")], parts)
}

/// How it came out, kindly, and which check decided.
fn revealed(prediction: &Prediction, predict: &Predict, question: &Question, reader: Reader<'_>) -> Html {
    let Some((decision, truth)) = question.decision().zip(prediction.truth()) else { return Html::default() };
    let name = |choice: u16| match (prediction.is_about_cpus(), choice) {
        (true, cpu) => text::cpu(cpu),
        (false, TAKES) => text::TAKES.to_owned(),
        (false, _) => text::LEAVES.to_owned(),
    };
    let (class, words) = match prediction.choice {
        None => ("verdict-open", text::no_prediction(&name(truth))),
        Some(choice) if choice == truth => ("verdict-right", text::right(&name(truth))),
        Some(choice) => ("verdict-wrong", text::wrong_guess(&name(choice), &name(truth))),
    };
    let blanks = blanks(question);
    let because = Reader { blanks: &blanks, id: "because", ..reader }.phrases(&predict.because);
    let mut parts = vec![
        el(
            "p",
            &[("id", VERDICT), ("class", class), ("tabindex", "-1"), ("data-testid", "verdict")],
            vec![said("strong", "", &words)],
        ),
        el("p", &[], because),
    ];
    parts.extend(rule(decision));
    el("div", &[("class", "revealed"), ("role", "status"), ("aria-live", "polite")], parts)
}

/// The check that decided, in plain words and by the kernel's name: of a placement the last one about a CPU, of a balance
/// the last one that was about a task or answered no.
fn rule(decision: &DecisionView) -> Option<Html> {
    let decides = |name: &str| decision.steps.iter().rfind(|step| step.check == name);
    let step = ["detach", "cpu_idle", "wake_affine", "busiest_group", "should_we_balance", "rt_conflict"]
        .iter()
        .find_map(|name| decides(name));
    let step = step.or(decision.steps.last())?;
    let check = text::check(step)?;
    let parts = vec![
        plain(text::DECIDED_BY),
        said("code", "", &step.kernel_function),
        plain(&format!(": {} {}.", check.question, check.answer)),
    ];
    Some(el("p", &[("class", "rule"), ("data-testid", "rule")], parts))
}
