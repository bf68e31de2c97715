//! Energy-aware placement: on which CPU a task takes the least power, by a table of frequencies and powers for each
//! performance domain.

use sim::CpuId;

use crate::balance::fits_capacity;

/// A row of a performance domain's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PerfState {
    /// Frequency in kHz.
    pub khz: u64,
    /// What a busy CPU takes, in whole mW.
    pub milliwatts: u64,
    /// Power for each part of capacity, scaled by the highest frequency.
    pub cost: u64,
}

impl PerfState {
    /// The table of a domain, from frequencies in kHz and powers in µW in ascending order.
    ///
    /// Kernel: energy_model.c em_create_pd(), v5.0…v5.10
    /// Differs: nothing.
    pub fn table(opps: impl IntoIterator<Item = (u32, u32)>) -> Vec<PerfState> {
        let rows = opps.into_iter().map(|(khz, microwatts)| (u64::from(khz), u64::from(microwatts / 1_000)));
        let rows: Vec<(u64, u64)> = rows.collect();
        let max = rows.last().map_or(0, |(khz, _)| *khz);
        let state = |(khz, milliwatts): (u64, u64)| PerfState {
            khz,
            milliwatts,
            cost: max * milliwatts / khz.max(1),
        };
        rows.into_iter().map(state).collect()
    }
}

/// The frequency that a utilisation asks for, with a quarter to spare. `capacity` is what `freq` gives.
///
/// Kernel: cpufreq.h map_util_freq(), v5.0…v6.1
/// Differs: nothing.
#[inline]
pub const fn map_util_freq(util: u64, freq: u64, capacity: u64) -> u64 {
    (freq + (freq >> 2)) * util / capacity
}

/// What classes use of a CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Utilisation of the fair class.
    pub fair: u64,
    /// Utilisation of the real-time class.
    pub rt: u64,
    /// Whether a real-time task runs or waits.
    pub rt_runnable: bool,
}

impl Usage {
    /// The utilisation by which a frequency is chosen, at most `max`.
    ///
    /// Kernel: cpufreq_schedutil.c schedutil_cpu_util() with FREQUENCY_UTIL, v5.0…v5.10
    /// Differs: no deadline class; interrupts take no part, and there is no uclamp.
    #[inline]
    pub fn for_frequency(&self, max: u64) -> u64 {
        if self.rt_runnable { max } else { self.for_energy(max) }
    }

    /// The share of the time in which power is taken, at most `max`.
    ///
    /// Kernel: cpufreq_schedutil.c schedutil_cpu_util() with ENERGY_UTIL, v5.0…v5.10
    /// Differs: as for frequencies.
    #[inline]
    pub fn for_energy(&self, max: u64) -> u64 {
        (self.fair + self.rt).min(max)
    }
}

/// A CPU as the search sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuRoom {
    /// The CPU.
    pub cpu: CpuId,
    /// Whether the task may run there.
    pub allowed: bool,
    /// `capacity_of()`.
    pub capacity: u64,
    /// What is used of it without the task.
    pub without: Usage,
    /// What would be used with it.
    pub with: Usage,
}

/// A performance domain as the search sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfRoom<'a> {
    /// Its table, in ascending order.
    pub states: &'a [PerfState],
    /// The capacity of its CPUs at the highest frequency.
    pub capacity: u64,
    /// Its CPUs.
    pub cpus: Vec<CpuRoom>,
}

impl PerfRoom<'_> {
    /// The power of the domain in mW, with the task on one of its CPUs or on none.
    ///
    /// Kernel: fair.c compute_energy() with energy_model.h em_pd_energy(), v5.0…v5.10
    /// Differs: nothing.
    pub fn energy(&self, dst: Option<CpuId>) -> u64 {
        let usage = |room: &CpuRoom| if Some(room.cpu) == dst { room.with } else { room.without };
        let for_frequency = self.cpus.iter().map(|room| usage(room).for_frequency(self.capacity));
        let sum = self.cpus.iter().map(|room| usage(room).for_energy(self.capacity)).sum();
        em_pd_energy(self.states, self.capacity, for_frequency.max().unwrap_or(0), sum)
    }
}

/// The power of a domain whose most used CPU sets the frequency.
///
/// Kernel: energy_model.h em_pd_energy(), v5.0…v5.10
/// Differs: nothing.
pub fn em_pd_energy(states: &[PerfState], capacity: u64, max_util: u64, sum_util: u64) -> u64 {
    let Some(fastest) = states.last() else { return 0 };
    let asked = map_util_freq(max_util, fastest.khz, capacity);
    let state = states.iter().find(|state| asked <= state.khz).unwrap_or(fastest);
    state.cost * sum_util / capacity
}

/// What the search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnergyChoice {
    /// Where the task goes.
    pub cpu: CpuId,
    /// The candidates in their order, with the power in mW that the task adds there.
    pub candidates: Vec<(CpuId, u64)>,
}

/// The CPU on which a waking task takes the least power: its previous one, or in each domain the one with most room.
/// It moves only for a saving of more than a sixteenth where `margin` says so.
///
/// Kernel: fair.c find_energy_efficient_cpu(), v5.4…v5.10
/// Differs: a table that overflows a utilisation is looked up as it is; from v6.0 on the margin is gone, and a domain's
/// busy time is bounded otherwise there.
pub fn find_energy_efficient_cpu(domains: &[PerfRoom<'_>], prev: CpuId, margin: bool) -> EnergyChoice {
    let mut choice = EnergyChoice { cpu: prev, candidates: Vec::new() };
    let mut best_delta = u64::MAX;
    let mut prev_delta = None;
    let mut base_energy = 0;
    for domain in domains {
        let base = domain.energy(None);
        base_energy += base;
        let mut roomiest: Option<(u64, CpuId)> = None;
        for room in domain.cpus.iter().filter(|room| room.allowed) {
            // It does not count what real-time tasks use here: the capacity is without that already.
            let util = room.with.fair;
            if !fits_capacity(util, room.capacity) {
                continue;
            }
            if room.cpu == prev {
                let delta = domain.energy(Some(prev)).saturating_sub(base);
                choice.candidates.push((prev, delta));
                best_delta = best_delta.min(delta);
                prev_delta = Some(delta);
            }
            let spare = room.capacity - util;
            if roomiest.is_none_or(|(most, _)| most < spare) {
                roomiest = Some((spare, room.cpu));
            }
        }
        if let Some((_, cpu)) = roomiest.filter(|(_, cpu)| *cpu != prev) {
            let delta = domain.energy(Some(cpu)).saturating_sub(base);
            choice.candidates.push((cpu, delta));
            if delta < best_delta {
                best_delta = delta;
                choice.cpu = cpu;
            }
        }
    }
    if let Some(prev_delta) = prev_delta {
        let least = if margin { (prev_delta + base_energy) >> 4 } else { 0 };
        if prev_delta - best_delta <= least {
            choice.cpu = prev;
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of the HiKey 960, in kHz and µW.
    const LITTLE: [(u32, u32); 5] = [
        (533_000, 28_728),
        (999_000, 70_329),
        (1_402_000, 124_918),
        (1_709_000, 187_990),
        (1_844_000, 245_436),
    ];
    const BIG: [(u32, u32); 5] = [
        (903_000, 243_358),
        (1_421_000, 500_192),
        (1_805_000, 804_127),
        (2_112_000, 1_161_600),
        (2_362_000, 1_571_911),
    ];

    fn room(cpu: u16, capacity: u64, used: u64, task: u64) -> CpuRoom {
        let usage = |fair| Usage { fair, ..Usage::default() };
        CpuRoom { cpu: CpuId(cpu), allowed: true, capacity, without: usage(used), with: usage(used + task) }
    }

    #[test]
    fn costs_are_power_for_a_part_of_capacity() {
        let costs: Vec<u64> = PerfState::table(LITTLE).iter().map(|state| state.cost).collect();
        // 1844 × 28 / 533 = 96.8, 1844 × 70 / 999 = 129.2, …
        assert_eq!(costs, [96, 129, 163, 201, 245]);
    }

    #[test]
    fn the_most_used_cpu_sets_the_frequency_with_a_quarter_to_spare() {
        let states = PerfState::table(LITTLE);
        // 106 × 1.25 × 1844 / 462 = 528.9 MHz: the lowest point, 96 × 106 / 462.
        assert_eq!(em_pd_energy(&states, 462, 106, 106), 22);
        // 107 asks for 533.8 MHz, the next one.
        assert_eq!(em_pd_energy(&states, 462, 107, 107), 29);
        assert_eq!(em_pd_energy(&states, 462, 462, 4 * 462), 980);
        assert_eq!(em_pd_energy(&states, 462, 0, 0), 0);
    }

    #[test]
    fn a_small_task_moves_from_a_big_cpu_to_a_little_one() {
        let (little, big) = (PerfState::table(LITTLE), PerfState::table(BIG));
        let domains = [
            PerfRoom { states: &little, capacity: 462, cpus: vec![room(0, 460, 0, 60), room(1, 460, 0, 60)] },
            PerfRoom { states: &big, capacity: 1024, cpus: vec![room(4, 1021, 0, 60)] },
        ];
        let choice = find_energy_efficient_cpu(&domains, CpuId(4), true);
        assert_eq!(choice.cpu, CpuId(0), "the first of equals");
        // 96 × 60 / 462 = 12 against 2362 × 243 / 903 × 60 / 1024 = 37.
        assert_eq!(choice.candidates, [(CpuId(0), 12), (CpuId(4), 37)]);
    }

    #[test]
    fn a_task_stays_where_moving_saves_too_little() {
        let little = PerfState::table(LITTLE);
        let cpus = vec![room(0, 460, 100, 100), room(1, 460, 0, 100)];
        let domains = [PerfRoom { states: &little, capacity: 462, cpus }];
        // On the used CPU the frequency rises: 129 × 200 / 462 = 55 of 20, against 96 × 200 / 462 = 41.
        let choice = find_energy_efficient_cpu(&domains, CpuId(0), true);
        assert_eq!((choice.cpu, choice.candidates), (CpuId(1), vec![(CpuId(0), 35), (CpuId(1), 21)]));
        // Beside a domain that uses much, 14 mW are less than a sixteenth.
        let big = PerfState::table(BIG);
        let hot = PerfRoom { states: &big, capacity: 1024, cpus: vec![room(4, 1021, 900, 100)] };
        let domains = [domains[0].clone(), hot];
        assert_eq!(find_energy_efficient_cpu(&domains, CpuId(0), true).cpu, CpuId(0));
        assert_eq!(find_energy_efficient_cpu(&domains, CpuId(0), false).cpu, CpuId(1));
    }

    #[test]
    fn cpus_that_a_task_does_not_fit_are_no_candidates() {
        let (little, big) = (PerfState::table(LITTLE), PerfState::table(BIG));
        let domains = [
            PerfRoom {
                states: &little,
                capacity: 462,
                cpus: vec![room(0, 460, 0, 380), room(1, 460, 0, 380)],
            },
            PerfRoom { states: &big, capacity: 1024, cpus: vec![room(4, 1021, 0, 380)] },
        ];
        assert_eq!(find_energy_efficient_cpu(&domains, CpuId(0), true).cpu, CpuId(4));
        assert_eq!(find_energy_efficient_cpu(&domains[..1], CpuId(0), true).cpu, CpuId(0), "nowhere to go");
    }

    #[test]
    fn a_real_time_task_asks_for_all_of_a_cpu() {
        let usage = Usage { fair: 100, rt: 50, rt_runnable: true };
        assert_eq!((usage.for_frequency(462), usage.for_energy(462)), (462, 150));
    }
}
