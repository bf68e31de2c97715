//! Links that were handed out keep their meaning for ever.

use std::collections::BTreeMap;

use scenario::keys::KEYS;
use scenario::{Link, Scenario, WorkloadChoice};

/// Blocks of a name or a link with what it means, indented, below it; `+` marks a column that its preset has gained
/// since, beside those that the link was made for.
const CORPUS: &str = include_str!("links.txt");

fn blocks() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let text = CORPUS.split("\n\n").filter(|block| !block.starts_with('#') || block.starts_with("#1"));
    text.map(|block| {
        let mut lines = block.trim_end().lines();
        (
            lines.next().unwrap(),
            lines.map(|line| line.strip_prefix("  ").or_else(|| line.strip_prefix("+ ")).unwrap()).collect(),
        )
    })
}

/// Everything in which a link's scenario is not the default, and its view. A title that its preset gives it is left
/// out: nothing depends on it.
fn meaning(link: &Link) -> Vec<String> {
    let scenario = &link.scenario;
    let mut lines = Vec::new();
    if !scenario.preset.is_empty() {
        lines.push(format!("preset={}", scenario.preset));
    }
    let own = Scenario { preset: String::new(), ..scenario.clone() };
    for pair in own.set_arguments().chunks(2) {
        let column = if pair[0] == "--column" { "column=" } else { "" };
        lines.push(format!("{column}{}", pair[1]));
    }
    let origin_title = format!("title={}", scenario.origin().title);
    lines.retain(|line| *line != origin_title);
    lines.extend(link.view.iter().map(|(name, value)| format!("view.{name}={value}")));
    lines
}

#[test]
fn every_link_of_the_corpus_means_what_it_meant() {
    let links: Vec<_> = blocks().filter(|(name, _)| name.contains('#')).collect();
    for (text, expected) in &links {
        let link = Link::decode(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(meaning(&link), *expected, "{text}");
        assert_eq!(Link::decode(&link.encode()), Ok(link), "{text} can be passed on");
    }
    let packed = links.iter().filter(|(text, _)| text.contains("#1.")).count();
    assert!(5 < packed && 5 < links.len() - packed, "both kinds of link are there");
}

#[test]
fn defaults_that_links_leave_out_are_what_they_were() {
    let defaults: BTreeMap<&str, Vec<&str>> = blocks().filter(|(name, _)| !name.contains('#')).collect();
    for kind in WorkloadChoice::KINDS {
        let mut scenario = Scenario::default();
        scenario.set("workload.kind", kind).unwrap();
        // Costs are named by their set; what a set holds may be calibrated anew.
        let pinned = KEYS.iter().filter(|key| !key.name.starts_with("costs."));
        let now: Vec<String> =
            pinned.filter_map(|key| Some(format!("{}={}", key.name, key.get(&scenario)?))).collect();
        for line in &defaults[format!("default {kind}").as_str()] {
            assert!(now.iter().any(|now| now == line), "the default {line} of {kind} has changed");
        }
    }
}
