//! Whatever a scenario is, it comes back from links, files and the command line as it was.

mod common;

use std::collections::BTreeMap;

use common::{random_scenario, random_text};
use scenario::{Link, LinkError, Scenario, validate};
use sim::Stream;

const SCENARIOS: u64 = 4_000;

fn scenarios() -> impl Iterator<Item = (u64, Stream, Scenario)> {
    (0..SCENARIOS).map(|seed| {
        let mut stream = Stream::new(seed, 0, 0);
        let scenario = random_scenario(&mut stream);
        (seed, stream, scenario)
    })
}

#[test]
fn links_bring_scenario_and_view_back() {
    let mut kinds = [0; 2];
    for (seed, mut stream, scenario) in scenarios() {
        let view: BTreeMap<String, String> = (0..stream.below(4))
            .map(|_| (random_text(&mut stream, 9), random_text(&mut stream, 24)))
            .collect();
        let link = Link { scenario, view };
        let text = link.encode();
        assert_eq!(Link::decode(&text), Ok(link), "seed {seed}: {text}");
        let printable = |c: char| c.is_ascii_graphic() && !"\"'<>\\^`{|}".contains(c);
        assert!(text.chars().all(printable), "seed {seed}: {text}");
        kinds[usize::from(text.starts_with("#1."))] += 1;
    }
    assert!(kinds.iter().all(|count| SCENARIOS / 10 < *count), "both kinds of link occur: {kinds:?}");
}

#[test]
fn files_bring_a_scenario_back() {
    for (seed, _, scenario) in scenarios() {
        let text = scenario.to_json();
        assert_eq!(Scenario::from_json(&text).as_ref(), Ok(&scenario), "seed {seed}: {text}");
    }
}

#[test]
fn command_line_arguments_bring_a_scenario_back() {
    for (seed, _, scenario) in scenarios() {
        let arguments = scenario.set_arguments();
        let pairs: Vec<(&str, &str)> =
            arguments.chunks(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
        let of = |option: &'static str| {
            pairs.iter().filter(move |(name, _)| *name == option).map(|(_, value)| *value)
        };
        let mut rebuilt = scenario.origin();
        rebuilt.preset.clone_from(&scenario.preset);
        let columns: Vec<&str> = of("--column").collect();
        let settings = of("--set").map(|setting| setting.split_once('=').unwrap());
        assert_eq!(rebuilt.apply(settings, &columns), Ok(()), "seed {seed}");
        assert_eq!(rebuilt, scenario, "seed {seed}: {arguments:?}");
    }
}

#[test]
fn every_valid_scenario_has_a_setup_for_every_column() {
    for (seed, _, scenario) in scenarios() {
        assert_eq!(validate(&scenario), [], "seed {seed}");
        for (position, column) in scenario.columns.iter().enumerate() {
            let setup = scenario.setup(position);
            assert!((1..=256).contains(&setup.topology.len()), "seed {seed}");
            assert_eq!(setup.seed, scenario.seed);
            if let Some(hz) = column.get("kernel.hz") {
                assert_eq!(setup.kernel.tunables.hz.to_string(), hz, "seed {seed}");
            }
        }
    }
}

#[test]
fn typical_links_are_short() {
    let mut lengths: Vec<usize> =
        scenarios().map(|(_, _, scenario)| Link::new(scenario).encode().len()).collect();
    lengths.sort_unstable();
    let of_hundred = |percent: usize| lengths[(lengths.len() - 1) * percent / 100];
    assert!(
        of_hundred(99) < 500,
        "median {}, p99 {}, longest {}",
        of_hundred(50),
        of_hundred(99),
        of_hundred(100)
    );
    assert!(of_hundred(50) < 200, "median {}", of_hundred(50));
}

#[test]
fn a_changed_character_is_noticed_and_never_a_panic() {
    const REPLACEMENTS: &[char] =
        &['a', 'Z', '0', '~', '%', '&', '=', '#', '?', '/', '.', '-', '_', ' ', 'ü', '\0'];
    let mut opened = 0;
    let mut tried = 0;
    for (seed, mut stream, scenario) in scenarios().take(400) {
        let text = Link::new(scenario.clone()).encode();
        let characters: Vec<char> = text.chars().collect();
        for position in 0..characters.len() {
            let mut changed = characters.clone();
            match stream.below(3) {
                0 => changed[position] = REPLACEMENTS[stream.below(REPLACEMENTS.len() as u32) as usize],
                1 => changed.insert(position, REPLACEMENTS[stream.below(REPLACEMENTS.len() as u32) as usize]),
                _ => {
                    changed.remove(position);
                }
            }
            let changed: String = changed.into_iter().collect();
            tried += 1;
            if let Ok(link) = Link::decode(&changed) {
                assert_eq!(validate(&link.scenario), [], "seed {seed}: {changed}");
                opened += u32::from(link.scenario != scenario);
            }
        }
    }
    assert!(10_000 < tried);
    // A tilde put into a readable link makes what stands before it a link written by hand, if nothing follows.
    assert!(opened < 5, "{opened} of {tried} changed links opened as something else");
}

#[test]
fn random_bytes_behind_a_right_beginning_are_no_panic() {
    let mut stream = Stream::new(11, 0, 0);
    for _ in 0..20_000 {
        let start = ["#1/", "#1.", "#1/hikey-schbench?", "#", ""][stream.below(5) as usize];
        let end = ["~", "", "~AAAA"][stream.below(3) as usize];
        let middle: String = (0..stream.below(40))
            .map(|_| {
                let bound = if stream.below(4) == 0 { 0xd7ff } else { 128 };
                char::from_u32(stream.below(bound)).unwrap()
            })
            .collect();
        let text = format!("{start}{middle}{end}");
        if let Err(LinkError::Invalid { problems }) = Link::decode(&text) {
            assert!(!problems.is_empty(), "{text}");
        }
    }
}

#[test]
fn files_with_anything_in_them_are_no_panic() {
    let mut stream = Stream::new(12, 0, 0);
    for (_, _, scenario) in scenarios().take(300) {
        let text: Vec<char> = scenario.to_json().chars().collect();
        for _ in 0..20 {
            let mut changed = text.clone();
            let position = stream.below(changed.len() as u32) as usize;
            let replacement = ['{', '}', '[', '"', '9', '-', 'e', ',', 'n', ' '][stream.below(10) as usize];
            changed[position] = replacement;
            match Scenario::from_json(&changed.into_iter().collect::<String>()) {
                Ok(scenario) => assert_eq!(validate(&scenario), []),
                Err(problems) => assert!(!problems.is_empty()),
            }
        }
    }
}
