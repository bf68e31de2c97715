use std::fmt;

use super::{Kind, List};
use crate::problem::{nearest, one_of};

/// A value of a key, whatever its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Integer(u64),
    /// What the kernel sets for the machine.
    Automatic,
    Choice(&'static str),
    Flag(bool),
    /// Numbers with how often each comes; neighbours differ and no count is 0.
    List(Vec<(i64, u32)>),
    Text(String),
}

/// What a value that the kernel chooses is written as.
const AUTOMATIC: &str = "auto";

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(number) => write!(f, "{number}"),
            Value::Automatic => f.write_str(AUTOMATIC),
            Value::Choice(word) => f.write_str(word),
            Value::Flag(on) => f.write_str(if *on { "on" } else { "off" }),
            Value::List(runs) => {
                for (position, (number, count)) in runs.iter().enumerate() {
                    let comma = if position == 0 { "" } else { "," };
                    match count {
                        1 => write!(f, "{comma}{number}")?,
                        _ => write!(f, "{comma}{count}x{number}")?,
                    }
                }
                Ok(())
            }
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl Value {
    /// A list from its numbers.
    pub(crate) fn list(numbers: impl IntoIterator<Item = (i64, u32)>) -> Value {
        let mut runs: Vec<(i64, u32)> = Vec::new();
        for (number, count) in numbers {
            match runs.last_mut() {
                _ if count == 0 => {}
                Some((last, last_count)) if *last == number => *last_count = last_count.saturating_add(count),
                _ => runs.push((number, count)),
            }
        }
        Value::List(runs)
    }
}

impl Kind {
    /// Reads a value, which may still lie outside the range.
    pub(super) fn parse(&self, text: &str) -> Option<Value> {
        match self {
            Kind::Integer(integer) if integer.automatic && text == AUTOMATIC => Some(Value::Automatic),
            Kind::Integer(_) => parse_digits(text).map(Value::Integer),
            Kind::Choice(choices) => {
                // A patch is `on` in its first form, which stands behind `off`.
                let wanted = if text == "on" && choices[0].value == "off" { choices[1].value } else { text };
                choices.iter().find(|choice| choice.value == wanted).map(|choice| Value::Choice(choice.value))
            }
            Kind::Flag => match text {
                "on" | "true" => Some(Value::Flag(true)),
                "off" | "false" => Some(Value::Flag(false)),
                _ => None,
            },
            Kind::List(_) => parse_list(text),
            Kind::Text { .. } => Some(Value::Text(text.to_owned())),
        }
    }

    /// Whether a value lies in the range.
    pub(super) fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Integer(integer), Value::Integer(number)) => {
                integer.min <= *number && *number <= integer.max
            }
            (Kind::Integer(integer), Value::Automatic) => integer.automatic,
            (Kind::Choice(choices), Value::Choice(_) | Value::Integer(_)) => {
                let word = value.to_string();
                choices.iter().any(|choice| choice.value == word)
            }
            (Kind::Flag, Value::Flag(_)) => true,
            (Kind::List(list), Value::List(runs)) => list.allows(runs),
            (Kind::Text { longest }, Value::Text(text)) => {
                text.chars().count() <= *longest && !text.contains(char::is_control)
            }
            _ => false,
        }
    }

    /// What would be right.
    pub(super) fn describe(&self, unit: &str) -> String {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        match self {
            Kind::Integer(integer) => {
                let automatic = if integer.automatic { ", or auto" } else { "" };
                format!("a whole number from {} to {}{unit}{automatic}", integer.min, integer.max)
            }
            Kind::Choice(choices) => one_of(&choices.iter().map(|choice| choice.value).collect::<Vec<_>>()),
            Kind::Flag => "on or off".to_owned(),
            Kind::List(list) => format!(
                "{} to {} whole numbers from {} to {} with commas between them",
                u32::from(!list.may_be_empty),
                list.longest,
                list.min,
                list.max
            ),
            Kind::Text { longest } => format!("one line of at most {longest} characters"),
        }
    }

    /// What to do about a text that is wrong.
    pub(super) fn remedy(&self, text: &str) -> String {
        match self {
            Kind::Integer(integer) => match parse_digits(text) {
                Some(number) if number < integer.min => format!("use {} or more", integer.min),
                Some(_) => format!("use {} or less", integer.max),
                None if text.starts_with('-') => format!("use {} or more", integer.min),
                None if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                    format!("use {} or less", integer.max)
                }
                None => format!("write digits only, for example {}", integer.usual.0),
            },
            Kind::Choice(choices) => {
                let values = choices.iter().map(|choice| choice.value);
                let near =
                    nearest_number(text, values.clone()).or_else(|| nearest(text, values).first().copied());
                format!("did you mean {}?", near.unwrap_or("another one"))
            }
            Kind::Flag => "write on or off".to_owned(),
            Kind::List(list) => format!("write for example {}x{}", list.longest.min(4), list.max),
            Kind::Text { .. } => "write it on one line and shorten it".to_owned(),
        }
    }
}

/// Reads `4x462,1024`.
fn parse_list(text: &str) -> Option<Value> {
    if text.is_empty() {
        return Some(Value::List(Vec::new()));
    }
    let mut runs = Vec::new();
    for piece in text.split(',') {
        let (count, number) = match piece.trim().split_once('x') {
            Some((count, number)) => (parse_digits(count)?.try_into().ok()?, number),
            None => (1, piece.trim()),
        };
        let (negative, digits) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
        let magnitude = i64::try_from(parse_digits(digits)?).ok()?;
        runs.push((if negative { -magnitude } else { magnitude }, count));
    }
    // A count of 0 stands for a slip: nobody writes it to say nothing.
    if runs.iter().any(|(_, count)| *count == 0) { None } else { Some(Value::list(runs)) }
}

impl List {
    fn allows(self, runs: &[(i64, u32)]) -> bool {
        let length: u64 = runs.iter().map(|(_, count)| u64::from(*count)).sum();
        let in_range = |(number, _): &(i64, u32)| self.min <= *number && *number <= self.max;
        length <= u64::from(self.longest) && (self.may_be_empty || 0 < length) && runs.iter().all(in_range)
    }
}

/// The number that is nearest to a number, where all candidates are numbers.
fn nearest_number<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = parse_digits(text)?;
    let numbers: Option<Vec<(u64, &str)>> =
        candidates.map(|candidate| Some((parse_digits(candidate)?.abs_diff(wanted), candidate))).collect();
    numbers?.into_iter().min().map(|(_, candidate)| candidate)
}

/// A number of digits alone: no sign, no blanks, no exponent.
fn parse_digits(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) { None } else { text.parse().ok() }
}
