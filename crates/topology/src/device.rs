use crate::{CpuSet, Topology};

/// What a device is made of: runs of CPUs of one kind, in the order of their numbers.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Its CPUs: how many of which kind. CPUs of a run change their frequency together.
    pub runs: &'static [(u16, &'static CpuKind)],
    /// Whether each run has a last-level cache of its own; else all share one.
    pub cache_per_run: bool,
}

/// A kind of CPU.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct CpuKind {
    /// What it is called.
    pub name: &'static str,
    /// `capacity-dmips-mhz`: work for each megahertz, 1024 for the strongest kind of a device.
    pub dmips_mhz: u32,
    /// `dynamic-power-coefficient`: µW for each megahertz and square volt.
    pub power_coefficient: u32,
    /// Frequency in MHz and voltage in mV, from the slowest on.
    pub opps: &'static [(u32, u32)],
    /// How long a change of frequency takes, in microseconds.
    pub transition_us: u32,
    /// Its idle states below waiting for an interrupt, from the shallowest on.
    pub idle: &'static [IdleSpec],
}

/// An idle state of a kind of CPU.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct IdleSpec {
    /// Its name.
    pub name: &'static str,
    /// How long leaving it takes, in microseconds.
    pub exit_us: u32,
    /// How long it must last to be worth entering, in microseconds.
    pub residency_us: u32,
}

/// CPUs that change their frequency together, and what that costs: a frequency domain and a performance domain of the
/// energy model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct PerfDomain {
    /// Its first CPU.
    pub first_cpu: u16,
    /// How many CPUs from there on.
    pub cpus: u16,
    /// Its operating points, from the slowest on; at least one.
    pub opps: Vec<Opp>,
    /// How long a change of frequency takes, in nanoseconds.
    pub transition_ns: u64,
}

/// An operating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Opp {
    /// Frequency in kHz.
    pub khz: u32,
    /// What a busy CPU takes, in µW.
    pub microwatts: u32,
}

impl PerfDomain {
    /// Its CPUs.
    pub fn span(&self) -> CpuSet {
        (self.first_cpu..self.first_cpu + self.cpus).map(sim::CpuId).collect()
    }

    /// Its highest frequency in kHz.
    pub fn max_khz(&self) -> u32 {
        self.opps.last().map_or(1, |opp| opp.khz)
    }
}

impl CpuKind {
    /// Its operating points: a busy CPU takes coefficient × frequency × voltage².
    ///
    /// Kernel: opp/of.c `_get_cpu_power()`, v5.0…v6.18.
    /// Differs: whole microwatts are kept, of which the kernel's table has whole milliwatts.
    pub fn opps(&self) -> Vec<Opp> {
        let power =
            |mhz: u32, mv: u32| u64::from(self.power_coefficient) * u64::from(mhz) * u64::from(mv).pow(2);
        let opp = |(mhz, mv): &(u32, u32)| Opp {
            khz: mhz * 1_000,
            microwatts: (power(*mhz, *mv) / 1_000_000) as u32,
        };
        self.opps.iter().map(opp).collect()
    }

    /// Its highest frequency in MHz.
    fn max_mhz(&self) -> u64 {
        self.opps.last().map_or(1, |(mhz, _)| u64::from(*mhz))
    }
}

impl Device {
    /// The capacity of each core: work for each megahertz times the highest frequency, 1024 for the strongest.
    ///
    /// Kernel: arch_topology.c topology_normalize_cpu_scale(), v4.13…v6.18.
    /// Differs: nothing.
    pub fn capacities(&self) -> Vec<u32> {
        let strength = |kind: &CpuKind| u64::from(kind.dmips_mhz) * kind.max_mhz();
        let strongest = self.runs.iter().map(|(_, kind)| strength(kind)).max().unwrap_or(1);
        let capacity = |kind: &CpuKind| (strength(kind) * 1024 / strongest) as u32;
        self.runs.iter().flat_map(|(cpus, kind)| (0..*cpus).map(move |_| capacity(kind))).collect()
    }

    /// The kind of each CPU.
    pub fn kinds(&self) -> impl Iterator<Item = &'static CpuKind> {
        self.runs.iter().flat_map(|(cpus, kind)| (0..*cpus).map(|_| *kind))
    }

    /// The machine: a core a CPU.
    pub fn topology(&self) -> Topology {
        let capacities = self.capacities();
        let mut topology = Topology::regular(1, 1, capacities.len() as u16, 1);
        for (cpu, capacity) in topology.cpus.iter_mut().zip(capacities) {
            cpu.capacity = capacity;
        }
        let mut first_cpu = 0;
        for (run, (cpus, kind)) in self.runs.iter().enumerate() {
            for cpu in &mut topology.cpus[usize::from(first_cpu)..usize::from(first_cpu + cpus)] {
                cpu.llc = if self.cache_per_run { run as u16 } else { 0 };
            }
            let transition_ns = u64::from(kind.transition_us) * 1_000;
            topology.performance.push(PerfDomain {
                first_cpu,
                cpus: *cpus,
                opps: kind.opps(),
                transition_ns,
            });
            first_cpu += cpus;
        }
        topology
    }
}

const fn idle(name: &'static str, exit_us: u32, residency_us: u32) -> IdleSpec {
    IdleSpec { name, exit_us, residency_us }
}

/// Source: device tree of the hi3660, as in `model/rt-and-launch.md` 3.3.
static HIKEY960_LITTLE: CpuKind = CpuKind {
    name: "Cortex-A53",
    dmips_mhz: 592,
    power_coefficient: 110,
    opps: &[(533, 700), (999, 800), (1402, 900), (1709, 1000), (1844, 1100)],
    transition_us: 300,
    idle: &[idle("CPU_SLEEP", 650, 1_500), idle("CLUSTER_SLEEP", 1_600, 3_500)],
};

/// Source: device tree of the hi3660, as in `model/rt-and-launch.md` 3.3.
static HIKEY960_BIG: CpuKind = CpuKind {
    name: "Cortex-A73",
    dmips_mhz: 1024,
    power_coefficient: 550,
    opps: &[(903, 700), (1421, 800), (1805, 900), (2112, 1000), (2362, 1100)],
    transition_us: 300,
    idle: &[idle("CPU_SLEEP", 550, 1_500), idle("CLUSTER_SLEEP", 2_900, 3_500)],
};

const A55_OPPS: &[(u32, u32)] = &[
    (500, 600),
    (774, 675),
    (875, 700),
    (975, 725),
    (1075, 750),
    (1175, 775),
    (1275, 800),
    (1375, 825),
    (1500, 856),
    (1618, 875),
    (1666, 900),
    (1733, 925),
    (1800, 950),
    (1866, 981),
    (1933, 1006),
    (2000, 1031),
];

const A76_OPPS: &[(u32, u32)] = &[
    (774, 675),
    (835, 694),
    (919, 719),
    (1002, 744),
    (1085, 775),
    (1169, 800),
    (1308, 844),
    (1419, 875),
    (1530, 912),
    (1670, 956),
    (1733, 981),
    (1796, 1012),
    (1860, 1037),
    (1923, 1062),
    (1986, 1094),
    (2050, 1119),
];

/// Source: device tree of the MT8186, as in `model/rt-and-launch.md` 3.2, which gives no transition latency: that of the
/// other device is assumed.
static MT8186_LITTLE: CpuKind = CpuKind {
    name: "Cortex-A55",
    dmips_mhz: 382,
    power_coefficient: 84,
    opps: A55_OPPS,
    transition_us: 300,
    idle: &[idle("RETENTION", 100, 1_600), idle("OFF", 250, 2_100)],
};

/// Source: as of [`MT8186_LITTLE`].
static MT8186_BIG: CpuKind = CpuKind {
    name: "Cortex-A76",
    dmips_mhz: 1024,
    power_coefficient: 335,
    opps: A76_OPPS,
    transition_us: 300,
    idle: &[idle("RETENTION", 100, 1_400), idle("OFF", 250, 1_900)],
};

/// Source: `model/rt-and-launch.md` 3.2 for strength and the time to leave the idle state; operating points, power and
/// residency are assumed to be those of the MT8186, which has the same kinds of core.
static MT8192_LITTLE: CpuKind = CpuKind {
    name: "Cortex-A55",
    dmips_mhz: 427,
    power_coefficient: 84,
    opps: A55_OPPS,
    transition_us: 300,
    idle: &[idle("OFF", 155, 2_100)],
};

/// Source: as of [`MT8192_LITTLE`].
static MT8192_BIG: CpuKind = CpuKind {
    name: "Cortex-A76",
    dmips_mhz: 1024,
    power_coefficient: 335,
    opps: A76_OPPS,
    transition_us: 300,
    idle: &[idle("OFF", 140, 1_900)],
};

/// Six small and two big cores under one cache.
pub(crate) static MTK_2P6: Device =
    Device { runs: &[(6, &MT8186_LITTLE), (2, &MT8186_BIG)], cache_per_run: false };

/// The same cores as two clusters.
pub(crate) static MTK_2P6_2C: Device =
    Device { runs: &[(6, &MT8186_LITTLE), (2, &MT8186_BIG)], cache_per_run: true };

/// Four small and four big cores in two clusters.
pub(crate) static HIKEY960: Device =
    Device { runs: &[(4, &HIKEY960_LITTLE), (4, &HIKEY960_BIG)], cache_per_run: true };

/// Four small and four big cores under one cache.
pub(crate) static MT8192: Device =
    Device { runs: &[(4, &MT8192_LITTLE), (4, &MT8192_BIG)], cache_per_run: false };

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliwatts of some operating points as the kernel has them: cut.
    fn milliwatts(kind: &CpuKind, mhz: &[u32]) -> Vec<u32> {
        let opps = kind.opps();
        let at = |mhz: &u32| opps.iter().find(|opp| opp.khz == mhz * 1_000).unwrap().microwatts / 1_000;
        mhz.iter().map(at).collect()
    }

    #[test]
    fn capacities_are_those_of_the_document() {
        assert_eq!(HIKEY960.capacities(), [462, 462, 462, 462, 1024, 1024, 1024, 1024]);
        assert_eq!(MTK_2P6.capacities(), [372, 372, 372, 372, 372, 372, 1024, 1024]);
        assert_eq!(MT8192.capacities()[3..5], [416, 1024]);
    }

    #[test]
    fn powers_are_those_of_the_document() {
        let little = milliwatts(&HIKEY960_LITTLE, &[533, 999, 1402, 1709, 1844]);
        assert_eq!(little, [28, 70, 124, 187, 245]);
        let big = milliwatts(&HIKEY960_BIG, &[903, 1421, 1805, 2112, 2362]);
        assert_eq!(big, [243, 500, 804, 1161, 1571]);
        // The document computes these two tables with unrounded voltages.
        assert_eq!(
            milliwatts(&MT8186_LITTLE, &[500, 1075, 1375, 1618, 1800, 2000]),
            [15, 50, 78, 104, 136, 178]
        );
        assert_eq!(
            milliwatts(&MT8186_BIG, &[774, 1085, 1419, 1670, 1860, 2050]),
            [118, 218, 363, 511, 670, 859]
        );
    }

    #[test]
    fn frequencies_and_powers_rise_together() {
        for device in [&MTK_2P6, &MTK_2P6_2C, &HIKEY960, &MT8192] {
            let topology = device.topology();
            let mut covered = CpuSet::default();
            for domain in &topology.performance {
                assert!(domain.opps.windows(2).all(|pair| pair[0].khz < pair[1].khz));
                assert!(domain.opps.windows(2).all(|pair| pair[0].microwatts < pair[1].microwatts));
                domain.span().iter().for_each(|cpu| covered.insert(cpu));
            }
            assert_eq!(covered.len(), topology.len(), "each CPU has a performance domain");
            assert_eq!(device.kinds().count(), topology.len());
        }
    }
}
