//! Every state of the panel.

use std::rc::Rc;

use expect_test::expect_file;
use protocol::{CauseKind, CauseNext, CauseView, DecisionKind, DecisionPoint, TaskName};
use yew::Callback;

use super::super::fixtures::runs;
use super::super::tests::{check, html};
use super::{CausesView, causes_panel};
use crate::chain::{Chain, Subject};
use crate::inspection::Found;
use crate::text;
use crate::timeline::Kept;

const SUBJECT: Subject = Subject { column: 0, task: 2, at_ns: 2_037_000_000 };

fn panel(chain: Chain) -> yew::Html {
    let kept = runs().map(|run| Kept { worker: 0, summary: Rc::new(run) });
    causes_panel(&CausesView { chain, runs: Rc::new(kept.into()), orders: Callback::noop() })
}

fn begun() -> Chain {
    let mut chain = Chain::default();
    chain.begin(SUBJECT);
    chain
}

fn name(id: u32) -> TaskName {
    TaskName { id, name: format!("task-{id}") }
}

fn point(kind: DecisionKind, at_ns: u64) -> DecisionPoint {
    DecisionPoint { at_ns, kind, cpu: 2, task: Some(2) }
}

fn stacked() -> Found<Rc<CauseView>> {
    Found::This(Rc::new(CauseView {
        task: name(2),
        at_ns: SUBJECT.at_ns,
        cpu: 2,
        how: CauseKind::Stacked,
        decision: Some(point(DecisionKind::Placement, 2_030_000_000)),
        refusals: vec![point(DecisionKind::Balance, 2_031_000_000); 5],
        next: Some(CauseNext { task: name(3), at_ns: 2_030_000_000 }),
    }))
}

#[test]
fn causes_in_every_state() {
    let empty = html(panel(Chain::default()));
    assert!(empty.contains("data-state=\"empty\"") && empty.contains(text::CAUSES_HINT), "{empty}");
    let mut chain = begun();
    chain.ask();
    let loading = html(panel(chain.clone()));
    assert!(loading.contains("data-state=\"loading\"") && loading.contains(text::ASKING_CAUSE), "{loading}");
    chain.found(Found::Failed("the worker is gone".to_owned()));
    let error = html(panel(chain));
    assert!(error.contains("data-state=\"error\"") && error.contains("the worker is gone"), "{error}");
    let mut chain = begun();
    chain.found(stacked());
    chain.found(Found::This(Rc::new(CauseView {
        task: name(3),
        at_ns: 2_030_000_000,
        cpu: 2,
        how: CauseKind::BornHere,
        decision: None,
        refusals: Vec::new(),
        next: None,
    })));
    check(panel(chain.clone()), expect_file!["../../../snapshots/causes_full.html"]);
    chain.ask();
    assert!(html(panel(chain)).contains("data-state=\"stale\""), "what was found stays while more is asked");
}

#[test]
fn only_a_few_refusals_can_be_opened_but_all_are_counted() {
    let mut chain = begun();
    chain.found(stacked());
    let shown = html(panel(chain));
    assert_eq!(shown.matches("Open the refusal").count(), 3);
    assert!(shown.contains("looked at it 5 times and left it there"), "{shown}");
}
