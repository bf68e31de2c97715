use sim::CpuId;

use crate::PerfDomain;

/// A machine: its CPUs in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Topology {
    /// The CPUs, 1 to [`CpuSet::CAPACITY`](crate::CpuSet::CAPACITY) of them.
    pub cpus: Vec<Cpu>,
    /// Its frequency domains, in the order of their CPUs; empty where nothing is known of frequencies and power, and every
    /// CPU runs at its highest.
    pub performance: Vec<PerfDomain>,
}

/// Where a CPU sits and how much it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Cpu {
    /// Its core, numbered over the whole machine; CPUs of one core are hardware threads.
    pub core: u16,
    /// Its last-level cache, numbered over the whole machine.
    pub llc: u16,
    /// Its package, numbered over the whole machine.
    pub package: u16,
    /// Its memory node.
    pub node: u16,
    /// Its capacity (`arch_scale_cpu_capacity`), 1 to 1024; the biggest CPU has 1024.
    pub capacity: u32,
}

impl Topology {
    /// A symmetric machine of `packages` packages (one memory node each where there are more than one), each of
    /// `llcs` last-level caches of `cores` cores of `threads` hardware threads. Threads of a core are numbered side
    /// by side.
    pub fn regular(packages: u16, llcs: u16, cores: u16, threads: u16) -> Topology {
        let mut cpus = Vec::new();
        for package in 0..packages {
            for llc in 0..llcs {
                let llc = package * llcs + llc;
                for core in 0..cores {
                    let core = llc * cores + core;
                    for _ in 0..threads {
                        cpus.push(Cpu { core, llc, package, node: package, capacity: 1024 });
                    }
                }
            }
        }
        Topology { cpus, performance: Vec::new() }
    }

    /// How many CPUs there are.
    pub fn len(&self) -> usize {
        self.cpus.len()
    }

    /// Whether there is no CPU, which no valid machine has.
    pub fn is_empty(&self) -> bool {
        self.cpus.is_empty()
    }

    /// The numbers of the CPUs.
    pub fn ids(&self) -> impl Iterator<Item = CpuId> + use<> {
        (0..self.cpus.len()).map(|cpu| CpuId(cpu as u16))
    }
}
