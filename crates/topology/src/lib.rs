//! Machines: CPUs, SMT, caches, capacities, and the sched domains that the kernel builds from them.

mod build;
mod cpu_set;
mod device;
mod domain;
mod machine;
mod preset;

pub use build::build_domains;
pub use cpu_set::CpuSet;
pub use device::{CpuKind, Device, IdleSpec, Opp, PerfDomain};
pub use domain::{Domain, DomainFlags, Domains, Group, Level};
pub use machine::{Cpu, Topology};
pub use preset::{MACHINE_PRESETS, MachinePreset, Shape};
