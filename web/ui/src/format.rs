//! Numbers as the page writes them: three significant digits, a narrow no-break space before the unit.
//!
//! Coordinates and figures go through integer arithmetic, so that the page does not carry the float printer and a
//! picture is the same text on every machine.

/// The space between a number and its unit, and between groups of digits.
pub(crate) const THIN: char = '\u{202f}';

/// A number and its unit, apart, so that a headline can set them in different sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    /// The digits.
    pub(crate) number: String,
    /// The unit's symbol.
    pub(crate) unit: &'static str,
}

impl Quantity {
    /// Number and unit as one word that does not break.
    pub(crate) fn text(&self) -> String {
        format!("{}{THIN}{}", self.number, self.unit)
    }
}

/// A latency given in microseconds, in the largest unit that leaves at least one whole digit.
pub(crate) fn micros(us: f64) -> Quantity {
    let us = if us.is_finite() && 0.0 < us { us } else { 0.0 };
    // What rounds up to the next unit is written in it.
    if us < 999.5 {
        Quantity { number: significant(us), unit: "µs" }
    } else if us < 999_500.0 {
        Quantity { number: significant(us / 1e3), unit: "ms" }
    } else {
        Quantity { number: significant(us / 1e6), unit: "s" }
    }
}

/// The size of a file.
pub(crate) fn bytes(count: u64) -> String {
    let count = count as f64;
    let (number, unit) = match count {
        small if small < 999.5 => (small, "B"),
        middle if middle < 999_500.0 => (middle / 1e3, "kB"),
        big => (big / 1e6, "MB"),
    };
    format!("{}{THIN}{unit}", significant(number))
}

/// How often a second something happens.
pub(crate) fn rate(per_second: f64) -> Quantity {
    let per_second = if per_second.is_finite() && 0.0 < per_second { per_second } else { 0.0 };
    if per_second < 999.5 {
        Quantity { number: significant(per_second), unit: "/s" }
    } else if per_second < 999_500.0 {
        Quantity { number: significant(per_second / 1e3), unit: "k/s" }
    } else {
        Quantity { number: significant(per_second / 1e6), unit: "M/s" }
    }
}

/// A number of per cent, without a sign.
pub(crate) fn percents(value: f64) -> String {
    let value = value.abs();
    format!("{}{THIN}%", trimmed(fixed(value, if value < 0.995 { 2 } else { 1 })))
}

/// A change in per cent, with its sign.
pub(crate) fn signed_percent(value: f64) -> String {
    let words = percents(value);
    if words.starts_with("0\u{202f}") {
        words
    } else {
        format!("{}{words}", if value < 0.0 { '−' } else { '+' })
    }
}

/// A span of nanoseconds as a latency.
pub(crate) fn nanos(ns: f64) -> Quantity {
    let ns = if ns.is_finite() && 0.0 < ns { ns } else { 0.0 };
    if ns < 999.5 { Quantity { number: significant(ns), unit: "ns" } } else { micros(ns / 1e3) }
}

/// Three significant digits, without trailing zeros after the point.
pub(crate) fn significant(value: f64) -> String {
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    trimmed(fixed(value, decimals))
}

/// A number rounded to `decimals` places, at most 3.
pub(crate) fn fixed(value: f64, decimals: u32) -> String {
    let scale = 10_i64.pow(decimals.min(3));
    let scaled = (value * scale as f64).round() as i64;
    let sign = if scaled < 0 { "-" } else { "" };
    let (whole, part) = (scaled.abs() / scale, scaled.abs() % scale);
    if decimals == 0 {
        return format!("{sign}{whole}");
    }
    format!("{sign}{whole}.{part:0width$}", width = decimals.min(3) as usize)
}

fn trimmed(number: String) -> String {
    if !number.contains('.') {
        return number;
    }
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A coordinate: one decimal, no trailing zero.
pub(crate) fn coordinate(value: f64) -> String {
    trimmed(fixed(value, 1))
}

/// A whole number with its digits in groups of three from ten thousand on.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::with_capacity(digits.len() + 4);
    for (position, digit) in digits.chars().enumerate() {
        if 0 < position && (digits.len() - position).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    out
}

/// A moment of the run in seconds, to as many decimals as a view of `span_ns` can tell apart.
pub(crate) fn moment(at_ns: f64, span_ns: f64) -> String {
    let decimals = match span_ns {
        span if span < 1e6 => 7,
        span if span < 1e7 => 6,
        span if span < 1e8 => 5,
        span if span < 1e9 => 4,
        span if span < 5e9 => 3,
        _ => 2,
    };
    format!("{}{THIN}s", seconds(at_ns, decimals))
}

/// Nanoseconds as seconds with 0 to 9 decimals, rounded down so that a moment never shows before it came.
pub(crate) fn seconds(at_ns: f64, decimals: usize) -> String {
    let at = at_ns.max(0.0) as u64;
    let (whole, part) = (at / 1_000_000_000, at % 1_000_000_000);
    if decimals == 0 {
        return whole.to_string();
    }
    let digits = format!("{part:09}");
    format!("{whole}.{}", &digits[..decimals.min(9)])
}

/// How many times `larger` is `smaller`, as a reader would say it.
pub(crate) fn factor(larger: f64, smaller: f64) -> String {
    if smaller <= 0.0 {
        return "∞".to_owned();
    }
    significant(larger / smaller)
}

/// A share as percent with at most one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{}{THIN}%", trimmed(fixed(share * 100.0, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: String) -> String {
        text.replace(THIN, " ")
    }

    #[test]
    fn latencies_keep_three_digits_and_change_unit_where_they_round_up() {
        let written: Vec<String> =
            [0.0, 7.0, 83.0, 94.4, 999.4, 999.6, 1062.0, 4152.0, 14_288.0, 999_499.0, 999_600.0]
                .map(|us| plain(micros(us).text()))
                .to_vec();
        let expected = [
            "0 µs", "7 µs", "83 µs", "94.4 µs", "999 µs", "1 ms", "1.06 ms", "4.15 ms", "14.3 ms", "999 ms",
            "1 s",
        ];
        assert_eq!(written, expected);
    }

    #[test]
    fn spans_below_a_microsecond_are_in_nanoseconds() {
        assert_eq!(plain(nanos(250.0).text()), "250 ns");
        assert_eq!(plain(nanos(10_500.0).text()), "10.5 µs");
    }

    #[test]
    fn nonsense_is_written_as_nothing_rather_than_as_nan() {
        assert_eq!(plain(micros(f64::NAN).text()), "0 µs");
        assert_eq!(plain(micros(-4.0).text()), "0 µs");
    }

    #[test]
    fn coordinates_have_one_decimal_at_most() {
        assert_eq!(coordinate(12.0), "12");
        assert_eq!(coordinate(12.34), "12.3");
        assert_eq!(coordinate(-0.26), "-0.3");
        assert_eq!(coordinate(-0.01), "0");
    }

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!(count(1204), "1204");
        assert_eq!(plain(count(16_000)), "16 000");
        assert_eq!(plain(count(1_234_567)), "1 234 567");
    }

    #[test]
    fn moments_show_as_much_as_the_view_can_tell_apart() {
        assert_eq!(plain(moment(3_031_204_567.0, 1e10)), "3.03 s");
        assert_eq!(plain(moment(3_031_204_567.0, 3e7)), "3.03120 s");
        assert_eq!(plain(moment(3_031_204_567.0, 5e5)), "3.0312045 s");
    }

    #[test]
    fn factors_and_shares_read_as_words() {
        assert_eq!(factor(14_640.0, 83.0), "176");
        assert_eq!(factor(3.0, 2.0), "1.5");
        assert_eq!(factor(1.0, 0.0), "∞");
        assert_eq!(plain(percent(0.0625)), "6.3 %");
        assert_eq!(plain(percent(1.0)), "100 %");
    }
}
