use std::fmt;

use crate::{Answer, ExportOrder, ExportReply, Request};

/// The property of a message that holds the request or the answer.
pub const MESSAGE: &str = "m";

/// The property of a message that names what it holds.
pub const KIND: &str = "kind";

/// The property of an exporter's message that holds a part of the file.
pub const PART: &str = "part";

/// Why the bytes of a message cannot be read or written: the two ends are not of one build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadMessage;

impl fmt::Display for BadMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("page and worker do not understand each other; reload the page")
    }
}

impl std::error::Error for BadMessage {}

impl Request {
    /// The request in bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BadMessage> {
        postcard::to_allocvec(self).map_err(|_| BadMessage)
    }

    /// The request of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Request, BadMessage> {
        postcard::from_bytes(bytes).map_err(|_| BadMessage)
    }
}

impl Answer {
    /// The answer in bytes, without its columns.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BadMessage> {
        postcard::to_allocvec(self).map_err(|_| BadMessage)
    }

    /// The answer of bytes, its columns still empty.
    pub fn from_bytes(bytes: &[u8]) -> Result<Answer, BadMessage> {
        postcard::from_bytes(bytes).map_err(|_| BadMessage)
    }
}

impl ExportOrder {
    /// The order in bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BadMessage> {
        postcard::to_allocvec(self).map_err(|_| BadMessage)
    }

    /// The order of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<ExportOrder, BadMessage> {
        postcard::from_bytes(bytes).map_err(|_| BadMessage)
    }
}

impl ExportReply {
    /// The reply in bytes, without the part of the file that travels beside it.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BadMessage> {
        postcard::to_allocvec(self).map_err(|_| BadMessage)
    }

    /// The reply of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<ExportReply, BadMessage> {
        postcard::from_bytes(bytes).map_err(|_| BadMessage)
    }
}

#[cfg(test)]
mod tests {
    use scenario::Scenario;

    use super::*;
    use crate::{
        AnswerBody, Consequence, CpuInspection, DecisionKind, DecisionView, DivergenceSide, DivergenceView,
        ExportFormat, FormAnswer, HunkAnswers, LaneArrows, LaneState, Lanes, Minimap, OutcomeView,
        PlannedColumn, RequestBody, RunSummary, StepView, TaskFate, TaskName, TaskView, ValueView,
        WorkConservation,
    };

    /// What the wire does: the small part in bytes, the columns one by one.
    fn across(answer: &Answer) -> Answer {
        let mut back = Answer::from_bytes(&answer.to_bytes().unwrap()).unwrap();
        for (name, column) in answer.body.columns() {
            back.body.set_column(name, column.to_column()).unwrap();
        }
        back
    }

    #[test]
    fn an_answer_with_columns_arrives_whole() {
        let lanes = Lanes {
            from_ns: 5,
            to_ns: 1 << 60,
            width_px: 2,
            lane_start: vec![0, 2],
            x0: vec![0.0, 0.5],
            x1: vec![0.5, 2.0],
            task: vec![3, crate::NO_TASK],
            state: vec![LaneState::Running as u8, LaneState::Idle as u8],
            level: vec![255, 0],
            arrows: LaneArrows {
                x: vec![1.5],
                from_lane: vec![0],
                to_lane: vec![0],
                task: vec![3],
                kind: vec![1],
            },
        };
        let mut summary = RunSummary { seed: u64::MAX, wall_ms: 0.25, ..RunSummary::default() };
        summary.tasks.push(TaskView { id: 1, name: "wrk-0-0".to_owned(), group: 2, nice: -5 });
        summary.samples.latency_us = vec![33.0];
        summary.histogram.count = vec![7];
        summary.work.over_time.refused = vec![0.5];
        let mut work = WorkConservation { to_ns: 1 << 50, load_balance_score: 0.125, ..summary.work.clone() };
        work.tasks.waits = vec![3, 0];
        let work = AnswerBody::WorkConservation(Box::new(work));
        for body in [AnswerBody::Lanes(lanes), AnswerBody::RunDone(Box::new(summary)), work] {
            let answer = Answer { id: 9, body };
            assert_eq!(across(&answer), answer);
        }
    }

    #[test]
    fn a_divergence_with_its_decisions_arrives_whole() {
        let task = || TaskName { id: 5, name: "wrk-0-3".to_owned() };
        let step = StepView {
            check: "detach".to_owned(),
            kernel_function: "detach_tasks()".to_owned(),
            yes: false,
            cpu: Some(2),
            task: Some(task()),
            values: vec![ValueView { name: "imbalance".to_owned(), value: i64::MIN }],
            hunk: Some(HunkAnswers {
                patch: "llc-spread".to_owned(),
                index: 0,
                file: "kernel/sched/fair.c".to_owned(),
                function: "calculate_imbalance".to_owned(),
                answers: vec![FormAnswer { form: "merged".to_owned(), differs: true }],
                in_force: "base".to_owned(),
            }),
        };
        let decision = DecisionView {
            at_ns: u64::MAX,
            cpu: 2,
            task: None,
            kind: DecisionKind::Balance,
            balance: None,
            steps: vec![step],
            outcome: OutcomeView::Moved(0),
        };
        let side = DivergenceSide { decision: Some(decision), ..DivergenceSide::default() };
        let fate = TaskFate { ran_at_ns: Some(7), ..TaskFate::default() };
        let view = DivergenceView {
            nth: 3,
            at_ns: 9,
            patched_from_ns: 8,
            base: side,
            patched: DivergenceSide::default(),
            cpus: vec![CpuInspection { min_vruntime: u64::MAX, ..CpuInspection::default() }],
            consequence: Some(Consequence {
                task: task(),
                base: fate,
                patched: TaskFate::default(),
                idle_cpu: Some(1),
                followed_until_ns: 10,
            }),
        };
        let answer = Answer { id: 1, body: AnswerBody::Divergence(Some(Box::new(view))) };
        assert_eq!(across(&answer), answer);
    }

    #[test]
    fn long_columns_are_not_in_the_message() {
        let minimap = Minimap { end_ns: 1, busy: vec![200; 1000], waiting: vec![1; 1000] };
        let bytes = Answer { id: 1, body: AnswerBody::Minimap(minimap) }.to_bytes().unwrap();
        assert!(bytes.len() < 10, "{bytes:?}");
    }

    #[test]
    fn a_planned_column_and_seeds_of_all_64_bits_survive() {
        let scenario = Scenario::from_preset("hikey-schbench").unwrap();
        let columns = PlannedColumn::all(&scenario);
        assert_eq!(columns[1].setup, scenario.setup(1));
        let request =
            Request { id: 1, body: RequestBody::Seeds { columns, first_seed: u64::MAX - 1, count: 2 } };
        assert_eq!(Request::from_bytes(&request.to_bytes().unwrap()), Ok(request));
    }

    #[test]
    fn an_export_is_ordered_and_answered_whole() {
        let scenario = Scenario::from_preset("vm32-schbench").unwrap();
        let order = ExportOrder::new(&scenario, None, scenario::MAX_SEED, ExportFormat::Report);
        assert_eq!(ExportOrder::from_bytes(&order.to_bytes().unwrap()), Ok(order));
        let reply = ExportReply::Done { cut_columns: vec!["base".to_owned()] };
        assert_eq!(ExportReply::from_bytes(&reply.to_bytes().unwrap()), Ok(reply));
    }

    #[test]
    fn bytes_that_are_cut_or_of_something_else_are_refused() {
        let scenario = Scenario::from_preset("hikey-schbench").unwrap();
        let body = RequestBody::Seeds { columns: PlannedColumn::all(&scenario), first_seed: 1, count: 2 };
        let bytes = Request { id: 1, body }.to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert_eq!(Request::from_bytes(&bytes[..length]), Err(BadMessage), "{length}");
        }
        assert_eq!(Request::from_bytes(&[1, 200, 1]), Err(BadMessage));
    }
}
