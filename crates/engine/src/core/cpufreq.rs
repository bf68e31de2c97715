//! Frequencies: which one a domain has, who changes it, and what power its busy CPUs take meanwhile.

use kernel::Governor;
use rules::cpufreq;
use rules::invariance::{freq_scale, work_rate};
use sim::CpuId;
use topology::CpuSet;
use trace::{Event, EventKind};

use crate::engine::{Config, Engine, MachineEvent};
use crate::rq::Phase;

/// A frequency domain at work (`cpufreq_policy`).
#[derive(Clone, Debug, Hash)]
pub(crate) struct FreqPolicy {
    /// The position of its operating point.
    opp: usize,
    /// The one that was asked for last.
    next: usize,
    /// Whether a change is on its way.
    changing: bool,
    /// When one was asked for last.
    last_update: Option<u64>,
    /// How many of its CPUs execute a task.
    busy_cpus: u64,
    /// Up to when power is accounted for.
    since: u64,
    /// What its CPUs have taken, in nanoseconds × µW.
    energy: u128,
}

/// What a performance domain has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainEnergy {
    /// Its CPUs.
    pub cpus: CpuSet,
    /// Energy in µJ.
    pub microjoules: u64,
}

impl FreqPolicy {
    /// The policies of a machine before its first event: at the highest frequency where that is fixed, else at the lowest.
    pub(crate) fn of_machine(config: &Config) -> Vec<FreqPolicy> {
        let policy = |states: usize| {
            let fixed = config.kernel.tunables.governor == Governor::Performance;
            let opp = if fixed { states.saturating_sub(1) } else { 0 };
            FreqPolicy {
                opp,
                next: opp,
                changing: false,
                last_update: None,
                busy_cpus: 0,
                since: 0,
                energy: 0,
            }
        };
        config.performance.iter().map(|domain| policy(domain.states.len())).collect()
    }

    fn account(&mut self, now: u64, microwatts: u64) {
        self.energy += u128::from((now - self.since) * self.busy_cpus) * u128::from(microwatts);
        self.since = now;
    }
}

impl Engine {
    /// Before its first event: sets every CPU's speed.
    pub(crate) fn init_frequencies(&mut self) {
        for at in 0..self.policies.len() {
            self.set_speeds(at);
        }
    }

    /// A CPU is about to execute a task, or its idle task: what its domain takes changes.
    #[inline]
    pub(crate) fn note_busy(&mut self, cpu: CpuId, busy: bool) {
        if !self.policies.is_empty() {
            self.account_busy(cpu, busy);
        }
    }

    #[inline(never)]
    fn account_busy(&mut self, cpu: CpuId, busy: bool) {
        let Some(&at) = self.config.perf_of_cpu.get(cpu.index()) else { return };
        if self.rqs[cpu.index()].curr.is_some() == busy {
            return;
        }
        let policy = &mut self.policies[at];
        policy.account(self.now, self.config.performance[at].microwatts[policy.opp]);
        policy.busy_cpus = if busy { policy.busy_cpus + 1 } else { policy.busy_cpus - 1 };
    }

    /// What each performance domain has taken so far: the time that its CPUs were busy times the power at their
    /// frequency. Idle CPUs count nothing.
    pub fn energies(&self) -> Vec<DomainEnergy> {
        let domains = self.policies.iter().zip(&self.config.performance);
        domains
            .map(|(policy, domain)| {
                let mut policy = policy.clone();
                policy.account(self.now, domain.microwatts[policy.opp]);
                // A nanosecond × µW is a femtojoule.
                DomainEnergy { cpus: domain.span, microjoules: (policy.energy / 1_000_000_000) as u64 }
            })
            .collect()
    }

    /// The averages of a CPU have changed: its domain may need another frequency.
    ///
    /// Kernel: cpufreq_schedutil.c sugov_update_shared() and sugov_should_update_freq(), v4.17…v6.1.
    /// Differs: the thread that changes the frequency is not there; the change takes its latency and nobody's time.
    #[inline]
    pub(crate) fn cpufreq_update_util(&mut self, cpu: CpuId) {
        if self.config.kernel.tunables.governor == Governor::Schedutil {
            self.choose_frequency(cpu);
        }
    }

    #[inline(never)]
    fn choose_frequency(&mut self, cpu: CpuId) {
        let Some(&at) = self.config.perf_of_cpu.get(cpu.index()) else { return };
        let domain = &self.config.performance[at];
        let policy = &self.policies[at];
        if policy.last_update.is_some_and(|last| self.now < last + domain.rate_limit_ns) {
            return;
        }
        let util = |cpu: CpuId| {
            let cfs = &self.rqs[cpu.index()].cfs;
            let fair = cfs.avg.util_avg.max(cfs.util_est_enqueued);
            self.usage(cpu, fair).for_frequency(domain.capacity)
        };
        let most = domain.span.iter().map(util).max().unwrap_or(0);
        let next = cpufreq::next_freq(&domain.states, domain.capacity, most);
        if next == policy.next {
            return;
        }
        let at_time = self.now + domain.transition_ns;
        let policy = &mut self.policies[at];
        policy.next = next;
        policy.last_update = Some(self.now);
        if !std::mem::replace(&mut policy.changing, true) {
            self.push(at_time, MachineEvent::Frequency { domain: at });
        }
    }

    /// A change of frequency takes effect.
    pub(crate) fn frequency_changes(&mut self, at: usize) {
        let now = self.now;
        let policy = &mut self.policies[at];
        policy.changing = false;
        if policy.next == policy.opp {
            return;
        }
        policy.account(now, self.config.performance[at].microwatts[policy.opp]);
        policy.opp = policy.next;
        let khz = self.config.performance[at].states[policy.opp].khz as u32;
        self.set_speeds(at);
        for cpu in self.config.performance[at].span.iter() {
            self.emit(EventKind::Frequency, cpu, Event::NO_TASK, [khz, 0], 0);
        }
    }

    /// Gives the CPUs of a domain the speed of its operating point. What their tasks have done is kept.
    fn set_speeds(&mut self, at: usize) {
        let config = self.config.clone();
        let domain = &config.performance[at];
        let khz = domain.states[self.policies[at].opp].khz;
        let max_khz = domain.states.last().map_or(khz, |state| state.khz);
        for cpu in domain.span.iter() {
            let runs = self.rqs[cpu.index()].phase == Phase::Running;
            if runs {
                self.pause_current(cpu);
            }
            let rq = &mut self.rqs[cpu.index()];
            rq.work_rate = work_rate(domain.capacity, khz, max_khz);
            let averages = work_rate(domain.capacity, freq_scale(khz, max_khz), 1024);
            rq.pelt_clock.set_rate(self.now, averages);
            if runs {
                self.continue_current(cpu);
            }
        }
    }
}
