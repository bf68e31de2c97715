use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sim::TaskId;
use trace::{Doing, TaskState};

/// LinSched's load-balance score: how far the loads of the CPUs are from those of a greedy assignment.
///
/// All runnable tasks together weigh 1024, each in proportion to its weight. The greedy assignment puts the tasks, the
/// heaviest first, each on the least loaded CPU. With the loads of both in ascending order the score of a moment is the
/// sum over the CPUs of (greedy − actual)², or 0 where the actual loads lie closer together than the greedy ones.
/// Every task may run everywhere here, so that LinSched's first sorting key, the number of allowed CPUs, says nothing.
#[derive(Clone, Debug)]
pub(super) struct BalanceScore {
    weights: Vec<u64>,
    /// The tasks, the heaviest first.
    order: Vec<TaskId>,
    /// For each task its CPU while it is runnable.
    cpu_of: Vec<Option<u16>>,
    /// For each CPU how many runnable tasks it has.
    queued: Vec<u32>,
    /// How many CPUs have so many runnable tasks.
    of_length: Vec<u32>,
    /// For each task the position of its weight among the different ones.
    class: Vec<usize>,
    /// How many runnable tasks have each weight.
    of_class: Vec<u32>,
    /// How many weights there are among the runnable tasks.
    classes: u32,
    runnable: u32,
    /// The score of now, if nothing has changed since it was computed.
    score: Option<f64>,
    sum: f64,
    lasted_ns: u64,
}

/// What all runnable tasks weigh together.
const ROOT: f64 = 1024.0;

impl BalanceScore {
    pub(super) fn new(cpus: usize, weights: &[u64]) -> BalanceScore {
        let mut different = ascending(weights.to_vec());
        different.dedup();
        let class_of = |weight: &u64| different.partition_point(|other| other < weight);
        let class: Vec<usize> = weights.iter().map(class_of).collect();
        let mut order = Vec::new();
        for wanted in (0..different.len()).rev() {
            let of_class = (0_u32..).zip(&class).filter(|(_, class)| **class == wanted);
            order.extend(of_class.map(|(task, _)| TaskId(task)));
        }
        BalanceScore {
            weights: weights.to_vec(),
            order,
            cpu_of: vec![None; weights.len()],
            queued: vec![0; cpus],
            of_length: vec![cpus as u32],
            class,
            of_class: vec![0; different.len()],
            classes: 0,
            runnable: 0,
            score: None,
            sum: 0.0,
            lasted_ns: 0,
        }
    }

    /// A task does something else, or elsewhere.
    pub(super) fn change(&mut self, task: TaskId, before: Doing, now: Doing) {
        let place = |doing: Doing| {
            matches!(doing.state, TaskState::Waiting | TaskState::Running).then_some(doing.cpu.0)
        };
        let (from, to) = (place(before), place(now));
        if from == to {
            return;
        }
        self.score = None;
        self.cpu_of[task.index()] = to;
        if let Some(cpu) = from {
            self.set_queued(cpu, |queued| queued - 1);
        }
        if let Some(cpu) = to {
            self.set_queued(cpu, |queued| queued + 1);
        }
        let of_class = &mut self.of_class[self.class[task.index()]];
        if from.is_none() {
            self.classes += u32::from(*of_class == 0);
            *of_class += 1;
            self.runnable += 1;
        } else if to.is_none() {
            *of_class -= 1;
            self.classes -= u32::from(*of_class == 0);
            self.runnable -= 1;
        }
    }

    fn set_queued(&mut self, cpu: u16, change: impl Fn(u32) -> u32) {
        let queued = &mut self.queued[usize::from(cpu)];
        self.of_length[*queued as usize] -= 1;
        *queued = change(*queued);
        let length = *queued as usize;
        if self.of_length.len() <= length {
            self.of_length.resize(length + 1, 0);
        }
        self.of_length[length] += 1;
    }

    /// Time goes on, and the tasks stay where they are meanwhile.
    pub(super) fn advance(&mut self, lasted_ns: u64) {
        let score = match self.score {
            Some(score) => score,
            None if self.classes <= 1 => self.of_equal_tasks(),
            None => self.of_unequal_tasks(),
        };
        self.score = Some(score);
        self.sum += score * lasted_ns as f64;
        self.lasted_ns += lasted_ns;
    }

    /// The mean over time.
    pub(super) fn mean(&self) -> f64 {
        if self.lasted_ns == 0 { 0.0 } else { self.sum / self.lasted_ns as f64 }
    }

    /// The score where all runnable tasks weigh the same: loads are counts of tasks.
    fn of_equal_tasks(&self) -> f64 {
        let cpus = self.queued.len() as u32;
        if self.runnable == 0 || cpus == 0 {
            return 0.0;
        }
        let (least, rest) = (self.runnable / cpus, self.runnable % cpus);
        let lengths = || (0_u32..).zip(&self.of_length).filter(|(_, count)| 0 < **count);
        let (mut shortest, mut longest) = (u32::MAX, 0);
        for (length, _) in lengths() {
            (shortest, longest) = (shortest.min(length), length);
        }
        let spread = longest.saturating_sub(shortest);
        if spread < u32::from(0 < rest) {
            return 0.0;
        }
        let mut sum = 0;
        // In ascending order the greedy loads are first the least ones, then those that are one more.
        let mut seen = 0;
        for (length, count) in lengths() {
            let of_least = (cpus - rest).saturating_sub(seen).min(*count);
            let difference = |greedy: u32| u64::from(length.abs_diff(greedy));
            sum += u64::from(of_least) * difference(least).pow(2);
            sum += u64::from(count - of_least) * difference(least + 1).pow(2);
            seen += count;
        }
        let share = ROOT / f64::from(self.runnable);
        sum as f64 * share * share
    }

    fn of_unequal_tasks(&self) -> f64 {
        let runnable = self.order.iter().filter_map(|task| Some((*task, self.cpu_of[task.index()]?)));
        let mut actual = vec![0_u64; self.queued.len()];
        let mut least_loaded: BinaryHeap<Reverse<u64>> = actual.iter().map(|load| Reverse(*load)).collect();
        let mut whole = 0;
        for (task, cpu) in runnable {
            let weight = self.weights[task.index()];
            whole += weight;
            actual[usize::from(cpu)] += weight;
            if let Some(mut least) = least_loaded.peek_mut() {
                least.0 += weight;
            }
        }
        let actual = ascending(actual);
        let greedy = ascending(least_loaded.into_iter().map(|load| load.0).collect());
        let spread = |loads: &[u64]| loads.last().copied().unwrap_or(0) - loads.first().copied().unwrap_or(0);
        if whole == 0 || spread(&actual) < spread(&greedy) {
            return 0.0;
        }
        let share = ROOT / whole as f64;
        let squares = greedy.iter().zip(&actual).map(|(greedy, actual)| {
            let difference = greedy.abs_diff(*actual) as f64 * share;
            difference * difference
        });
        squares.sum()
    }
}

/// Sorts by a heap, which takes a tenth of the code of the standard sort; every visitor loads it.
fn ascending(values: Vec<u64>) -> Vec<u64> {
    BinaryHeap::from(values).into_sorted_vec()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "squares of small whole numbers are exact")]
mod tests {
    use sim::{CpuId, Stream};

    use super::*;

    fn doing(state: TaskState, cpu: u16) -> Doing {
        Doing { state, cpu: CpuId(cpu) }
    }

    /// The score of tasks of given weights on given CPUs.
    fn score(cpus: usize, tasks: &[(u64, u16)]) -> f64 {
        let weights: Vec<u64> = tasks.iter().map(|(weight, _)| *weight).collect();
        let mut score = BalanceScore::new(cpus, &weights);
        for (task, (_, cpu)) in (0..).zip(tasks) {
            score.change(TaskId(task), doing(TaskState::Unborn, 0), doing(TaskState::Waiting, *cpu));
        }
        score.advance(10);
        score.mean()
    }

    #[test]
    fn what_is_balanced_scores_nothing() {
        assert_eq!(score(2, &[]), 0.0);
        assert_eq!(score(2, &[(1024, 0), (1024, 1)]), 0.0);
        assert_eq!(score(2, &[(1024, 1)]), 0.0, "one task is somewhere");
        assert_eq!(score(2, &[(1024, 0), (1024, 1), (1024, 1)]), 0.0, "three on two cannot be better");
        assert_eq!(score(2, &[(2048, 0), (1024, 1), (1024, 1)]), 0.0);
    }

    #[test]
    fn two_tasks_on_one_of_two_cpus_score_the_square_of_half_the_load_twice() {
        assert_eq!(score(2, &[(1024, 0), (1024, 0)]), 2.0 * 512.0 * 512.0);
        assert_eq!(score(2, &[(2048, 0), (1024, 0), (1024, 0)]), 2.0 * 512.0 * 512.0);
    }

    #[test]
    fn loads_that_lie_closer_than_the_greedy_ones_score_nothing() {
        // Greedy: 5 and 5 of 3+3+2+2+2 become 7 and 5; here they are 6 and 6.
        let tasks = [(3, 0), (3, 0), (2, 1), (2, 1), (2, 1)];
        assert_eq!(score(2, &tasks), 0.0);
    }

    #[test]
    fn the_short_way_for_equal_tasks_gives_what_the_long_way_gives() {
        let mut stream = Stream::new(7, 1, 1);
        for _ in 0..300 {
            let cpus = 1 + stream.below(8);
            let tasks: Vec<(u64, u16)> =
                (0..stream.below(20)).map(|_| (335, stream.below(cpus) as u16)).collect();
            let weights = vec![335; tasks.len()];
            let mut score = BalanceScore::new(cpus as usize, &weights);
            for (task, (_, cpu)) in (0..).zip(&tasks) {
                score.change(TaskId(task), doing(TaskState::Waking, 0), doing(TaskState::Running, *cpu));
            }
            let (short, long) = (score.of_equal_tasks(), score.of_unequal_tasks());
            assert!((short - long).abs() <= long * 1e-9, "{cpus} {tasks:?}: {short} {long}");
        }
    }

    #[test]
    fn the_mean_is_weighted_by_time_and_follows_moves_and_sleeps() {
        let mut score = BalanceScore::new(2, &[1024, 1024]);
        for task in 0..2 {
            score.change(TaskId(task), doing(TaskState::Sleeping, 0), doing(TaskState::Waiting, 0));
        }
        score.advance(30);
        score.change(TaskId(1), doing(TaskState::Waiting, 0), doing(TaskState::Running, 1));
        score.advance(60);
        score.change(TaskId(0), doing(TaskState::Waiting, 0), doing(TaskState::Sleeping, 0));
        score.advance(30);
        assert_eq!(score.mean(), 2.0 * 512.0 * 512.0 / 4.0);
    }
}
