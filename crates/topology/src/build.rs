use sim::CpuId;

use crate::{CpuSet, Domain, DomainFlags, Domains, Group, Level, Topology};

/// Builds the sched domains of a machine.
///
/// Kernel: topology.c build_sched_domains(), v5.10.
/// Differs: all memory nodes are equally far from each other, so that there is at most one level of nodes.
pub fn build_domains(topology: &Topology) -> Domains {
    let masks = LevelMasks::new(topology);
    let asym_level = asym_cpu_capacity_level(topology, &masks);
    let by_cpu: Vec<Vec<Domain>> =
        topology.ids().map(|cpu| cpu_attach_domain(build_chain(topology, &masks, asym_level, cpu))).collect();
    let llc_span: Vec<CpuSet> =
        topology.ids().zip(&by_cpu).map(|(cpu, domains)| llc_span(cpu, domains)).collect();
    Domains {
        llc_id: topology.ids().zip(&llc_span).map(|(cpu, span)| span.lowest().unwrap_or(cpu)).collect(),
        llc_span,
        smt_span: topology.ids().map(|cpu| *masks.of(Level::Smt, cpu)).collect(),
        asymmetric: topology.cpus.iter().any(|cpu| cpu.capacity != topology.cpus[0].capacity),
        by_cpu,
    }
}

/// The CPUs of a CPU's last-level cache: the span of its highest domain that shares one, or the CPU alone.
///
/// Kernel: topology.c update_top_cache_domain(), v3.3…v6.18.
/// Differs: nothing.
fn llc_span(cpu: CpuId, domains: &[Domain]) -> CpuSet {
    let shares = domains.iter().rev().find(|domain| domain.flags.shares_llc);
    shares.map_or_else(|| [cpu].into_iter().collect(), |domain| domain.span)
}

const LEVELS: [Level; 4] = [Level::Smt, Level::Mc, Level::Die, Level::Numa];

/// For each level and CPU the CPUs that it is together with: the masks of the kernel's topology table.
/// Those of a lower level are inside those of a higher one whatever the numbers in the topology say.
struct LevelMasks {
    by_level: [Vec<CpuSet>; LEVELS.len()],
}

impl LevelMasks {
    fn new(topology: &Topology) -> LevelMasks {
        let mask = |level: Level, cpu: CpuId| -> CpuSet {
            let this = topology.cpus[cpu.index()];
            let together = |other: &CpuId| {
                let other = topology.cpus[other.index()];
                let same_node = this.node == other.node;
                let same_llc = same_node && this.llc == other.llc;
                match level {
                    Level::Smt => same_llc && this.core == other.core,
                    Level::Mc => same_llc,
                    Level::Die => same_node,
                    Level::Numa => true,
                }
            };
            topology.ids().filter(together).collect()
        };
        LevelMasks { by_level: LEVELS.map(|level| topology.ids().map(|cpu| mask(level, cpu)).collect()) }
    }

    fn of(&self, level: Level, cpu: CpuId) -> &CpuSet {
        &self.by_level[level as usize][cpu.index()]
    }
}

/// The level at which every CPU sees the biggest CPU that it will ever see, where CPUs differ in capacity.
///
/// Kernel: topology.c asym_cpu_capacity_level(), v4.20…v5.13.
/// Differs: nothing.
fn asym_cpu_capacity_level(topology: &Topology, masks: &LevelMasks) -> Option<Level> {
    let capacity = |cpu: CpuId| topology.cpus[cpu.index()].capacity;
    let biggest_seen = |level, cpu| masks.of(level, cpu).iter().map(capacity).max();
    let first_full_view = |cpu: CpuId| {
        let full_view = biggest_seen(Level::Numa, cpu);
        LEVELS.into_iter().find(|level| biggest_seen(*level, cpu) == full_view)
    };
    let is_asymmetric = topology.ids().any(|cpu| capacity(cpu) != topology.cpus[0].capacity);
    is_asymmetric.then(|| topology.ids().filter_map(first_full_view).max()).flatten()
}

/// The domains of a CPU from the lowest level up to the first that spans the machine, useless ones included.
///
/// Kernel: topology.c build_sched_domain(), v3.3…v6.18.
/// Differs: nothing.
fn build_chain(
    topology: &Topology,
    masks: &LevelMasks,
    asym_level: Option<Level>,
    cpu: CpuId,
) -> Vec<Domain> {
    let mut chain: Vec<Domain> = Vec::new();
    let mut child_level = None;
    for level in LEVELS {
        let mut domain = sd_init(level, *masks.of(level, cpu));
        domain.groups = build_sched_groups(masks, child_level, &domain.span, cpu);
        if asym_level == Some(level) {
            domain.flags.asym_capacity = true;
            if let Some(child) = chain.last_mut() {
                child.flags.prefer_sibling = false;
            }
        }
        let spans_machine = domain.span.len() == topology.len();
        chain.push(domain);
        if spans_machine {
            break;
        }
        child_level = Some(level);
    }
    chain
}

/// A domain of a level before its place in a chain is known.
///
/// Kernel: topology.c sd_init(), v5.10.
/// Differs: no node is so far away that forks and wake-ups are kept from it.
fn sd_init(level: Level, span: CpuSet) -> Domain {
    let weight = span.len() as u32;
    let (imbalance_pct, cache_nice_tries) = match level {
        Level::Smt => (110, 0),
        Level::Mc | Level::Die => (117, 1),
        Level::Numa => (117, 2),
    };
    Domain {
        level,
        span,
        span_weight: weight,
        flags: DomainFlags {
            shares_capacity: level == Level::Smt,
            shares_llc: level <= Level::Mc,
            prefer_sibling: level != Level::Numa,
            asym_capacity: false,
            wake_affine: true,
            balance_newidle: true,
            balance_fork: true,
            numa: level == Level::Numa,
            serialize: level == Level::Numa,
        },
        child_prefers_sibling: false,
        groups: Vec::new(),
        imbalance_pct,
        cache_nice_tries,
        min_interval_ms: weight,
        max_interval_ms: 2 * weight,
    }
}

/// The groups of a domain as the ring that one of its CPUs walks: its own group first, then on to higher CPUs.
///
/// Kernel: topology.c build_sched_groups() and build_overlap_sched_groups(), v3.3…v6.18.
/// Differs: nothing where nodes are equally far from each other.
fn build_sched_groups(
    masks: &LevelMasks,
    child_level: Option<Level>,
    span: &CpuSet,
    cpu: CpuId,
) -> Vec<Group> {
    let mut covered = CpuSet::default();
    let mut groups = Vec::new();
    for member in span.iter_wrapped(cpu) {
        if covered.contains(member) {
            continue;
        }
        let cpus: CpuSet =
            child_level.map_or_else(|| [member].into_iter().collect(), |level| *masks.of(level, member));
        cpus.iter().for_each(|cpu| covered.insert(cpu));
        let balance_cpu = cpus.lowest().unwrap_or(member);
        groups.push(Group { cpus, weight: cpus.len() as u32, balance_cpu });
    }
    groups
}

/// Leaves out the domains that divide nothing; one that is left out hands `prefer_sibling` down.
///
/// Kernel: topology.c cpu_attach_domain() with sd_degenerate() and sd_parent_degenerate(), v3.3…v6.18.
/// Differs: nothing.
fn cpu_attach_domain(chain: Vec<Domain>) -> Vec<Domain> {
    let mut kept: Vec<Domain> = Vec::new();
    for domain in chain {
        match kept.last_mut() {
            // A parent that spans the same CPUs, or still only the CPU itself, adds no group.
            Some(child) if child.span == domain.span => {
                child.flags.prefer_sibling |= domain.flags.prefer_sibling;
            }
            _ => kept.push(domain),
        }
    }
    if kept.first().is_some_and(|lowest| lowest.span_weight == 1) {
        kept.remove(0);
    }
    let mut child_prefers_sibling = false;
    for domain in &mut kept {
        domain.child_prefers_sibling = child_prefers_sibling;
        child_prefers_sibling = domain.flags.prefer_sibling;
    }
    kept
}

#[cfg(test)]
mod tests;
