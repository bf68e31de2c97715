//! The patch llc-spread at its two hunks: what each form answers where the mail's case occurs, and where it must not
//! matter.

use kernel::patches::llc_spread;
use kernel::{Audit, Era, Form, Hunk, Kernel, Patch, SilentAudit};
use rules::balance::{
    CpuIdleType, CpuState, DomainView, GroupFlags, GroupStats, Imbalance, MigrationType, find_busiest_group,
};

/// Notes what is said at each hunk.
#[derive(Default)]
struct Notes(Vec<(&'static Hunk, u8, Option<Form>)>);

impl Audit for Notes {
    fn wants_rivals(&self) -> bool {
        true
    }

    fn decision(&mut self, hunk: &'static Hunk, differing: u8, active: Option<Form>) {
        self.0.push((hunk, differing, active));
    }
}

/// The four CPUs of one HiKey cluster.
const LLC: DomainView = DomainView {
    shares_llc: true,
    shares_capacity: false,
    asym_capacity: false,
    numa: false,
    child_prefers_sibling: false,
    imbalance_pct: 117,
};

fn kernel(form: &str) -> Kernel {
    let mut kernel = Kernel::released(Era::V5_10, 8, 250);
    kernel.patches.set(Era::V5_10, Patch::LlcSpread, form).expect("v5.10 has the patch");
    kernel
}

fn cpu(nr_running: u32, util: u64) -> CpuState {
    CpuState {
        nr_running,
        h_nr_running: nr_running,
        load: 1024 * u64::from(nr_running),
        util,
        runnable: 1024 * u64::from(nr_running),
        capacity: 1021,
        capacity_orig: 1024,
        misfit_load: 0,
        idle: nr_running == 0,
    }
}

/// Statistics of groups of `size` CPUs, the local one first.
fn groups(domain: &DomainView, size: usize, cpus: &[CpuState]) -> Vec<GroupStats> {
    let group = |(position, cpus): (usize, &[CpuState])| {
        let mut stats = GroupStats::start(cpus.len() as u32);
        for cpu in cpus {
            stats.add(cpu);
        }
        stats.finish(domain, GroupFlags { local: position == 0, imbalanced: false });
        stats
    };
    cpus.chunks(size).enumerate().map(group).collect()
}

fn pull(
    kernel: &Kernel,
    audit: &mut dyn Audit,
    domain: &DomainView,
    groups: &[GroupStats],
) -> Option<Imbalance> {
    find_busiest_group(kernel, audit, domain, groups, CpuIdleType::NewlyIdle)
}

/// An idle CPU with a little utilisation left, a CPU with two spinners, two CPUs with one.
fn stacked(local_util: u64) -> [CpuState; 4] {
    [cpu(0, local_util), cpu(2, 1024), cpu(1, 1024), cpu(1, 1024)]
}

#[test]
fn an_idle_cpu_of_the_cluster_fills_util_in_base_and_takes_a_task_when_patched() {
    let groups = groups(&LLC, 1, &stacked(3));
    let util = Some(Imbalance { group: 1, migration: MigrationType::Util, imbalance: 1018 });
    let task = Some(Imbalance { group: 1, migration: MigrationType::Task, imbalance: 1 });
    for (form, wanted) in [("off", util), ("merged", task), ("group_weight", task), ("shift", util)] {
        assert_eq!(pull(&kernel(form), &mut SilentAudit, &LLC, &groups), wanted, "{form}");
    }
}

#[test]
fn the_form_that_asks_for_the_group_weight_does_nothing_on_smt() {
    let cores = groups(
        &DomainView { child_prefers_sibling: true, ..LLC },
        2,
        &[cpu(0, 0), cpu(0, 0), cpu(2, 1024), cpu(1, 1024)],
    );
    let domain = DomainView { child_prefers_sibling: true, ..LLC };
    let migration =
        |form| pull(&kernel(form), &mut SilentAudit, &domain, &cores).map(|found| found.migration);
    assert_eq!(migration("off"), Some(MigrationType::Util));
    assert_eq!(migration("group_weight"), Some(MigrationType::Util));
    assert_eq!(migration("merged"), Some(MigrationType::Task));
}

#[test]
fn between_clusters_the_patch_changes_nothing() {
    let between = DomainView { shares_llc: false, child_prefers_sibling: true, ..LLC };
    let clusters = groups(&between, 2, &[cpu(0, 0), cpu(0, 0), cpu(2, 1024), cpu(2, 1024)]);
    let off = pull(&kernel("off"), &mut SilentAudit, &between, &clusters);
    assert_eq!(off.map(|found| found.migration), Some(MigrationType::Util));
    assert_eq!(pull(&kernel("merged"), &mut SilentAudit, &between, &clusters), off);
}

#[test]
fn an_idle_cpu_that_still_looks_full_takes_a_task_even_in_base() {
    let groups = groups(&LLC, 1, &stacked(1023));
    let task = Some(Imbalance { group: 1, migration: MigrationType::Task, imbalance: 1 });
    for form in ["off", "merged"] {
        assert_eq!(pull(&kernel(form), &mut SilentAudit, &LLC, &groups), task, "{form}");
    }
}

#[test]
fn the_audit_hears_which_forms_differ_and_which_is_active() {
    let groups = groups(&LLC, 1, &stacked(3));
    for (form, active) in [("off", None), ("merged", Some(Form(0))), ("shift", Some(Form(2)))] {
        let mut notes = Notes::default();
        pull(&kernel(form), &mut notes, &LLC, &groups);
        assert_eq!(notes.0, [(&llc_spread::CALCULATE_IMBALANCE, 0b011, active)], "{form}");
    }
}

#[test]
fn the_hunk_is_not_reached_where_the_local_group_is_busy() {
    let mut notes = Notes::default();
    let groups = groups(&LLC, 1, &[cpu(1, 1024), cpu(3, 1024), cpu(1, 1024), cpu(1, 1024)]);
    let found = pull(&kernel("merged"), &mut notes, &LLC, &groups);
    assert_eq!(found.map(|found| found.migration), Some(MigrationType::Load));
    assert_eq!(notes.0, []);
}

/// Kept quirk of v5.10: the difference of idle CPUs is unsigned.
#[test]
fn fewer_idle_cpus_here_than_there_make_a_huge_number_of_tasks() {
    use rules::balance::{GroupType, SdLbStats, calculate_imbalance};
    let local = GroupStats { idle_cpus: 1, ..GroupStats::start(2) };
    let busiest =
        GroupStats { idle_cpus: 2, nr_running: 3, group_type: GroupType::FullyBusy, ..GroupStats::start(4) };
    let sds =
        SdLbStats { local: &local, busiest: &busiest, total_load: 0, total_capacity: 6144, avg_load: 0 };
    let amount = calculate_imbalance(&kernel("off"), &mut SilentAudit, &LLC, CpuIdleType::Idle, &sds);
    assert_eq!((amount.migration, amount.imbalance), (MigrationType::Task, i64::from(u32::MAX >> 1)));
}
