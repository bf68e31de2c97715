//! Walks the whole state and asserts what must hold between events.

use sim::{CpuId, TaskId};

use crate::engine::Engine;
use crate::rq::{Phase, Rq};
use crate::task::{Stage, TaskState};

impl Engine {
    /// Asserts that nothing is lost, counted twice or out of order.
    pub(crate) fn check_invariants(&self) {
        for rq in &self.rqs {
            self.check_queue(rq.cpu);
            self.check_phase(rq.cpu);
            self.check_rt_queue(rq.cpu);
            self.check_rt_order(rq.cpu);
        }
        for task in &self.tasks {
            let holds = |rq: &&Rq| {
                rq.cfs.tasks.contains(&task.id) || rq.rt.queue.iter().any(|entry| entry.task == task.id)
            };
            let queued = self.rqs.iter().filter(holds).count();
            assert_eq!(queued, usize::from(task.se.on_rq), "{} is queued {queued} times", task.id);
            assert_eq!(
                task.se.on_rq,
                task.state == TaskState::Runnable,
                "{} is {:?} but queued: {}",
                task.id,
                task.state,
                task.se.on_rq
            );
        }
        for task in &self.tasks {
            let executed_by = self.rqs.iter().filter(|rq| rq.curr == Some(task.id)).count();
            assert!(executed_by <= 1, "{} is executed by {executed_by} CPUs at once", task.id);
        }
        let overloaded = self.rqs.iter().filter(|rq| 2 <= rq.nr_running).count();
        assert_eq!(overloaded as u32, self.overloaded_cpus, "overloaded CPUs are miscounted");
        // A balance that leaves out CPUs all of whose tasks are bound forgets that they are overloaded, as the kernel's.
        let bound = self.tasks.iter().any(|task| task.allowed.len() < self.rqs.len());
        assert!(
            overloaded == 0 || self.rd_overload || bound,
            "an overloaded CPU is not noted in the root domain"
        );
    }

    fn check_queue(&self, cpu: CpuId) {
        let rq = &self.rqs[cpu.index()];
        let cfs = &rq.cfs;
        assert_eq!(cfs.nr_running as usize, cfs.tasks.len(), "{cpu} miscounts its tasks");
        assert_eq!(rq.nr_running, cfs.nr_running + rq.rt.counted(), "{cpu} miscounts its classes");
        let curr_queued = cfs.curr.is_some_and(|curr| self.tasks[curr.index()].se.on_rq);
        assert_eq!(cfs.tree.len() + usize::from(curr_queued), cfs.tasks.len(), "{cpu} lost a waiting task");
        let mut weight = 0;
        for task in &cfs.tasks {
            assert_eq!(self.tasks[task.index()].cpu, cpu, "{task} is queued on a CPU that is not its own");
            assert!(self.tasks[task.index()].allowed.contains(cpu), "{task} may not run on {cpu}");
            weight += self.tasks[task.index()].se.load.weight;
        }
        assert_eq!(weight, cfs.load.weight, "{cpu} miscounts its weight");
        for pair in cfs.tree.windows(2) {
            let ordered = 0 <= pair[1].vruntime.wrapping_sub(pair[0].vruntime) as i64;
            assert!(ordered, "{cpu} has its waiting tasks out of order");
        }
        for entry in &cfs.tree {
            assert_eq!(
                entry.vruntime,
                self.tasks[entry.task.index()].se.vruntime,
                "a queued task's time moved"
            );
        }
        for buddy in [cfs.next, cfs.last, cfs.skip].into_iter().flatten() {
            assert!(cfs.tasks.contains(&buddy), "{cpu} has a buddy that is not queued");
        }
    }

    fn check_rt_queue(&self, cpu: CpuId) {
        let rt = &self.rqs[cpu.index()].rt;
        for entry in &rt.queue {
            let task = &self.tasks[entry.task.index()];
            assert!(task.is_rt() && task.prio == entry.prio, "{} is queued by another priority", task.id);
            assert_eq!(task.cpu, cpu, "{} is queued on a CPU that is not its own", task.id);
            assert!(task.allowed.contains(cpu), "{} may not run on {cpu}", task.id);
            let pushable = !task.is_pinned() && rt.curr != Some(task.id);
            assert_eq!(rt.pushable.contains(&task.id), pushable, "{} is pushable or not", task.id);
        }
        assert!(rt.queue.is_sorted_by_key(|entry| entry.prio), "{cpu} has its priorities out of order");
        let prio = |task: &TaskId| self.tasks[task.index()].prio;
        assert!(rt.pushable.is_sorted_by_key(prio), "{cpu} would push another task first");
        let migratory = rt.queue.iter().any(|entry| !self.tasks[entry.task.index()].is_pinned());
        let overloaded = 1 < rt.queue.len() && migratory;
        assert_eq!(self.rt_overloaded.contains(cpu), overloaded, "{cpu} has tasks to give away or not");
    }

    /// Real-time before fair, first come first, and nobody waits where a less important task could make way.
    fn check_rt_order(&self, cpu: CpuId) {
        let is_settled = |rq: &Rq| {
            matches!(rq.phase, Phase::Running | Phase::Idle) && !rq.need_resched && !rq.rt.throttled
        };
        let rq = &self.rqs[cpu.index()];
        if !is_settled(rq) {
            return;
        }
        let first = rq.rt.queue.first().map(|entry| entry.task);
        assert!(first.is_none() || first == rq.curr, "{cpu} executes {:?} instead of {first:?}", rq.curr);
        if !self.rt_affinities_are_alike() {
            return;
        }
        for task in &rq.rt.pushable {
            let task = &self.tasks[task.index()];
            for other in task.allowed.iter().map(|other| &self.rqs[other.index()]).filter(|rq| is_settled(rq))
            {
                let executed = other.curr.map_or(u8::MAX, |curr| self.tasks[curr.index()].prio);
                assert!(
                    executed <= task.prio,
                    "{} waits on {cpu} although {} could take it",
                    task.id,
                    other.cpu
                );
            }
        }
    }

    /// A CPU pushes its most urgent waiting task or none, so that one that could go waits behind one that could not: the
    /// kernel promises to leave nobody waiting only where those that can move can move to the same CPUs.
    fn rt_affinities_are_alike(&self) -> bool {
        let mut movable = self.tasks.iter().filter(|task| task.is_rt() && !task.is_pinned());
        let first = movable.next();
        movable.all(|task| first.is_some_and(|first| first.allowed == task.allowed))
    }

    fn check_phase(&self, cpu: CpuId) {
        let rq = &self.rqs[cpu.index()];
        match rq.phase {
            Phase::Idle => {
                assert_eq!(rq.curr, None, "{cpu} idles with a current task");
                // A task that waits on an idle CPU has a kick on its way.
                assert!(rq.nr_running == 0 || rq.need_resched, "{cpu} idles and nobody tells it of its task");
                assert!(rq.nohz_tick_stopped, "{cpu} idles with its tick on");
            }
            Phase::Running => {
                let curr = rq.curr.expect("a running CPU has a current task");
                let task = &self.tasks[curr.index()];
                assert!(task.se.on_rq && task.on_cpu, "{cpu} executes {curr}, which is not its");
                assert_ne!(task.stage, Stage::Blocked, "{curr} executes while it is blocked");
                let of_class = self.current_of_class(cpu);
                assert_eq!(of_class, Some(curr), "{cpu} executes another task than its queue says");
            }
            Phase::Switching { .. } => {
                assert_eq!(self.current_of_class(cpu), rq.curr, "{cpu} switches to another task");
            }
            Phase::Balancing { .. } => {
                // A real-time task that was throttled is the current one until the switch, even if its time begins anew
                // during the balance.
                let curr = self.current_of_class(cpu);
                let is_throttled_one = rq.rt.curr.is_some() && rq.rt.curr == rq.curr;
                assert!(curr.is_none() || is_throttled_one, "{cpu} balances with {curr:?} as current task");
            }
        }
    }
}
