//! Random scenarios for tests, the same ones every time.

use scenario::keys::{KEYS, Key, Kind};
use scenario::{Column, Preset, Scenario, validate};
use sim::Stream;

/// A valid scenario, whatever the stream brings.
pub(crate) fn random_scenario(stream: &mut Stream) -> Scenario {
    let presets = Preset::all();
    let mut scenario = match stream.below(presets.len() as u32 * 2) as usize {
        chosen if chosen < presets.len() => presets[chosen].scenario.clone(),
        _ => Scenario::default(),
    };
    for _ in 0..stream.below(12) {
        let changed = change_one(stream, &scenario);
        // Some changes do not fit what is there: too many CPUs, an era that cannot be run.
        if validate(&changed).is_empty() {
            scenario = changed;
        }
    }
    if stream.below(4) == 0 {
        scenario.preset = String::new();
    }
    scenario
}

fn change_one(stream: &mut Stream, scenario: &Scenario) -> Scenario {
    let mut changed = scenario.clone();
    let key = &KEYS[stream.below(KEYS.len() as u32) as usize];
    let value = random_value(stream, key);
    match stream.below(8) {
        0 if changed.columns.len() < 8 => {
            let mut column = Column::named(&format!("extra-{}", stream.below(50)));
            let _ = column.set(&key.name, &value);
            changed.columns.push(column);
        }
        1 => {
            changed.columns.remove(stream.below(changed.columns.len() as u32) as usize);
        }
        2 => {
            let position = stream.below(changed.columns.len() as u32) as usize;
            changed.columns[position].unset(&key.name);
        }
        3 | 4 => {
            let position = stream.below(changed.columns.len() as u32) as usize;
            let _ = changed.columns[position].set(&key.name, &value);
        }
        _ => {
            let _ = key.set(&mut changed, &value);
        }
    }
    changed
}

fn random_value(stream: &mut Stream, key: &Key) -> String {
    match &key.kind {
        Kind::Integer(integer) if integer.automatic && stream.below(3) == 0 => "auto".to_owned(),
        Kind::Integer(integer) => {
            let (min, max) = if stream.below(3) == 0 { (integer.min, integer.max) } else { integer.usual };
            let wide = u64::from(stream.next_u32()) << 32 | u64::from(stream.next_u32());
            (min + wide % (max - min + 1)).to_string()
        }
        Kind::Choice(choices) => choices[stream.below(choices.len() as u32) as usize].value.to_owned(),
        Kind::Flag => if stream.below(2) == 0 { "on" } else { "off" }.to_owned(),
        Kind::List(list) => {
            let number = |stream: &mut Stream| {
                let span = (list.max - list.min + 1) as u32;
                format!("{}x{}", 1 + stream.below(8), list.min + i64::from(stream.below(span)))
            };
            (0..=stream.below(4)).map(|_| number(stream)).collect::<Vec<_>>().join(",")
        }
        Kind::Text { longest } => random_text(stream, *longest as u32),
    }
}

/// Text of letters, of what a link escapes, and of letters outside ASCII.
pub(crate) fn random_text(stream: &mut Stream, longest: u32) -> String {
    const LETTERS: &[char] =
        &['a', 'Z', '7', ' ', '~', '%', '&', '=', '#', '?', '+', '"', '\'', 'ü', '→', '🐧', ',', ':', '.'];
    let length = stream.below(longest.min(24) + 1);
    (0..length).map(|_| LETTERS[stream.below(LETTERS.len() as u32) as usize]).collect()
}
