//! Decisions taken apart: the first refusal of the base balancer, and that explaining changes nothing.

use std::collections::BTreeSet;

use rules::balance::by_load::Verdict;
use scenario::{Scenario, Setup};
use sim::{CpuId, Nanos};
use topology::Topology;
use trace::EventKind;
use trace::explain::{About, Check, Explanation, Outcome};
use workload::mix::{self, Group, Pattern};
use workload::{Policy, WorkloadSpec, execl};

use crate::{Engine, Options, RunState};

fn setup(column: usize) -> Setup {
    Scenario::from_preset("hikey-schbench").expect("the preset exists").setup(column)
}

/// The explanations of everything that was decided at the moment of the first event of a kind.
fn at_first(column: usize, kind: EventKind) -> Vec<Explanation> {
    let mut engine = Engine::new(&setup(column), Options { keep_events: true, ..Options::default() });
    engine.run_to_end();
    let first = engine.trace().events().iter().find(|event| event.kind == kind).expect("it happens");
    let mut again = Engine::new(&setup(column), Options::default());
    again.run(first.at.saturating_sub(Nanos(1)), u64::MAX);
    again.explain_decisions(true);
    again.run(first.at, u64::MAX);
    again.take_explanations()
}

#[test]
fn the_balancer_that_refuses_a_waiting_task_says_why() {
    let explanations = at_first(0, EventKind::UtilRefused);
    let refused = explanations
        .iter()
        .find(|explanation| explanation.steps.iter().any(|step| step.check == Check::Detach && !step.yes))
        .expect("the attempt is explained");
    assert!(matches!(refused.about, About::Balance { .. }));
    assert_eq!(refused.outcome, Outcome::Moved(0));
    let asked: Vec<Check> = refused.steps.iter().map(|step| step.check).collect();
    let order =
        [Check::ShouldBalance, Check::GroupStats, Check::BusiestGroup, Check::SourceQueue, Check::Detach];
    let positions: Vec<_> = order
        .iter()
        .map(|check| asked.iter().position(|asked| asked == check).expect("it is asked"))
        .collect();
    assert!(positions.is_sorted(), "{asked:?}");
    let hunk =
        refused.steps.iter().find(|step| step.check == Check::Hunk).expect("the patch edits this attempt");
    assert_eq!(hunk.values[1], ("differing_forms", 0b011), "merged and group_weight answer otherwise");
    let detach = refused.steps.iter().find(|step| step.check == Check::Detach).expect("it is asked");
    let value = |name: &str| detach.values.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    assert!(value("imbalance") < value("task_util_est"), "{detach:?}");
}

#[test]
fn a_placement_names_the_cpus_that_it_asked() {
    let explanations = at_first(0, EventKind::Placed);
    let placement = explanations
        .iter()
        .find(|explanation| explanation.about == About::Placement)
        .expect("it is explained");
    let asked = placement.steps.iter().filter(|step| step.check == Check::CpuIdle).count();
    assert!(0 < asked, "{placement:?}");
    assert!(matches!(placement.outcome, Outcome::Cpu(_)));
}

#[test]
fn explaining_changes_nothing() {
    for column in 0..3 {
        let mut plain = Engine::new(&setup(column), Options::default());
        plain.run_to_end();
        let mut explained = Engine::new(&setup(column), Options::default());
        explained.explain_decisions(true);
        assert_eq!(explained.run_to_end().state, RunState::Finished);
        assert_eq!(plain.trace_hash(), explained.trace_hash());
        assert_eq!(plain.state_hash(), explained.state_hash());
        assert!(100 < explained.take_explanations().len());
    }
}

#[test]
fn a_balancer_by_load_says_what_it_compared_and_why_it_moved_nothing() {
    let seen = verdicts(&setup(1));
    for verdict in [Verdict::NobodyBusy, Verdict::LocalIsBusier, Verdict::WithinThreshold, Verdict::Forced] {
        assert!(seen.contains(&(verdict as i64)), "{verdict:?} among {seen:?}");
    }
    // Five busy threads under one cache: idle CPUs look at CPUs with one task, of which none has an idle one more.
    let mut hogs = Scenario::from_preset("llc8-schbench").expect("the preset exists");
    hogs.columns.truncate(1);
    for (key, value) in [("kernel.era", "v5.4"), ("workload.kind", "hogs"), ("workload.nice", "5x0")] {
        hogs.set(key, value).expect("the key takes this value");
    }
    let hogs = Setup { until: Nanos::from_secs(1), ..hogs.setup(0) };
    assert!(verdicts(&hogs).contains(&(Verdict::IdleCpusAlike as i64)));
}

/// Why the attempts of a run by load went on or not; each has said what it compared.
fn verdicts(setup: &Setup) -> BTreeSet<i64> {
    let mut engine = Engine::new(setup, Options::default());
    engine.explain_decisions(true);
    engine.run_to_end();
    let explanations = engine.take_explanations();
    let attempts =
        explanations.iter().filter(|explanation| matches!(explanation.about, About::Balance { .. }));
    let mut seen = BTreeSet::new();
    for attempt in attempts {
        let value = |step: &trace::explain::Step, name: &str| {
            step.values.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
        };
        let Some(found) = attempt.steps.iter().find(|step| step.check == Check::BusiestGroup) else {
            assert!(attempt.steps.iter().any(|step| step.check == Check::ShouldBalance && !step.yes));
            continue;
        };
        let groups: Vec<_> = attempt.steps.iter().filter(|step| step.check == Check::GroupStats).collect();
        assert!(1 < groups.len() && groups.iter().all(|group| value(group, "avg_load").is_some()));
        assert_eq!(groups.iter().filter(|group| group.yes).count(), 1, "one is its own");
        let verdict = value(found, "verdict").expect("it says why");
        let goes_on = Verdict::Forced as i64 <= verdict;
        assert!(goes_on || !found.yes, "{attempt:?}");
        assert!(found.yes || attempt.outcome == Outcome::Moved(0), "{attempt:?}");
        seen.insert(verdict);
    }
    seen
}

/// Every answer about a CPU between flag and queue, with the answer that the idle search got there.
fn answers_in_the_window(column: usize) -> Vec<(bool, bool)> {
    let mut setup = Scenario::from_preset("vm32-schbench").expect("the preset exists").setup(column);
    setup.until = Nanos::from_secs(3);
    let mut engine = Engine::new(&setup, Options::default());
    engine.explain_decisions(true);
    engine.run_to_end();
    let explanations = engine.take_explanations();
    let placements = explanations.iter().filter(|explanation| explanation.about == About::Placement);
    let pairs = placements.flat_map(|placement| placement.steps.windows(2));
    pairs
        .filter(|pair| pair[1].check == Check::Hunk)
        .map(|pair| {
            assert_eq!(pair[0].check, Check::CpuIdle, "{pair:?}");
            (pair[0].yes, pair[1].yes)
        })
        .collect()
}

#[test]
fn a_cpu_between_flag_and_queue_is_shown_with_both_answers() {
    let base = answers_in_the_window(0);
    assert!(!base.is_empty(), "wake-ups race");
    assert!(base.iter().all(|answers| *answers == (true, false)), "idle, and no patch is in force");
    let patched = answers_in_the_window(2);
    assert!(!patched.is_empty(), "the window is there all the same");
    assert!(patched.iter().all(|answers| *answers == (false, true)), "busy, which the patch changed");
}

#[test]
fn every_placement_and_birth_in_the_log_is_explained() {
    let mut setup = setup(0);
    setup.until = Nanos::from_millis(1_500);
    let mut engine = Engine::new(&setup, Options { keep_events: true, ..Options::default() });
    // The threads that start at boot do so at once.
    engine.explain_decisions(true);
    engine.run_to_end();
    let explained: Vec<_> = engine
        .take_explanations()
        .into_iter()
        .filter(|explanation| matches!(explanation.about, About::Placement | About::Birth))
        .map(|explanation| (explanation.at, explanation.task, explanation.outcome))
        .collect();
    let placed: Vec<_> = engine
        .trace()
        .events()
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Placed | EventKind::Fork))
        .map(|event| (event.at, Some(event.task), Outcome::Cpu(event.cpu)))
        .collect();
    assert!(10 < placed.len());
    assert_eq!(explained, placed);
}

/// The checks behind every start of a run on eight CPUs under two caches.
fn births(workload: WorkloadSpec) -> Vec<Explanation> {
    let topology = Topology::regular(1, 2, 4, 1);
    let setup = Setup { topology, workload, until: Nanos::from_millis(50), ..setup(0) };
    let mut engine = Engine::new(&setup, Options::default());
    engine.explain_decisions(true);
    engine.run_to_end();
    let explanations = engine.take_explanations();
    explanations.into_iter().filter(|explanation| explanation.about == About::Birth).collect()
}

fn checks(explanation: &Explanation) -> Vec<Check> {
    explanation.steps.iter().map(|step| step.check).collect()
}

#[test]
fn a_start_says_what_its_class_and_its_affinity_ask() {
    let hog = || Group::new(1, Pattern::Hog);
    let groups = vec![
        Group { allowed: Some(vec![CpuId(6)]), ..hog() },
        Group { allowed: Some(vec![CpuId(5), CpuId(7)]), ..hog() },
        Group { policy: Policy::Fifo(5), ..hog() },
    ];
    let births = births(WorkloadSpec::Mix(mix::Spec { groups }));
    let [pinned, bound, real_time] = &births[..] else { panic!("{births:?}") };
    assert_eq!(checks(pinned), [Check::AllowedCpus], "one CPU leaves nothing else to ask");
    assert!(pinned.steps[0].yes && pinned.steps[0].cpu == Some(CpuId(6)), "{pinned:?}");
    assert_eq!(pinned.outcome, Outcome::Cpu(CpuId(6)));
    // It starts from CPU 0, whose group it may not use: only the other one is compared, and no local one.
    let compared: Vec<_> = bound.steps.iter().filter(|step| step.check == Check::StartGroup).collect();
    assert_eq!((compared[0].yes, compared[0].cpu), (false, Some(CpuId(4))));
    let verdict = bound.steps.iter().find(|step| step.check == Check::IdlestGroup).expect("it is asked");
    assert!(verdict.yes && verdict.values.iter().all(|(name, _)| !name.starts_with("this_")), "{verdict:?}");
    assert!([Outcome::Cpu(CpuId(5)), Outcome::Cpu(CpuId(7))].contains(&bound.outcome), "{bound:?}");
    assert!(checks(real_time).contains(&Check::RtConflict), "{real_time:?}");
    assert!(!checks(real_time).contains(&Check::StartDomain), "its class has its own search");
}

#[test]
fn a_program_that_executes_another_is_taken_apart_like_a_fork() {
    let births = births(WorkloadSpec::Execl(execl::Spec { copies: 2 }));
    assert!(2 < births.len(), "programs are executed after the copies have started");
    for birth in &births {
        let asked = checks(birth);
        let count = |check| asked.iter().filter(|asked| **asked == check).count();
        assert!(0 < count(Check::StartDomain), "{birth:?}");
        assert_eq!(count(Check::IdlestGroup), count(Check::StartDomain), "{birth:?}");
    }
}
