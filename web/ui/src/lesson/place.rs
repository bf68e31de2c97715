//! Where a reader is, as the address has it: `lesson/ID/SCREEN?variant=SEED`.

use scenario::MAX_SEED;

/// What such an address begins with. Scenarios' links begin with the number of their version.
const LESSON: &str = "lesson";
/// The name of the seed of questions.
const VARIANT: &str = "variant";

/// A screen of a lesson, or the list of lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The lesson; empty for the list.
    pub(crate) id: String,
    /// The screen, from 0.
    pub(crate) screen: usize,
    /// The seed of questions, where the reader has given one.
    pub(crate) variant: Option<u64>,
}

impl Place {
    /// The first screen of a lesson, or the list where the name is empty.
    pub(crate) fn new(id: &str) -> Place {
        Place { id: id.to_owned(), ..Place::default() }
    }

    /// The place of a fragment; none where it is that of a scenario, or empty.
    pub(crate) fn read(fragment: &str) -> Option<Place> {
        let (path, query) = fragment.split_once('?').unwrap_or((fragment, ""));
        let mut parts = path.split('/');
        if parts.next() != Some(LESSON) {
            return None;
        }
        let id = parts.next().unwrap_or_default().to_owned();
        // A screen that there is not is brought to the nearest one as soon as the lesson is known.
        let screen = parts.next().and_then(|screen| screen.parse::<usize>().ok()).unwrap_or(1).max(1) - 1;
        let variant = query.split('&').find_map(|pair| pair.strip_prefix(VARIANT)?.strip_prefix('='));
        Some(Place { id, screen, variant: variant.and_then(read_variant) })
    }

    /// The fragment of this place, without its `#`.
    pub(crate) fn fragment(&self) -> String {
        if self.id.is_empty() {
            return LESSON.to_owned();
        }
        let place = format!("{LESSON}/{}/{}", self.id, self.screen + 1);
        match self.variant {
            None => place,
            Some(variant) => format!("{place}?{VARIANT}={variant}"),
        }
    }

    /// Another screen of the same lesson.
    pub(crate) fn at(&self, screen: usize) -> Place {
        Place { screen, ..self.clone() }
    }
}

/// A number that a reader has typed, if it can be a seed.
pub(crate) fn read_variant(text: &str) -> Option<u64> {
    text.trim().parse::<u64>().ok().filter(|seed| (1..=MAX_SEED).contains(seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written() {
        let places = [
            Place::default(),
            Place::new("llc-spread"),
            Place { screen: 4, variant: Some(20_250_017), ..Place::new("llc-spread") },
        ];
        for place in places {
            assert_eq!(Place::read(&place.fragment()), Some(place.clone()), "{place:?}");
        }
        let fragment = Place { screen: 2, variant: Some(17), ..Place::new("llc-spread") }.fragment();
        assert_eq!(fragment, "lesson/llc-spread/3?variant=17");
    }

    #[test]
    fn links_of_scenarios_are_no_places() {
        for fragment in ["", "1/hikey-schbench~aaaa", "1.AAAA~aaaa", "lessons", "top"] {
            assert_eq!(Place::read(fragment), None, "{fragment}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_the_first_screen_and_no_variant() {
        let first = Some(Place::new("x"));
        for fragment in
            ["lesson/x", "lesson/x/0", "lesson/x/many", "lesson/x/1?variant=me", "lesson/x/1?variant=0"]
        {
            assert_eq!(Place::read(fragment), first, "{fragment}");
        }
    }
}
