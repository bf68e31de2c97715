//! The page must have words for everything that a worker can say.

use protocol::StepView;
use trace::explain::Check;

#[test]
fn every_check_is_in_the_vocabulary_of_the_protocol() {
    assert_eq!(Check::ALL.map(Check::key), StepView::CHECKS);
    let position = Check::ALL.map(|check| check as usize);
    assert!(position.iter().copied().eq(0..=Check::RtPriority as usize), "each once, up to the last one");
}
