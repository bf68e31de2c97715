//! The address: what the page puts behind the `#`, and what it makes of what it finds there.

use std::collections::BTreeMap;

use protocol::RunSummary;
use scenario::{Link, LinkError, Preset, Scenario};

use crate::state::Notice;
use crate::text;

/// Names of the values by which a link tells how its sender looked at the scenario.
const HASHES: &str = "hash";
const HEADLINE: &str = "p99";
const SPAN: &str = "span";

/// A scenario as a fragment without its `#`.
pub(crate) fn encode(scenario: &Scenario) -> String {
    without_mark(Link::new(scenario.clone()).encode())
}

fn without_mark(fragment: String) -> String {
    fragment.strip_prefix('#').map_or(fragment.clone(), str::to_owned)
}

/// What the sender of a link saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    /// The trace hash of each column.
    pub(crate) hashes: Vec<String>,
    /// The headline figure of each column in microseconds.
    pub(crate) headline: Vec<f64>,
    /// The span of the timeline in nanoseconds.
    pub(crate) span: Option<(f64, f64)>,
}

/// A scenario together with what is seen now, to be shared.
pub(crate) fn encode_seen(scenario: &Scenario, seen: &Seen) -> String {
    let mut link = Link::new(scenario.clone());
    if !seen.hashes.is_empty() {
        link.view.insert(HASHES.to_owned(), seen.hashes.join("."));
    }
    if !seen.headline.is_empty() {
        let values: Vec<String> = seen.headline.iter().map(|us| (us.round() as u64).to_string()).collect();
        link.view.insert(HEADLINE.to_owned(), values.join("."));
    }
    if let Some((from, to)) = seen.span {
        link.view.insert(SPAN.to_owned(), format!("{}.{}", from as u64, to as u64));
    }
    without_mark(link.encode())
}

/// The fragment's scenario; nothing where there is no fragment.
pub(crate) fn decode(fragment: &str) -> Option<Result<(Scenario, Seen), Notice>> {
    if fragment.is_empty() {
        return None;
    }
    Some(match Link::decode(fragment) {
        Ok(link) => Ok((link.scenario, seen(&link.view))),
        Err(error) => Err(refused(&error)),
    })
}

fn seen(view: &BTreeMap<String, String>) -> Seen {
    let parts =
        |name: &str| view.get(name).map(|text| text.split('.').map(str::to_owned).collect::<Vec<_>>());
    // Whoever writes numbers by hand may slip; what cannot be read was not seen.
    let numbers = |name: &str| {
        parts(name)
            .and_then(|parts| parts.iter().map(|part| part.parse::<u64>().ok()).collect::<Option<Vec<_>>>())
    };
    let span = numbers(SPAN).and_then(|span| match span[..] {
        [from, to] if from < to => Some((from as f64, to as f64)),
        _ => None,
    });
    Seen {
        hashes: parts(HASHES).unwrap_or_default(),
        headline: numbers(HEADLINE).unwrap_or_default().into_iter().map(|us| us as f64).collect(),
        span,
    }
}

fn refused(error: &LinkError) -> Notice {
    let (body, points) = match error {
        LinkError::Invalid { problems } => (
            text::LINK_SCENARIO_REFUSED.to_owned(),
            problems
                .iter()
                .map(|problem| {
                    text::problem_at(&problem.path, &problem.expected, &problem.found, &problem.remedy)
                })
                .collect(),
        ),
        other => (other.to_string(), Vec::new()),
    };
    Notice {
        title: text::LINK_REFUSED.to_owned(),
        body: format!("{body} {}", text::LINK_KEPT),
        points,
        is_bad: true,
    }
}

/// Where the engine no longer gives what the sender of a link saw, what to say about it.
pub(crate) fn changed_since(seen: &Seen, runs: &[&RunSummary], headline: &str) -> Option<Notice> {
    let is_same = seen.hashes.is_empty()
        || seen.hashes.len() != runs.len()
        || seen.hashes.iter().zip(runs).all(|(hash, run)| *hash == run.trace_hash);
    if is_same {
        return None;
    }
    let points = runs
        .iter()
        .zip(&seen.headline)
        .map(|(run, then)| text::then_and_now(&run.column_name, *then, run.metric(headline).unwrap_or(0.0)))
        .collect();
    Some(Notice {
        title: text::ENGINE_CHANGED.to_owned(),
        body: text::ENGINE_CHANGED_BODY.to_owned(),
        points,
        is_bad: false,
    })
}

/// The scenario that the page opens with, and what to say where that is not the one of the link.
pub(crate) fn opening(fragment: &str) -> (Scenario, Seen, Option<Notice>) {
    let default = || Preset::all().first().map_or_else(Scenario::default, |preset| preset.scenario.clone());
    match decode(fragment) {
        None => (default(), Seen::default(), None),
        Some(Ok((scenario, seen))) => (scenario, seen, None),
        Some(Err(notice)) => (default(), Seen::default(), Some(notice)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hikey() -> Scenario {
        Scenario::from_preset("hikey-schbench").unwrap()
    }

    #[test]
    fn a_link_restores_the_scenario_and_what_was_seen() {
        let mut scenario = hikey();
        scenario.set("seed", "7").unwrap();
        scenario.set("kernel.hz", "1000").unwrap();
        let seen = Seen {
            hashes: vec!["00ff".to_owned(), "12ab".to_owned()],
            headline: vec![14_640.0, 83.0],
            span: Some((2e9, 2.5e9)),
        };
        let fragment = encode_seen(&scenario, &seen);
        assert!(!fragment.starts_with('#'));
        assert_eq!(decode(&fragment), Some(Ok((scenario, seen))));
    }

    #[test]
    fn no_fragment_opens_the_first_preset_without_a_word() {
        let (scenario, _, notice) = opening("");
        assert_eq!(scenario, hikey());
        assert_eq!(notice, None);
    }

    #[test]
    fn a_cut_link_says_so_and_keeps_the_scenario() {
        let whole = encode(&hikey());
        let cut = &whole[..whole.len() - 6];
        let (scenario, _, notice) = opening(cut);
        assert_eq!(scenario, hikey());
        let notice = notice.unwrap();
        assert!(notice.body.contains("cut"), "{}", notice.body);
        assert!(notice.body.ends_with(text::LINK_KEPT));
    }

    #[test]
    fn a_link_of_another_kind_or_a_newer_version_is_refused_with_a_reason() {
        assert!(matches!(decode("top"), Some(Err(_))));
        let Some(Err(notice)) = decode("9/hikey-schbench~aaaa") else { panic!("version 9 is not known") };
        assert!(notice.body.contains("newer"), "{}", notice.body);
    }

    #[test]
    fn a_link_with_values_that_cannot_be_lists_each_with_its_remedy() {
        let Some(Err(notice)) = decode("1/hikey-schbench?kernel.hz=7&workload.threads=0~") else {
            panic!("HZ 7 does not exist")
        };
        assert_eq!(notice.points.len(), 2, "{:?}", notice.points);
        assert!(notice.points[0].contains("kernel.hz"), "{:?}", notice.points);
    }

    #[test]
    fn an_engine_that_answers_otherwise_is_announced_with_both_figures() {
        let run = |name: &str, hash: &str| RunSummary {
            column_name: name.to_owned(),
            trace_hash: hash.to_owned(),
            ..RunSummary::default()
        };
        let runs = [run("base", "aa"), run("patched", "bb")];
        let runs: Vec<&RunSummary> = runs.iter().collect();
        let seen = |second: &str| Seen {
            hashes: vec!["aa".to_owned(), second.to_owned()],
            headline: vec![14_640.0, 83.0],
            span: None,
        };
        assert_eq!(changed_since(&seen("bb"), &runs, "p99_us"), None);
        assert_eq!(changed_since(&seen("cc"), &runs, "p99_us").unwrap().points.len(), 2);
        assert_eq!(changed_since(&Seen::default(), &runs, "p99_us"), None, "an old link without hashes");
    }
}
