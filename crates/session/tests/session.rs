//! A session as its worker drives it: requests in, answers out, work in slices.

use std::cell::Cell;

use protocol::{
    Answer, AnswerBody, EventFilter, EventSort, EventView, Facts, FactsAbout, FoldedLanes, LaneRows,
    LaneState, Lanes, NO_TASK, PlannedColumn, Request, RequestBody, RunKey, RunOptions, RunSummary, SeedRow,
    Table, TaskState, TraceKept,
};
use scenario::Scenario;
use session::{RunJob, Session, run_column, run_seed};
use sim::Nanos;

const RUN: RunKey = RunKey(7);
const TRACED: RunOptions = RunOptions { keep_trace: true, audit_hunks: true };

/// The HiKey's preset, cut to three seconds: two rounds of wake-ups and the shutdown.
fn hikey() -> Scenario {
    let mut scenario = Scenario::from_preset("hikey-schbench").unwrap();
    scenario.set("workload.runtime_s", "3").unwrap();
    scenario
}

/// Short rounds: tens of thousands of events in a second.
fn busy() -> Scenario {
    let mut scenario = Scenario::from_preset("hikey-schbench").unwrap();
    for (key, value) in
        [("workload.runtime_s", "1"), ("workload.think_us", "900"), ("workload.sleep_us", "400")]
    {
        scenario.set(key, value).unwrap();
    }
    scenario
}

fn run_request(id: u32, scenario: &Scenario, column: usize, seed: u64) -> Request {
    let mut column = Box::new(PlannedColumn::new(scenario, column));
    column.setup.seed = seed;
    Request { id, body: RequestBody::Run { column, run: RUN, options: TRACED } }
}

fn seeds_request(id: u32, scenario: &Scenario, first_seed: u64, count: u32) -> Request {
    Request { id, body: RequestBody::Seeds { columns: PlannedColumn::all(scenario), first_seed, count } }
}

/// A clock that goes on by a millisecond whenever somebody looks.
fn clock() -> impl Fn() -> f64 {
    let now = Cell::new(0.0);
    move || {
        now.set(now.get() + 1.0);
        now.get()
    }
}

/// Works in slices of a few steps, with a report after each, until nothing is left.
fn work(session: &mut Session) -> Vec<Answer> {
    let mut answers = Vec::new();
    while session.has_work() {
        answers.extend(session.work(&clock(), 5.0));
        answers.extend(session.report());
    }
    answers
}

fn done(session: &mut Session, request: Request) -> RunSummary {
    assert_eq!(session.handle(request), []);
    match work(session).pop() {
        Some(Answer { body: AnswerBody::RunDone(summary), .. }) => *summary,
        other => panic!("{other:?}"),
    }
}

fn ask(session: &mut Session, body: RequestBody) -> AnswerBody {
    let mut answers = session.handle(Request { id: 99, body });
    assert_eq!(answers.len(), 1);
    let answer = answers.remove(0);
    assert_eq!(answer.id, 99);
    answer.body
}

fn lanes(session: &mut Session, from_ns: u64, to_ns: u64, width_px: u32) -> Lanes {
    rows(session, (from_ns, to_ns), width_px, LaneRows::Cpus { folded: Vec::new() })
}

fn rows(session: &mut Session, (from_ns, to_ns): (u64, u64), width_px: u32, rows: LaneRows) -> Lanes {
    match ask(session, RequestBody::Lanes { run: RUN, from_ns, to_ns, width_px, rows }) {
        AnswerBody::Lanes(lanes) => lanes,
        other => panic!("{other:?}"),
    }
}

fn facts(session: &mut Session, at_ns: u64, about: FactsAbout) -> Facts {
    match ask(session, RequestBody::Facts { run: RUN, at_ns, about }) {
        AnswerBody::Facts(facts) => facts,
        other => panic!("{other:?}"),
    }
}

fn table(session: &mut Session, from_ns: u64, to_ns: u64) -> Table {
    match ask(session, RequestBody::Table { run: RUN, from_ns, to_ns, limit: u32::MAX }) {
        AnswerBody::Table(table) => table,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_in_one_step_in_a_thousand_and_from_a_snapshot_is_the_same() {
    let scenario = busy();
    for column in 0..2 {
        let whole = run_column(&scenario, column, 3, RunOptions::default());
        assert!(20_000 < whole.events, "enough for several snapshots: {}", whole.events);
        let mut stepped = RunJob::new(&scenario, column, 3, TRACED);
        while !stepped.step(17) {}
        let mut summary = stepped.summary();
        assert_eq!(summary.trace_hash, whole.trace_hash);
        assert_eq!(summary.events, whole.events);
        for (part, of) in [(1, 10), (5, 10), (9, 10)] {
            let at = Nanos(whole.simulated_ns * part / of);
            let mut restored = stepped.restored(at).unwrap();
            while !restored.step(u64::MAX) {}
            assert_eq!(restored.summary().trace_hash, whole.trace_hash, "from {at}");
            assert_eq!(restored.summary().metrics, whole.metrics);
        }
        // Watching changes nothing but what is kept.
        summary.hunks.clear();
        summary.trace = TraceKept::Nothing;
        summary.work = whole.work.clone();
        assert_eq!(summary, whole);
    }
}

#[test]
fn a_session_gives_what_the_command_line_gives() {
    let scenario = hikey();
    let mut session = Session::new();
    let mut summary = done(&mut session, run_request(1, &scenario, 1, 5));
    assert!(0.0 < summary.wall_ms);
    assert_eq!(summary.run, RUN);
    let expected = run_column(&scenario, 1, 5, TRACED);
    (summary.run, summary.wall_ms) = (expected.run, expected.wall_ms);
    assert_eq!(summary, expected);
    let (infos, row) = run_seed(&scenario, 1, 5);
    let metrics = expected.metrics.iter();
    assert_eq!(metrics.map(|metric| (metric.info.clone(), metric.value)).collect::<Vec<_>>(), {
        infos.into_iter().zip(row.values).collect::<Vec<_>>()
    });
    assert_eq!(row.trace_hash, expected.trace_hash);
}

#[test]
fn a_summary_holds_together() {
    let summary = run_column(&hikey(), 0, 1, TRACED);
    assert_eq!(summary.column_name, "base");
    assert_eq!(summary.trace_hash.len(), 16);
    assert_eq!(summary.tasks.len(), 1 + 2 + 8);
    assert_eq!(summary.cpus.len(), 8);
    assert_eq!(summary.domains.len(), 2, "two clusters");
    assert_eq!(summary.metric("samples"), Some(summary.samples.latency_us.len() as f64));
    assert_eq!(summary.histogram.count.iter().sum::<u32>() as usize, summary.samples.latency_us.len());
    let of_metric = |percentile: &protocol::Percentile| summary.metric(&percentile.key);
    assert!(summary.percentiles.iter().all(|percentile| of_metric(percentile) == Some(percentile.value_us)));
    assert!(summary.text.starts_with("Latency percentiles (usec)\n"));
    let asked: u64 = summary.hunks.iter().map(|hunk| hunk.asked).sum();
    assert!(0 < asked, "the balancer reaches the patched lines");
    assert!(summary.hunks.iter().all(|hunk| hunk.active == "off"));
}

#[test]
fn progress_grows_to_the_whole() {
    let mut session = Session::new();
    session.handle(run_request(4, &busy(), 0, 1));
    let mut fractions = Vec::new();
    for answer in work(&mut session) {
        assert_eq!(answer.id, 4);
        if let AnswerBody::Progress(progress) = answer.body {
            fractions.push(progress.fraction);
        }
    }
    assert!(fractions.len() > 1);
    assert!(fractions.is_sorted() && fractions.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
}

#[test]
fn a_run_can_be_cancelled_at_any_time() {
    let mut session = Session::new();
    session.handle(run_request(1, &busy(), 0, 1));
    assert_eq!(session.work(&clock(), 2.0), []);
    let answers = session.handle(Request { id: 2, body: RequestBody::Cancel { id: 1 } });
    assert_eq!(answers, [Answer { id: 1, body: AnswerBody::Cancelled }]);
    assert!(!session.has_work());
    assert_eq!(session.handle(Request { id: 3, body: RequestBody::Cancel { id: 1 } }), []);
}

#[test]
fn a_run_goes_before_a_band_that_is_under_way() {
    let scenario = busy();
    let mut session = Session::new();
    session.handle(seeds_request(1, &scenario, 1, 2));
    session.work(&clock(), 2.0);
    session.handle(run_request(2, &scenario, 0, 1));
    assert_eq!(session.current(), Some(2));
    let finals: Vec<u32> =
        work(&mut session).iter().filter(|answer| answer.body.is_final()).map(|answer| answer.id).collect();
    assert_eq!(finals, [2, 1]);
}

#[test]
fn a_band_has_a_row_for_every_seed_and_column() {
    let scenario = hikey();
    let mut session = Session::new();
    session.handle(seeds_request(1, &scenario, 10, 3));
    let mut rows: Vec<SeedRow> = Vec::new();
    for answer in work(&mut session) {
        if let AnswerBody::SeedRows(more) = answer.body {
            assert!(more.rows.iter().all(|row| row.values.len() == more.metrics.len()));
            rows.extend(more.rows);
        }
    }
    let expected = (10..13).flat_map(|seed| (0..3).map(move |column| (seed, column)));
    assert!(rows.iter().map(|row| (row.seed, row.column)).eq(expected));
    for row in rows {
        assert_eq!(row, run_seed(&scenario, row.column as usize, row.seed).1);
    }
}

#[test]
fn what_a_cancelled_band_has_done_is_not_lost() {
    let mut session = Session::new();
    session.handle(seeds_request(1, &hikey(), 1, 1_000));
    session.work(&clock(), 60.0);
    let answers = session.handle(Request { id: 2, body: RequestBody::Cancel { id: 1 } });
    assert!(matches!(&answers[0].body, AnswerBody::SeedRows(rows) if !rows.rows.is_empty()));
    assert_eq!(answers[1].body, AnswerBody::Cancelled);
}

#[test]
fn a_band_of_nothing_is_done_at_once() {
    let scenario = hikey();
    let mut session = Session::new();
    let nothing = RequestBody::Seeds { columns: Vec::new(), first_seed: 1, count: 5 };
    assert_eq!(ask(&mut session, nothing), AnswerBody::SeedsDone);
    session.handle(seeds_request(1, &scenario, 1, 0));
    let finals: Vec<AnswerBody> =
        work(&mut session).into_iter().map(|answer| answer.body).filter(AnswerBody::is_final).collect();
    assert_eq!(finals, [AnswerBody::SeedsDone]);
}

#[test]
fn the_run_that_was_not_used_for_longest_is_forgotten() {
    let mut session = Session::new();
    let mut scenario = hikey();
    scenario.set("workload.runtime_s", "1").unwrap();
    let text = |run| RequestBody::Text { run: RunKey(run) };
    for run in 0..7 {
        let column = Box::new(PlannedColumn::new(&scenario, 0));
        let body = RequestBody::Run { column, run: RunKey(run), options: RunOptions::default() };
        done(&mut session, Request { id: run, body });
        // The first one is asked again and again.
        assert!(matches!(ask(&mut session, text(0)), AnswerBody::Text(_)));
    }
    assert!(matches!(ask(&mut session, text(1)), AnswerBody::Failed(_)));
    assert!(matches!(ask(&mut session, text(2)), AnswerBody::Text(_)));
    session.handle(Request { id: 50, body: RequestBody::Drop { run: RunKey(2) } });
    assert!(matches!(ask(&mut session, text(2)), AnswerBody::Failed(_)));
    // Kept, but without a trace.
    let lanes = RequestBody::Lanes {
        run: RunKey(0),
        from_ns: 0,
        to_ns: 1,
        width_px: 10,
        rows: LaneRows::Cpus { folded: Vec::new() },
    };
    assert!(matches!(ask(&mut session, lanes), AnswerBody::Failed(_)));
}

#[test]
fn the_views_of_a_run_agree_with_each_other_and_with_its_figures() {
    let mut session = Session::new();
    let summary = done(&mut session, run_request(1, &hikey(), 0, 1));
    let end = summary.simulated_ns;
    let rows = table(&mut session, 0, end);
    assert_eq!(rows.total as usize, rows.from_ns.len());
    assert!(rows.from_ns.is_sorted());

    // Tasks: what they ran by the table and by the facts.
    let mut waited = 0;
    for task in &summary.tasks {
        let fact = &facts(&mut session, end, FactsAbout::Task(task.id)).tasks[0];
        let slices = rows.task.iter().zip(rows.from_ns.iter().zip(&rows.to_ns));
        let ran: u64 =
            slices.filter(|(id, _)| **id == task.id).map(|(_, (from, to))| (to - from) as u64).sum();
        assert_eq!(fact.ran_ns, ran, "{}", task.name);
        waited += fact.waited_ns;
    }
    // The engine counts a wait when it ends, the views count those that are still under way too.
    let counted = summary.counters.iter().find(|counter| counter.key == "wait_sum_ns").unwrap().value;
    assert!(counted <= waited && waited <= counted + 1_000_000, "{counted} and {waited}");

    // Lanes: at full width every slice is a rectangle.
    let lanes = lanes(&mut session, 0, end, 16_384);
    let states = lanes.state.iter().filter_map(|state| LaneState::from_u8(*state));
    let running = states.filter(|state| *state == LaneState::Running).count();
    assert_eq!(running, rows.from_ns.len());
    assert_eq!(lanes.lane_start.len(), summary.cpus.len() + 1);

    // Facts: the middle of the longest slice.
    let longest = (0..rows.from_ns.len())
        .max_by(|a, b| (rows.to_ns[*a] - rows.from_ns[*a]).total_cmp(&(rows.to_ns[*b] - rows.from_ns[*b])))
        .unwrap();
    let at = f64::midpoint(rows.from_ns[longest], rows.to_ns[longest]) as u64;
    let moment = facts(&mut session, at, FactsAbout::Machine);
    let cpu = moment.cpus.iter().find(|cpu| u32::from(cpu.cpu) == rows.cpu[longest]).unwrap();
    assert_eq!(cpu.running, Some(rows.task[longest]));
    assert_eq!((cpu.since_ns as f64, cpu.until_ns as f64), (rows.from_ns[longest], rows.to_ns[longest]));
    let task = moment.tasks.iter().find(|task| task.task == rows.task[longest]).unwrap();
    assert_eq!((task.state, task.cpu), (TaskState::Running, Some(cpu.cpu)));
}

#[test]
fn lanes_show_the_wait_that_the_patch_removes() {
    let mut session = Session::new();
    // Some seed of the base kernel leaves a worker waiting for a slice, beside an idle CPU.
    let wasted = |lanes: &Lanes| -> f32 {
        let rects = lanes.state.iter().zip(lanes.x0.iter().zip(&lanes.x1));
        rects.filter(|(state, _)| **state == LaneState::Wasted as u8).map(|(_, (x0, x1))| x1 - x0).sum()
    };
    let scenario = hikey();
    let worst = (1..=20).max_by_key(|seed| {
        let summary = run_column(&scenario, 0, *seed, RunOptions::default());
        summary.metric("wait_while_idle_ms").unwrap() as u64
    });
    let mut picture = |column| {
        let summary = done(&mut session, run_request(1, &scenario, column, worst.unwrap()));
        let lanes = lanes(&mut session, 0, summary.simulated_ns, 10_000);
        (wasted(&lanes), summary.metric("max_us").unwrap())
    };
    let (base_px, base_max_us) = picture(0);
    let (patched_px, patched_max_us) = picture(2);
    assert!(10_000.0 < base_max_us, "a worker waits for a slice in the base kernel: {base_max_us}");
    assert!(10.0 * patched_px < base_px, "{patched_px} and {base_px}");
    assert!(patched_max_us < base_max_us);
}

#[test]
fn lanes_and_facts_tell_how_deep_idle_cpus_sleep_where_there_is_a_choice() {
    let mut scenario = hikey();
    let mut session = Session::new();
    let shallow = done(&mut session, run_request(1, &scenario, 0, 1));
    assert!(shallow.idle_states.is_empty(), "{:?}", shallow.idle_states);
    let is_idle = |state: u8| LaneState::from_u8(state) == Some(LaneState::Idle);
    let depths = |lanes: &Lanes| -> Vec<u8> {
        lanes.state.iter().zip(&lanes.level).filter(|(s, _)| is_idle(**s)).map(|(_, level)| *level).collect()
    };
    let picture = lanes(&mut session, 0, shallow.simulated_ns, 1_000);
    assert!(depths(&picture).iter().all(|depth| *depth == 0));

    scenario.set("machine.idle", "dt").unwrap();
    let deep = done(&mut session, run_request(2, &scenario, 0, 1));
    assert_eq!(deep.idle_states.len(), deep.cpus.len());
    let picture = lanes(&mut session, 0, deep.simulated_ns, 1_000);
    let deepest = deep.idle_states[0].len() as u8 - 1;
    assert!(depths(&picture).contains(&deepest), "long spans are spent in the deepest state");
    for cpu in 0..deep.cpus.len() {
        let rects = picture.lane_start[cpu] as usize..picture.lane_start[cpu + 1] as usize;
        let long =
            rects.filter(|rect| is_idle(picture.state[*rect]) && 3.0 < picture.x1[*rect] - picture.x0[*rect]);
        for rect in long {
            let pixel = deep.simulated_ns as f64 / 1_000.0;
            let at = (f64::from(picture.x0[rect] + picture.x1[rect]) / 2.0 * pixel) as u64;
            let fact = facts(&mut session, at, FactsAbout::Cpu(deep.cpus[cpu].cpu));
            assert_eq!((fact.cpus[0].running, fact.cpus[0].idle_depth), (None, picture.level[rect]));
        }
    }
}

/// How many pixels of a lane show a state, by the share that the rectangles say.
fn pixels(lanes: &Lanes, lane: usize, state: LaneState) -> f32 {
    let rects = lanes.lane_start[lane] as usize..lanes.lane_start[lane + 1] as usize;
    rects.filter(|rect| lanes.state[*rect] == state as u8).map(|rect| lanes.x1[rect] - lanes.x0[rect]).sum()
}

#[test]
fn lanes_of_tasks_and_folded_lanes_agree_with_the_table() {
    let mut session = Session::new();
    let summary = done(&mut session, run_request(1, &hikey(), 0, 1));
    let end = summary.simulated_ns;
    let whole = (0, end);
    let slices = table(&mut session, 0, end);
    let tasks: Vec<u32> = summary.tasks.iter().map(|task| task.id).rev().collect();
    let lanes = rows(&mut session, whole, 16_384, LaneRows::Tasks { tasks: tasks.clone() });
    assert_eq!(lanes.lane_start.len(), tasks.len() + 1);
    for (lane, task) in tasks.iter().enumerate() {
        let count = slices.task.iter().filter(|other| *other == task).count();
        let rects = lanes.lane_start[lane] as usize..lanes.lane_start[lane + 1] as usize;
        let running = rects.filter(|rect| lanes.state[*rect] == LaneState::Running as u8);
        assert_eq!(running.count(), count, "every slice is a rectangle at this width");
    }
    assert!(lanes.arrows.kind.iter().all(|kind| *kind == 0) && !lanes.arrows.x.is_empty());

    let folded = vec![FoldedLanes { first: 4, count: 4 }];
    let lanes = rows(&mut session, whole, 1_000, LaneRows::Cpus { folded });
    assert_eq!(lanes.lane_start.len(), 4 + 1 + 1);
    assert!(0.0 < pixels(&lanes, 4, LaneState::Busy));
    assert!(pixels(&lanes, 4, LaneState::Running) < 0.5 && pixels(&lanes, 0, LaneState::Busy) < 0.5);

    let beyond = vec![FoldedLanes { first: 4, count: 5 }];
    let request = |rows| RequestBody::Lanes { run: RUN, from_ns: 0, to_ns: end, width_px: 10, rows };
    assert!(matches!(ask(&mut session, request(LaneRows::Cpus { folded: beyond })), AnswerBody::Failed(_)));
    let nobody = LaneRows::Tasks { tasks: vec![u32::MAX] };
    assert!(matches!(ask(&mut session, request(nobody)), AnswerBody::Failed(_)));
}

fn next(session: &mut Session, from_ns: u64, forward: bool, filter: EventFilter) -> Option<EventView> {
    match ask(session, RequestBody::NextEvent { run: RUN, from_ns, forward, filter }) {
        AnswerBody::Event(event) => event,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_events_of_a_task_are_gone_through_in_both_directions() {
    let mut session = Session::new();
    let summary = done(&mut session, run_request(1, &hikey(), 0, 1));
    let task = summary.tasks.last().unwrap().id;
    let slices = table(&mut session, 0, summary.simulated_ns);
    let starts: Vec<u64> = (slices.task.iter().zip(&slices.from_ns))
        .filter(|(other, _)| **other == task)
        .map(|(_, from)| *from as u64)
        .collect();
    let filter = EventFilter { task: Some(task), sort: EventSort::Start };
    let mut walked = Vec::new();
    let mut at = 0;
    while let Some(event) = next(&mut session, at, true, filter) {
        at = event.at_ns;
        walked.push(at);
    }
    assert_eq!(walked, starts);
    let back = next(&mut session, starts[3], false, filter).unwrap();
    assert_eq!(back.at_ns, starts[2]);

    let sort = EventSort::Wakeup;
    let wakeup = next(&mut session, starts[2], true, EventFilter { task: Some(task), sort }).unwrap();
    assert!(starts[2] < wakeup.at_ns && wakeup.kind == "waking", "{wakeup:?}");
    let any = next(&mut session, starts[2], true, EventFilter { task: Some(task), sort: EventSort::Any });
    assert!(any.unwrap().at_ns <= starts[3]);
    assert_eq!(next(&mut session, summary.simulated_ns, true, EventFilter::default()), None);
}

#[test]
fn what_a_view_asks_for_out_of_range_is_answered_in_words() {
    let mut session = Session::new();
    let summary = done(&mut session, run_request(1, &hikey(), 0, 1));
    let past = lanes(&mut session, summary.simulated_ns + 1, summary.simulated_ns + 2, 100);
    assert!(past.x0.is_empty() && past.lane_start.iter().all(|start| *start == 0));
    let backwards = lanes(&mut session, 10, 5, 100);
    assert!(backwards.x0.is_empty() && backwards.arrows.x.is_empty());
    let none = RequestBody::Facts { run: RUN, at_ns: 0, about: FactsAbout::Cpu(8) };
    assert!(matches!(ask(&mut session, none), AnswerBody::Failed(_)));
    let none = RequestBody::Facts { run: RUN, at_ns: 0, about: FactsAbout::Task(NO_TASK) };
    assert!(matches!(ask(&mut session, none), AnswerBody::Failed(_)));
    assert_eq!(facts(&mut session, u64::MAX, FactsAbout::Machine).at_ns, summary.simulated_ns);
}
