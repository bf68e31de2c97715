use super::*;
use crate::problems;

const SMALL: &str = r#"{
  "version": 1, "id": "small", "title": "Small", "summary": "Nearly nothing.", "minutes": 1,
  "terms": { "run queue": "The tasks of a CPU that want to run." },
  "scenario": { "preset": "hikey-schbench" },
  "screens": [{
    "title": "One",
    "blocks": [
      { "text": "A [run queue] holds the tasks that want to run on one CPU; at worst one of them waited for {base.max_us} here, and with the patch {patched.max_us}." },
      { "figures": [{ "label": "Longest wait", "column": "base", "metric": "max_us" }] },
      { "chart": "timeline" },
      { "try": { "label": "Ticks", "key": "kernel.hz", "choices": [{ "value": "250", "label": "few" }, { "value": "1000", "label": "many" }] } },
      { "predict": { "column": "base", "find": { "decision": "placement", "of": "longest_wait" }, "window_us": [100, 200], "question": "Where does {task} wake?", "because": "So it is." } }
    ]
  }]
}"#;

fn changed(from: &str, to: &str) -> Result<Lesson, Wrong> {
    assert!(SMALL.contains(from), "{from}");
    Lesson::parse(&SMALL.replacen(from, to, 1))
}

fn refused(from: &str, to: &str) -> String {
    changed(from, to).expect_err(to).to_string()
}

#[test]
fn a_lesson_is_read_as_it_is_written() {
    let lesson = Lesson::parse(SMALL).unwrap();
    assert_eq!(problems(&lesson), [""; 0]);
    assert_eq!(lesson.screens[0].scenario, Scenario::from_preset("hikey-schbench").unwrap());
    let predict = lesson.screens[0].predict().unwrap();
    assert_eq!((predict.find.clone(), predict.window_us), (Find::LongestWait, (100, 200)));
    assert_eq!(lesson.meaning("run queue"), Some("The tasks of a CPU that want to run."));
    let index = r#"{"version": 1, "lessons": [
        {"id": "small", "title": "Small", "summary": "Nearly nothing.", "minutes": 1}
    ]}"#;
    assert_eq!(parse_index(index), Ok(vec![lesson.entry()]));
}

#[test]
fn what_is_not_known_is_refused_with_its_place() {
    assert!(refused("\"minutes\"", "\"colour\": 3, \"minutes\"").contains("\"colour\" is not known"));
    assert!(
        refused("\"chart\": \"timeline\"", "\"chart\": \"pie\"").starts_with("screens[0].blocks[2].chart:")
    );
    assert!(refused("\"chart\"", "\"video\"").contains("known are text, note"));
    assert!(refused("\"version\": 1", "\"version\": 2").contains("newer"));
    assert!(refused("\"of\": \"longest_wait\"", "\"nth\": 0").contains("the first one is 1"));
    assert!(refused("hikey-schbench", "hikey-shbench").starts_with("scenario:"));
    assert!(refused("\"id\": \"small\"", "\"id\": \"../small\"").starts_with("id:"));
    assert!(Lesson::parse("{").unwrap_err().place.starts_with("line 1"));
}

#[test]
fn markup_and_addresses_are_refused() {
    for text in ["a <b>b</b>", "see https://example.org", "www.example.org", "a &amp; b", " "] {
        let wrong = changed("Nearly nothing.", text).unwrap_err();
        assert_eq!(wrong.place, "summary", "{text}");
    }
}

#[test]
fn what_the_grammar_allows_can_still_be_wrong() {
    let told = |from: &str, to: &str| problems(&changed(from, to).unwrap()).join("\n");
    assert!(told("A [run queue]", "A [run-queue]").contains("\"run-queue\" is not explained"));
    assert!(told("A [run queue]", "A queue").contains("nobody asks for the term"));
    assert!(told("{base.max_us}", "{bare.max_us}").contains("no column \"bare\""));
    assert!(told("\"value\": \"1000\"", "\"value\": \"7\"").contains("kernel.hz=7"));
    assert!(told("{base.max_us}", "{task}").contains("only a question knows"));
    assert!(
        told("A [run queue] holds the tasks that want to run on one CPU; at", "[run queue] at")
            .contains("words")
    );
}
