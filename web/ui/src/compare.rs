//! What is compared: adding, naming and removing columns.

use scenario::keys::{Key, Kind};
use scenario::{MAX_COLUMNS, Scenario, validate};

/// What stands before the position of a column in the name by which the column is named anew.
pub(crate) const RENAME: &str = "rename.";
/// The longest name that is made by itself.
const LONGEST_NAME: usize = 28;

/// The scenario with one more column: a copy of another that differs in one key, in the first value beside the present
/// one that can be run. Nothing where there are too many columns, or no such column or key.
pub(crate) fn added(scenario: &Scenario, from: &str, key: &str) -> Option<Scenario> {
    let position = scenario.columns.iter().position(|column| column.name == from)?;
    let key = Key::find(key).ok().filter(|key| key.per_column)?;
    if MAX_COLUMNS <= scenario.columns.len() {
        return None;
    }
    let resolved = scenario.resolved(position);
    let value = key.get(&resolved)?;
    let name = free_name(scenario, from);
    // The last column is what the page is about, and stays so; one that is alone gets something to compare it with.
    let last = scenario.columns.len() - 1;
    let place = if last == 0 { 1 } else { (position + 1).min(last) };
    let with = |value: &str| {
        let mut column = scenario.columns[position].clone();
        column.name.clone_from(&name);
        column.set(&key.name, value).ok()?;
        let mut changed = scenario.clone();
        changed.columns.insert(place, column);
        validate(&changed).is_empty().then_some(changed)
    };
    others(key, &value).iter().chain([&value]).find_map(|value| with(value))
}

/// Values beside the present one: those after it first.
fn others(key: &Key, value: &str) -> Vec<String> {
    match &key.kind {
        Kind::Flag => vec![if value == "on" { "off" } else { "on" }.to_owned()],
        Kind::Choice(choices) => {
            let present = choices.iter().position(|choice| choice.value == value).unwrap_or(0);
            let (before, after) = choices.split_at(present);
            after.iter().skip(1).chain(before).map(|choice| choice.value.to_owned()).collect()
        }
        Kind::Integer(integer) => {
            let number = value.parse().unwrap_or(integer.usual.0);
            let (up, down) = (number.saturating_add(integer.step), number.saturating_sub(integer.step));
            vec![up.to_string(), down.to_string()]
        }
        Kind::List(_) | Kind::Text { .. } => Vec::new(),
    }
}

/// A name that no column has yet, made from that of another.
fn free_name(scenario: &Scenario, from: &str) -> String {
    let stem = from.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let stem = if stem.is_empty() || LONGEST_NAME < stem.len() { "column" } else { stem };
    let names = (2..).map(|number| format!("{stem}-{number}"));
    let is_free = |name: &String| scenario.columns.iter().all(|column| column.name != *name);
    names.into_iter().find(is_free).unwrap_or_default()
}

/// The scenario without a column; nothing where it is the only one.
pub(crate) fn without(scenario: &Scenario, column: usize) -> Option<Scenario> {
    if scenario.columns.len() < 2 || scenario.columns.len() <= column {
        return None;
    }
    let mut changed = scenario.clone();
    changed.columns.remove(column);
    Some(changed)
}

/// The scenario where a column has no value of its own for a key; nothing where it cannot be run so.
pub(crate) fn unset(scenario: &Scenario, column: usize, key: &str) -> Option<Scenario> {
    let mut changed = scenario.clone();
    changed.columns.get_mut(column)?.unset(key);
    validate(&changed).is_empty().then_some(changed)
}

/// Names a column anew if the key is one by which that is done; whether the name is a good one is for validation.
pub(crate) fn renamed(scenario: &mut Scenario, key: &str, name: &str) -> bool {
    let position = key.strip_prefix(RENAME).and_then(|position| position.parse::<usize>().ok());
    let Some(column) = position.and_then(|position| scenario.columns.get_mut(position)) else {
        return false;
    };
    name.clone_into(&mut column.name);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(scenario: &Scenario) -> Vec<&str> {
        scenario.columns.iter().map(|column| column.name.as_str()).collect()
    }

    fn preset(name: &str) -> Scenario {
        Scenario::from_preset(name).unwrap()
    }

    #[test]
    fn a_copy_differs_in_one_key_and_stands_before_the_last_column() {
        let scenario = preset("vm32-schbench");
        let changed = added(&scenario, "patched", "kernel.hz").unwrap();
        assert_eq!(names(&changed), ["base", "revert", "patched-2", "patched"]);
        assert_ne!(changed.resolved(2).kernel.hz, scenario.kernel.hz);
        assert_eq!(Scenario { columns: scenario.columns.clone(), ..changed.clone() }, scenario);
        let again = added(&changed, "patched-2", "kernel.newidle").unwrap();
        assert_eq!(names(&again), ["base", "revert", "patched-2", "patched-3", "patched"]);
        assert!(!again.resolved(3).kernel.newidle && again.resolved(2).kernel.newidle);
    }

    #[test]
    fn a_copy_of_the_only_column_is_compared_with_it() {
        let mut scenario = preset("hikey-schbench");
        scenario.columns.truncate(1);
        assert_eq!(names(&added(&scenario, "base", "patches.llc-spread").unwrap()), ["base", "base-2"]);
    }

    #[test]
    fn there_are_never_too_many_columns_or_none() {
        let mut scenario = preset("hikey-schbench");
        while let Some(more) = added(&scenario, "base", "kernel.hz") {
            scenario = more;
        }
        assert_eq!(scenario.columns.len(), MAX_COLUMNS);
        assert!(validate(&scenario).is_empty());
        while let Some(fewer) = without(&scenario, 0) {
            scenario = fewer;
        }
        assert_eq!(names(&scenario), ["patched"]);
        assert_eq!(added(&scenario, "base", "kernel.hz"), None, "it is gone");
        assert_eq!(added(&scenario, "patched", "seed"), None, "all columns share the seed");
    }

    #[test]
    fn links_carry_columns_that_were_added_and_named() {
        let mut scenario = added(&preset("vm32-schbench"), "base", "kernel.hz").unwrap();
        assert!(renamed(&mut scenario, "rename.1", "slow_ticks"));
        let link = crate::link::encode(&scenario);
        let Some(Ok((back, _))) = crate::link::decode(&link) else { panic!("{link}") };
        assert_eq!(names(&back), ["base", "slow_ticks", "revert", "patched"]);
        assert_eq!(back, scenario);
        assert!(!renamed(&mut scenario, "kernel.hz", "x") && !renamed(&mut scenario, "rename.9", "x"));
    }

    #[test]
    fn a_value_of_its_own_can_be_given_up() {
        let scenario = added(&preset("vm32-schbench"), "base", "kernel.hz").unwrap();
        let changed = unset(&scenario, 1, "kernel.hz").unwrap();
        assert_eq!(changed.resolved(1).kernel.hz, scenario.kernel.hz);
        assert_eq!(changed.columns[1].get("kernel.hz"), None);
    }
}
