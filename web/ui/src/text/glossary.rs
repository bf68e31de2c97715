//! Which words of the page the glossary explains, and by which of its terms.

use super::TERMS;

/// Where a term is opened for those who do not see that a word can be opened.
pub(crate) const EXPLAINED: &str = "what this means";

/// Words as they stand on the page or in the kernel, and the term that explains them.
const NAMES: [(&str, &str); 24] = [
    ("vruntime", "vruntime"),
    ("min_vruntime", "vruntime"),
    ("Waiting, vruntime", "vruntime"),
    ("util_avg", "utilisation (util_avg)"),
    ("util", "utilisation (util_avg)"),
    ("group_util", "utilisation (util_avg)"),
    ("Utilisation", "utilisation (util_avg)"),
    ("util_est", "util_est"),
    ("load_avg", "load (load_avg)"),
    ("load", "load (load_avg)"),
    ("group_load", "load (load_avg)"),
    ("Load", "load (load_avg)"),
    ("nr_running", "run queue (nr_running)"),
    ("sum_nr_running", "run queue (nr_running)"),
    ("Run queues", "run queue (nr_running)"),
    ("group_type", "group type"),
    ("Type", "group type"),
    ("imbalance", "imbalance"),
    ("migration_type", "imbalance"),
    ("nr_balance_failed", "active balance"),
    ("gran", "wake-up granularity"),
    (super::RUN_DELAY, "run delay"),
    (super::BESIDE_IDLE, "work conservation"),
    (super::BALANCE_SCORE, "load-balance score"),
];

/// The place in the glossary of the term that explains a word, if one does.
pub(crate) fn term_of(word: &str) -> Option<usize> {
    let (_, term) = NAMES.iter().find(|(name, _)| *name == word)?;
    TERMS.iter().position(|(known, _)| known == term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_can_be_opened_has_its_term() {
        for (name, term) in NAMES {
            let place = term_of(name).unwrap_or_else(|| panic!("{name} has no term {term}"));
            assert_eq!(TERMS[place].0, term);
        }
        assert_eq!(term_of("wrk-0-1"), None);
    }
}
