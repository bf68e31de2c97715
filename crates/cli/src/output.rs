//! The JSON documents, and the way to standard output.

use std::io::Write;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use session::{ENGINE_VERSION, Metric};

/// Writes text to standard output. A closed pipe is an error like any other, which the caller passes on.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Writes one JSON document and a newline.
pub(crate) fn print_json(document: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    print(&text)
}

/// What is said of the columns of a scenario.
#[derive(Debug, Serialize)]
pub(crate) struct Document<'a, Column> {
    preset: &'a str,
    engine_version: &'static str,
    columns: Vec<Column>,
}

impl<'a, Column> Document<'a, Column> {
    pub(crate) fn new(scenario: &'a str, columns: impl Iterator<Item = Column>) -> Document<'a, Column> {
        Document { preset: scenario, engine_version: ENGINE_VERSION, columns: columns.collect() }
    }
}

/// Figures as an object from key to number, in their order; whole numbers without a fraction.
#[derive(Debug)]
pub(crate) struct MetricsObject<'a>(pub(crate) &'a [Metric]);

impl Serialize for MetricsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.0.len()))?;
        for metric in self.0 {
            match as_whole(metric.value) {
                Some(whole) => object.serialize_entry(&metric.info.key, &whole)?,
                None => object.serialize_entry(&metric.info.key, &metric.value)?,
            }
        }
        object.end()
    }
}

/// The number as an integer where it is one that every reader of JSON keeps exactly.
fn as_whole(value: f64) -> Option<i64> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = value as i64;
    let exact = value.abs() <= LARGEST_EXACT && (whole as f64).to_bits() == value.to_bits();
    exact.then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_fraction() {
        assert_eq!(as_whole(14_288.0), Some(14_288));
        assert_eq!(as_whole(-3.0), Some(-3));
        assert_eq!(as_whole(0.25), None);
        assert_eq!(as_whole(1e300), None);
        assert_eq!(as_whole(f64::NAN), None);
    }
}
