use crate::device::{HIKEY960, MT8192, MTK_2P6, MTK_2P6_2C};
use crate::{Device, Topology};

/// A machine that has a name.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct MachinePreset {
    /// The name used in links, on the page and on the command line.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// Its shape: where it is a device whose clusters differ, that of a regular machine with as many cores.
    pub shape: Shape,
    /// The capacity of each core; empty where all have 1024.
    pub capacities: &'static [u32],
    /// What it is made of, where that is known; else every CPU is like every other.
    pub device: Option<&'static Device>,
}

/// How a regular machine is divided: every part of a level has as many parts as its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Packages; each is a memory node where there are several.
    pub packages: u16,
    /// Last-level caches of a package.
    pub llcs: u16,
    /// Cores under a last-level cache.
    pub cores: u16,
    /// Hardware threads of a core.
    pub threads: u16,
}

/// Every machine that has a name; the first is the default.
///
/// Source: the device tree of the HiKey 620 has two clusters of four Cortex-A53 with a level-2 cache each and no
/// `capacity-dmips-mhz`; the 40-CPU machine is the one on which the `llc-spread` patch was cross-checked. Guests on a
/// Xeon Platinum 8369B see two threads a core on one socket, which is what the measurements of `ttwu-pending` were
/// made on; the 104-CPU machine is the Xeon Platinum 8269CY pair of its cross-check. The last four are devices, whose
/// sources stand with their kinds of CPU.
pub const MACHINE_PRESETS: &[MachinePreset] = &[
    MachinePreset {
        name: "hikey620",
        title: "HiKey 620",
        summary: "An Arm board with two clusters of four equal Cortex-A53, each cluster with its own last-level cache.",
        shape: Shape { packages: 1, llcs: 2, cores: 4, threads: 1 },
        capacities: &[],
        device: None,
    },
    MachinePreset {
        name: "llc8",
        title: "Eight CPUs, one cache",
        summary: "Eight equal CPUs that share one last-level cache.",
        shape: Shape { packages: 1, llcs: 1, cores: 8, threads: 1 },
        capacities: &[],
        device: None,
    },
    MachinePreset {
        name: "smt40",
        title: "40-CPU SMT server",
        summary: "Twenty cores of two hardware threads each that share one last-level cache.",
        shape: Shape { packages: 1, llcs: 1, cores: 20, threads: 2 },
        capacities: &[],
        device: None,
    },
    MachinePreset {
        name: "vm32",
        title: "32-CPU virtual machine",
        summary: "A guest with sixteen cores of two hardware threads each that share one last-level cache.",
        shape: Shape { packages: 1, llcs: 1, cores: 16, threads: 2 },
        capacities: &[],
        device: None,
    },
    MachinePreset {
        name: "smt104",
        title: "104-CPU server, two sockets",
        summary: "Two packages with memory of their own, each with twenty-six cores of two hardware threads under one \
                  last-level cache.",
        shape: Shape { packages: 2, llcs: 1, cores: 26, threads: 2 },
        capacities: &[],
        device: None,
    },
    MachinePreset {
        name: "mtk-2p6",
        title: "Phone, 2 big + 6 small CPUs",
        summary: "A MediaTek phone with two Cortex-A76 and six Cortex-A55 under one last-level cache.",
        shape: Shape { packages: 1, llcs: 1, cores: 8, threads: 1 },
        capacities: &[372, 372, 372, 372, 372, 372, 1024, 1024],
        device: Some(&MTK_2P6),
    },
    MachinePreset {
        name: "mtk-2p6-2c",
        title: "Phone, 2 + 6 CPUs in two clusters",
        summary: "The same two Cortex-A76 and six Cortex-A55, each cluster with its own last-level cache.",
        shape: Shape { packages: 1, llcs: 1, cores: 8, threads: 1 },
        capacities: &[372, 372, 372, 372, 372, 372, 1024, 1024],
        device: Some(&MTK_2P6_2C),
    },
    MachinePreset {
        name: "hikey960",
        title: "HiKey 960",
        summary: "An Arm board with a cluster of four Cortex-A53 and one of four Cortex-A73.",
        shape: Shape { packages: 1, llcs: 2, cores: 4, threads: 1 },
        capacities: &[462, 462, 462, 462, 1024, 1024, 1024, 1024],
        device: Some(&HIKEY960),
    },
    MachinePreset {
        name: "mt8192",
        title: "Phone, 4 big + 4 small CPUs",
        summary: "Four Cortex-A76 and four Cortex-A55 under one last-level cache, as in a MediaTek MT8192.",
        shape: Shape { packages: 1, llcs: 1, cores: 8, threads: 1 },
        capacities: &[416, 416, 416, 416, 1024, 1024, 1024, 1024],
        device: Some(&MT8192),
    },
];

impl MachinePreset {
    /// The machine with a name.
    pub fn find(name: &str) -> Option<&'static MachinePreset> {
        MACHINE_PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The machine.
    pub fn topology(&self) -> Topology {
        match self.device {
            Some(device) => device.topology(),
            None => self.shape.topology(self.capacities),
        }
    }
}

impl Shape {
    /// How many cores there are in the whole machine.
    pub fn core_count(self) -> u32 {
        [self.packages, self.llcs, self.cores].into_iter().map(u32::from).fold(1, u32::saturating_mul)
    }

    /// How many CPUs there are in the whole machine.
    pub fn cpu_count(self) -> u32 {
        self.core_count().saturating_mul(u32::from(self.threads))
    }

    /// The machine. `capacities` holds the capacity of each core in the order of their numbers, 1 to 1024;
    /// cores beyond its end have 1024.
    pub fn topology(self, capacities: &[u32]) -> Topology {
        let mut topology = Topology::regular(self.packages, self.llcs, self.cores, self.threads);
        for cpu in &mut topology.cpus {
            cpu.capacity = capacities.get(usize::from(cpu.core)).copied().unwrap_or(cpu.capacity);
        }
        topology
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuSet, build_domains};

    #[test]
    fn named_machines_have_the_cpus_and_caches_that_they_say() {
        let spans: Vec<(&str, usize, usize, usize)> = MACHINE_PRESETS
            .iter()
            .map(|preset| {
                let topology = preset.topology();
                let domains = build_domains(&topology);
                assert_eq!(preset.shape.cpu_count() as usize, topology.len());
                if let Some(device) = preset.device {
                    assert_eq!(device.capacities(), preset.capacities, "{}", preset.name);
                }
                (preset.name, topology.len(), domains.llc_span[0].len(), domains.smt_span[0].len())
            })
            .collect();
        assert_eq!(
            spans,
            [
                ("hikey620", 8, 4, 1),
                ("llc8", 8, 8, 1),
                ("smt40", 40, 40, 2),
                ("vm32", 32, 32, 2),
                ("smt104", 104, 52, 2),
                ("mtk-2p6", 8, 8, 1),
                ("mtk-2p6-2c", 8, 6, 1),
                ("hikey960", 8, 4, 1),
                ("mt8192", 8, 8, 1),
            ]
        );
    }

    #[test]
    fn names_are_found_and_unique() {
        for preset in MACHINE_PRESETS {
            assert_eq!(MachinePreset::find(preset.name), Some(preset));
        }
        assert_eq!(MachinePreset::find("custom"), None);
    }

    #[test]
    fn capacities_are_by_core_and_reach_every_thread_of_it() {
        let shape = Shape { packages: 1, llcs: 1, cores: 3, threads: 2 };
        let capacities: Vec<u32> = shape.topology(&[512, 256]).cpus.iter().map(|cpu| cpu.capacity).collect();
        assert_eq!(capacities, [512, 512, 256, 256, 1024, 1024]);
    }

    #[test]
    fn counts_of_absurd_shapes_saturate() {
        let shape = Shape { packages: u16::MAX, llcs: u16::MAX, cores: u16::MAX, threads: u16::MAX };
        assert_eq!(shape.cpu_count(), u32::MAX);
        assert!(CpuSet::CAPACITY < shape.cpu_count() as usize);
    }
}
