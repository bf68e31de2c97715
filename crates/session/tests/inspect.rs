//! What the inspector asks: decisions taken apart, the way from one to the next, and from a wait to its cause.

use protocol::{
    Answer, AnswerBody, CauseKind, CauseView, DecisionFilter, DecisionKind, DecisionPoint, DecisionView,
    Explained, FactsAbout, OutcomeView, PlannedColumn, Request, RequestBody, RunKey, RunOptions, StepView,
    TaskState,
};
use scenario::Scenario;
use session::Session;

const RUN: RunKey = RunKey(3);
const ANY: DecisionFilter = DecisionFilter { cpu: None, task: None, kind: None };
const BALANCE: DecisionFilter = DecisionFilter { kind: Some(DecisionKind::Balance), ..ANY };

fn session(preset: &str, column: usize, settings: &[(&str, &str)]) -> Session {
    let mut scenario = Scenario::from_preset(preset).unwrap();
    for (key, value) in settings {
        scenario.set(key, value).unwrap();
    }
    session_of(&scenario, column)
}

fn session_of(scenario: &Scenario, column: usize) -> Session {
    let column = Box::new(PlannedColumn::new(scenario, column));
    let options = RunOptions { keep_trace: true, audit_hunks: false };
    let mut session = Session::new();
    session.handle(Request { id: 1, body: RequestBody::Run { column, run: RUN, options } });
    while session.has_work() {
        session.work(&|| 0.0, 1.0);
    }
    session
}

fn ask(session: &mut Session, body: RequestBody) -> AnswerBody {
    let mut answers: Vec<Answer> = session.handle(Request { id: 2, body });
    assert_eq!(answers.len(), 1);
    answers.remove(0).body
}

fn explain(session: &mut Session, at_ns: u64, filter: DecisionFilter) -> Explained {
    match ask(session, RequestBody::Explain { run: RUN, at_ns, filter }) {
        AnswerBody::Explained(explained) => explained,
        other => panic!("{other:?}"),
    }
}

fn step(session: &mut Session, from_ns: u64, forward: bool, filter: DecisionFilter) -> Option<DecisionPoint> {
    match ask(session, RequestBody::NextDecision { run: RUN, from_ns, forward, filter }) {
        AnswerBody::Decision(point) => point,
        other => panic!("{other:?}"),
    }
}

fn cause(session: &mut Session, task: u32, at_ns: u64) -> Option<CauseView> {
    match ask(session, RequestBody::Cause { run: RUN, task, at_ns }) {
        AnswerBody::Cause(cause) => cause.map(|cause| *cause),
        other => panic!("{other:?}"),
    }
}

/// All decisions of a kind forward in time.
fn walk(session: &mut Session, filter: DecisionFilter) -> Vec<DecisionPoint> {
    let mut points = Vec::new();
    let mut from = 0;
    while let Some(point) = step(session, from, true, filter) {
        assert!(from < point.at_ns);
        from = point.at_ns;
        points.push(point);
    }
    points
}

/// The first balance attempt that left a task for its utilisation.
fn first_refusal(session: &mut Session) -> DecisionView {
    let refuses =
        |decision: &DecisionView| decision.steps.iter().any(|step| step.check == "detach" && !step.yes);
    for point in walk(session, BALANCE) {
        let found = explain(session, point.at_ns, BALANCE).decisions.into_iter().find(refuses);
        if let Some(decision) = found {
            assert_eq!(decision.cpu, point.cpu);
            return decision;
        }
    }
    panic!("base refuses")
}

#[test]
fn the_attempt_that_refuses_is_shown_with_its_values_and_what_the_patch_says() {
    let mut session = session("hikey-schbench", 0, &[]);
    let refused = first_refusal(&mut session);
    assert_eq!(refused.kind, DecisionKind::Balance);
    assert_eq!(refused.outcome, OutcomeView::Moved(0));
    assert_eq!(refused.balance.as_ref().unwrap().domain, "MC");
    let hunk =
        refused.steps.iter().find_map(|step| step.hunk.as_ref()).expect("the patch edits this attempt");
    assert_eq!((hunk.patch.as_str(), hunk.in_force.as_str()), ("llc-spread", "base"));
    let differs: Vec<(&str, bool)> =
        hunk.answers.iter().map(|answer| (answer.form.as_str(), answer.differs)).collect();
    assert_eq!(differs, [("merged", true), ("group_weight", true), ("shift", false)]);
    let detach = refused.steps.iter().find(|step| step.check == "detach").unwrap();
    assert_eq!(detach.kernel_function, "detach_tasks()");
    let value = |name: &str| detach.values.iter().find(|value| value.name == name).unwrap().value;
    assert!(value("imbalance") < value("task_util_est"), "{detach:?}");
    let task = detach.task.as_ref().expect("it looked at a task");
    assert!(task.name.starts_with("wrk"), "{task:?}");
}

#[test]
fn the_machine_beside_a_decision_is_the_one_that_it_found() {
    let mut session = session("hikey-schbench", 0, &[]);
    let refused = first_refusal(&mut session);
    let task = refused.steps.iter().find(|step| step.check == "detach").unwrap().task.clone().unwrap();
    let explained = explain(&mut session, refused.at_ns, ANY);
    let cpus = &explained.cpus;
    assert_eq!(cpus.len(), 8);
    let source = cpus.iter().find(|cpu| cpu.waiting.iter().any(|waits| waits.task == task)).unwrap();
    assert_eq!(source.nr_running, 2);
    assert!(source.running.is_some());
    assert!(source.domains.iter().any(|domain| domain.name == "DIE" && domain.span.len() == 8));
    // The timeline says the same of the moment before.
    let body = RequestBody::Facts { run: RUN, at_ns: refused.at_ns - 1, about: FactsAbout::Task(task.id) };
    let AnswerBody::Facts(facts) = ask(&mut session, body) else { panic!() };
    assert_eq!((facts.tasks[0].state, facts.tasks[0].cpu), (TaskState::Waiting, Some(source.cpu)));
}

#[test]
fn only_what_was_asked_for_is_explained_and_nothing_changes_by_it() {
    let mut session = session("hikey-schbench", 0, &[]);
    let points = walk(&mut session, DecisionFilter { kind: Some(DecisionKind::Placement), ..ANY });
    assert!(20 < points.len());
    for point in &points {
        let of_task = DecisionFilter { task: point.task, kind: Some(point.kind), ..ANY };
        let explained = explain(&mut session, point.at_ns, of_task);
        assert_eq!(explained.at_ns, point.at_ns);
        let decision = &explained.decisions[0];
        assert_eq!(decision.task.as_ref().map(|task| task.id), point.task);
        assert_eq!(decision.outcome, OutcomeView::Cpu(point.cpu));
        let elsewhere = DecisionFilter { cpu: Some(7 - point.cpu), ..of_task };
        let others = explain(&mut session, point.at_ns, elsewhere).decisions;
        assert!(others.iter().all(|other| other.cpu == 7 - point.cpu), "made there, though chosen elsewhere");
    }
    // From the end to the start, which uses other copies: every answer is the same.
    let forward: Vec<Explained> = points.iter().map(|p| explain(&mut session, p.at_ns, ANY)).collect();
    for (point, before) in points.iter().zip(&forward).rev() {
        assert_eq!(explain(&mut session, point.at_ns, ANY), *before);
    }
}

#[test]
fn the_way_back_is_the_way_forward() {
    let mut session = session("hikey-schbench", 1, &[("workload.runtime_s", "3")]);
    for kind in DecisionKind::ALL {
        let filter = DecisionFilter { kind: Some(kind), ..ANY };
        let forward = walk(&mut session, filter);
        assert!(forward.iter().all(|point| point.kind == kind));
        let mut from = u64::MAX;
        let mut backward = Vec::new();
        while let Some(point) = step(&mut session, from, false, filter) {
            from = point.at_ns;
            backward.push(point);
        }
        // Those of the first instant have nothing before them from where one could step forward.
        backward.retain(|point| 0 < point.at_ns);
        let moments = |points: Vec<DecisionPoint>| points.iter().map(|point| point.at_ns).collect::<Vec<_>>();
        backward.reverse();
        assert_eq!(moments(backward), moments(forward), "{kind:?}");
    }
}

#[test]
fn every_decision_in_the_log_can_be_opened() {
    let mut session = session("hikey-schbench", 0, &[("workload.runtime_s", "3")]);
    for kind in DecisionKind::ALL {
        let filter = DecisionFilter { kind: Some(kind), ..ANY };
        for point in walk(&mut session, filter) {
            let decisions = explain(&mut session, point.at_ns, filter).decisions;
            assert!(!decisions.is_empty(), "{point:?}");
            if let Some(task) = point.task {
                let mut tasks = decisions.iter().filter_map(|decision| decision.task.as_ref());
                assert!(tasks.any(|known| known.id == task), "{point:?}: {decisions:?}");
            }
        }
    }
}

/// The decision behind every start of a run after boot.
fn births(session: &mut Session) -> Vec<(DecisionPoint, DecisionView)> {
    let kind = Some(DecisionKind::Birth);
    let points = walk(session, DecisionFilter { kind, ..ANY });
    let open = |point: DecisionPoint| {
        let of_task = DecisionFilter { task: point.task, kind, ..ANY };
        let decision = explain(session, point.at_ns, of_task).decisions.remove(0);
        (point, decision)
    };
    points.into_iter().map(open).collect()
}

/// The checks of a kind in a decision.
fn steps_of<'a>(decision: &'a DecisionView, check: &str) -> Vec<&'a StepView> {
    decision.steps.iter().filter(|step| step.check == check).collect()
}

fn value(step: &StepView, name: &str) -> i64 {
    step.values.iter().find(|value| value.name == name).map_or(0, |value| value.value)
}

#[test]
fn a_fork_opens_level_by_level_and_its_checks_lead_to_its_cpu() {
    for era in ["v5.4", "v5.10"] {
        let mut scenario = Scenario::from_preset("hikey-schbench").unwrap();
        // The patches of the others are for one of the two only.
        scenario.columns.truncate(1);
        for (key, value) in [("workload.runtime_s", "3"), ("kernel.era", era)] {
            scenario.set(key, value).unwrap();
        }
        let mut session = session_of(&scenario, 0);
        let births = births(&mut session);
        assert!(1 < births.len(), "{era}: workers are forked");
        let mut moved = 0;
        for (point, birth) in &births {
            assert_eq!(birth.outcome, OutcomeView::Cpu(point.cpu), "{era}: where the log says that it is");
            let weights: Vec<i64> =
                steps_of(birth, "start_domain").iter().map(|step| value(step, "span_weight")).collect();
            assert_eq!(weights[0], 8, "{era}: the search begins with the whole machine: {birth:?}");
            assert!(weights.is_sorted_by(|above, below| below < above), "{era}: {weights:?}");
            assert_eq!(steps_of(birth, "idlest_group").len(), weights.len(), "{era}: one verdict a domain");
            let groups: i64 =
                steps_of(birth, "start_domain").iter().map(|step| value(step, "compared_groups")).sum();
            assert_eq!(steps_of(birth, "start_group").len() as i64, groups, "{era}");
            // Each group that was chosen leads to a CPU in it; the last CPU is the answer.
            let chosen = steps_of(birth, "idlest_group").into_iter().filter(|step| step.yes).count();
            let cpus = steps_of(birth, "idlest_cpu");
            assert_eq!(cpus.len(), chosen, "{era}");
            let at = cpus.last().map_or(Some(birth.cpu), |step| step.cpu);
            assert_eq!(at, Some(point.cpu), "{era}: {birth:?}");
            moved += usize::from(point.cpu != birth.cpu);
        }
        assert!(0 < moved, "{era}: some start elsewhere than their parent");
    }
}

#[test]
fn a_cpu_chosen_in_a_group_is_the_shallowest_of_its_idle_ones() {
    let mut session = session("hikey-schbench", 0, &[("workload.runtime_s", "3")]);
    let mut asked_any = false;
    for (_, birth) in births(&mut session) {
        let mut idle: Vec<&StepView> = Vec::new();
        for step in &birth.steps {
            match step.check.as_str() {
                "cpu_idle" if step.yes => idle.push(step),
                "idlest_cpu" if step.yes && 1 < value(step, "group_weight") => {
                    let rank = |step: &StepView| (value(step, "exit_latency"), -value(step, "idle_stamp"));
                    let chosen = idle.iter().find(|one| one.cpu == step.cpu).expect("it is one of them");
                    assert!(idle.iter().all(|other| rank(chosen) <= rank(other)), "{birth:?}");
                    assert_eq!(value(step, "idle_cpus"), idle.len() as i64);
                    asked_any = true;
                    idle.clear();
                }
                "idlest_cpu" => idle.clear(),
                _ => {}
            }
        }
    }
    assert!(asked_any, "a group with idle CPUs was chosen");
}

#[test]
fn a_wait_leads_to_its_cause_and_that_to_the_cause_of_that() {
    let mut session = session("hikey-schbench", 0, &[]);
    let refused = first_refusal(&mut session);
    let task = refused.steps.iter().find(|step| step.check == "detach").unwrap().task.clone().unwrap();
    let wait = cause(&mut session, task.id, refused.at_ns).expect("it waits");
    assert_eq!(wait.task, task);
    assert!(matches!(wait.how, CauseKind::Stacked | CauseKind::Born), "{wait:?}");
    let began = wait.decision.expect("a decision put it there");
    assert_eq!((began.task, began.cpu), (Some(task.id), wait.cpu));
    assert!(began.at_ns < refused.at_ns);
    assert_eq!(wait.refusals[0].at_ns, refused.at_ns);
    assert_eq!(wait.refusals[0].kind, DecisionKind::Balance);
    // Who had the CPU: its cause is what brought it there, and so on, always back in time and to an end.
    let mut next = wait.next.expect("somebody had the CPU");
    assert_ne!(next.task, task);
    for _ in 0..1_000 {
        let link = cause(&mut session, next.task.id, next.at_ns).expect("it had a CPU or waited");
        let Some(after) = link.next else { return };
        assert!(after.at_ns <= next.at_ns);
        next = after;
    }
    panic!("the chain has no end");
}

#[test]
fn a_preemption_is_the_cause_of_the_wait_that_it_begins() {
    let mut session = session("hogs-4cpu", 0, &[("workload.runtime_s", "2")]);
    let ticks = walk(&mut session, DecisionFilter { kind: Some(DecisionKind::TickPreempt), ..ANY });
    let tick = ticks[ticks.len() / 2];
    let task = tick.task.unwrap();
    let link = cause(&mut session, task, tick.at_ns + 50_000).expect("it waits now");
    assert_eq!(link.how, CauseKind::TickPreempted);
    assert_eq!(link.decision, Some(tick));
    assert_ne!(link.next.unwrap().task.id, task, "another task took the CPU");
}

#[test]
fn a_sleeping_task_has_no_cause_and_an_unknown_run_no_answer() {
    let mut session = session("hikey-schbench", 0, &[("workload.runtime_s", "3")]);
    assert_eq!(cause(&mut session, 10, 0), None, "it is not born");
    let body = RequestBody::Cause { run: RUN, task: 11, at_ns: 0 };
    assert!(matches!(ask(&mut session, body), AnswerBody::Failed(_)));
    let body = RequestBody::Explain { run: RunKey(9), at_ns: 5, filter: ANY };
    assert!(matches!(ask(&mut session, body), AnswerBody::Failed(_)));
}
