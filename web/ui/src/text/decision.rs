//! The words for decisions: what was asked, what came out, and where two runs part.

use protocol::{
    BalanceReason, Consequence, DecisionKind, DecisionView, DivergenceSide, DivergenceView, EventView,
    OutcomeView, StepView, TaskFate, TaskName,
};

use super::{cpu, sentence};
use crate::format::{THIN, nanos, seconds};

mod start;

// Where runs part.
pub(crate) const DIVERGENCE: &str = "Where the runs part";
pub(crate) const DIVERGENCE_NOTE: &str = "the first decision that comes out otherwise";
pub(crate) const FIRST_DIVERGENCE: &str = "First divergence";
pub(crate) const NEXT_DIVERGENCE: &str = "Next divergence";
pub(crate) const PREVIOUS_DIVERGENCE: &str = "Previous divergence";
pub(crate) const DIVERGENCE_HINT: &str =
    "Press d, or “First divergence” over the timeline, to see where the two runs part and what follows.";
pub(crate) const ONE_COLUMN: &str = "There is only one column, so there is nothing to compare.";
pub(crate) const SEEKING: &str = "Running both columns side by side until they part";
pub(crate) const NEVER_PART: &str = "The two runs do not part: everything happens at the same time in both.";
pub(crate) const NO_MORE_PARTINGS: &str = "The two kernels decide alike from there to the end of the run.";
pub(crate) const NOTHING_DECIDED: &str = "No decision came out otherwise on this side.";
pub(crate) const OVER: &str = "The run is over on this side.";
pub(crate) const REST_ALIKE: &str = "Nothing else was asked on this side.";

// The inspector.
pub(crate) const INSPECTOR: &str = "Inspector";
pub(crate) const INSPECTOR_NOTE: &str = "one decision, taken apart";
pub(crate) const INSPECTOR_HINT: &str = "Press d to open the first divergence, or choose a moment: click a lane of the timeline, or press . and , \
     to go from decision to decision.";
pub(crate) const OPENING: &str = "Running up to this moment and asking again";
pub(crate) const NOTHING_AT: &str = "Nothing was decided at this moment.";
pub(crate) const NO_LATER: &str = "There is no later decision of this kind.";
pub(crate) const NO_EARLIER: &str = "There is no earlier decision of this kind.";
pub(crate) const NO_ANSWER: &str = "The simulator gave no answer to this question.";
pub(crate) const PREVIOUS_DECISION: &str = "Previous decision";
pub(crate) const NEXT_DECISION: &str = "Next decision";
pub(crate) const COLUMN: &str = "Column";
pub(crate) const KIND: &str = "Kind";
pub(crate) const CHECKS: &str = "What was asked, in this order";
pub(crate) const NO_CHECKS: &str = "Nothing had to be asked.";
pub(crate) const OUTCOME: &str = "Outcome";
pub(crate) const STATE_BESIDE: &str = "The machine just before";
pub(crate) const QUEUES: &str = "Run queues";
pub(crate) const QUEUE_HEADINGS: [&str; 6] =
    ["CPU", "Runs", "Waiting, vruntime", "nr_running", "util_avg", "load_avg"];
pub(crate) const GROUPS: &str = "Groups that were compared";
pub(crate) const GROUP_HEADINGS: [&str; 6] =
    ["Group of", "Type", "Running", "Idle CPUs", "Utilisation", "Load"];
pub(crate) const IDLE: &str = "idle";
pub(crate) const NOBODY: &str = "–";
pub(crate) const IN_FORCE: &str = "in force";
pub(crate) const WITHOUT: &str = "without the patch";
pub(crate) const KERNELS_ANSWER: &str = "the kernel’s own answer";
pub(crate) const ANSWERS_AS_KERNEL: &str = "answers the same";
pub(crate) const ANSWERS_OTHERWISE: &str = "answers otherwise";
pub(crate) const YES: &str = "Yes";
pub(crate) const NO: &str = "No";
pub(crate) const SEEN: &str = "Seen";
pub(crate) const GLOSSARY: &str = "Words used here";

/// The kinds of decisions to look for: key and words; the first stands for all.
pub(crate) const KINDS: [(&str, &str); 9] = [
    ("any", "every decision"),
    ("placement", "wake-up placements"),
    ("birth", "starts"),
    ("balance", "balance attempts"),
    ("pick", "picks"),
    ("wake_preempt", "wake-up preemptions"),
    ("tick_preempt", "tick preemptions"),
    ("rt_push", "real-time pushes"),
    ("rt_pull", "real-time pulls"),
];

/// What the words of the scheduler mean: the word, then what it is.
pub(crate) const TERMS: &[(&str, &str)] = &[
    (
        "vruntime",
        "Virtual run time: how long a task has run, divided by its weight. The fair scheduler runs the task that has least \
         of it. Shown relative to the queue’s own, min_vruntime.",
    ),
    (
        "utilisation (util_avg)",
        "How much of a CPU’s time a task or a queue has used of late, from 0 to 1024 for a whole CPU. What is 32 ms ago \
         counts half.",
    ),
    (
        "util_est",
        "Utilisation as it was when the task last went to sleep, so that a task that wakes is not taken for a small one.",
    ),
    (
        "load (load_avg)",
        "How much of late a task was runnable, waiting included, times its weight: 1024 for a task of nice 0 that always \
         wants to run.",
    ),
    ("run queue (nr_running)", "The tasks of a CPU that want to run, the running one included."),
    (
        "last-level cache",
        "The biggest cache that a group of CPUs shares. Moving a task within it is cheap, so wake-ups look for an idle CPU \
         there and nowhere else.",
    ),
    (
        "scheduling domain",
        "A set of CPUs among which tasks are balanced, split into groups: MC is the CPUs under one cache, DIE or PKG all \
         of a chip.",
    ),
    (
        "group type",
        "How busy a group of CPUs is: has spare, fully busy (used up, nobody waits), or overloaded (tasks wait). Work is taken \
         from the busiest type first. Before v5.5 groups were compared by load.",
    ),
    (
        "imbalance",
        "How much is to be moved in a balance attempt, counted as load, as utilisation or in tasks: the migration type \
         says which.",
    ),
    (
        "newly idle balance",
        "A CPU that has just run out of work looks for some on other CPUs before it idles.",
    ),
    (
        "cache hot",
        "A task that ran a moment ago: its data is still in the cache of its CPU, so it is left there for a while.",
    ),
    (
        "real-time task",
        "A task of the policies FIFO or RR. It runs before every fair task, whatever that one is owed; among real-time tasks \
         the higher priority runs. In the values prio counts down: 98 is the lowest real-time priority, 0 the highest.",
    ),
    (
        "active balance",
        "Where nothing that waits can be moved time after time, a helper thread stops the running task and moves that.",
    ),
    (
        "wake list",
        "A CPU can leave a woken task on the list of another one, which then queues it itself. It spares both a fight for the \
         lock of the queue.",
    ),
    (
        "wake-up granularity",
        "How far a running task must be ahead of a woken one in virtual run time before it loses the CPU to it.",
    ),
    (
        "run delay",
        "How long a task wanted to run and had no CPU. The kernel counts it in schedstat as run_delay.",
    ),
    (
        "work conservation",
        "A scheduler conserves work if no CPU idles while a task waits that could run on it. Every moment in which one does \
         is counted here, with the reason why the task stayed where it was.",
    ),
    (
        "load-balance score",
        "How far the loads of the CPUs are from those of a greedy assignment: the mean over time of the squared distances, \
         the load of the machine being 1024. 0 is perfect. It is LinSched\u{2019}s.",
    ),
];

/// What was decided, as a question.
pub(crate) fn title(decision: &DecisionView) -> String {
    let (here, name) = (cpu(decision.cpu), named(decision.task.as_ref()));
    match decision.kind {
        DecisionKind::Placement => format!("Where does {name} wake up?"),
        DecisionKind::Birth => format!("Where does {name} start?"),
        DecisionKind::Balance => {
            let domain = decision.balance.as_ref().map_or("", |balance| &balance.domain);
            format!("{}: does it take some from others in {domain}?", occasion(decision))
        }
        DecisionKind::Pick => format!("Which task does {here} run next?"),
        DecisionKind::WakePreempt => format!("Does {name} take {here} from the running task?"),
        DecisionKind::TickPreempt => format!("Does the tick take {here} from {name}?"),
        DecisionKind::RtPush => format!("{name} waits on {here}: does another CPU take it?"),
        DecisionKind::RtPull => format!("{here} has less urgent work now: does it take {name}?"),
    }
}

/// The kernel's functions that decide.
pub(crate) fn kernel_function(decision: &DecisionView) -> &'static str {
    let is_rt = decision.steps.iter().any(|step| ["rt_conflict", "rt_priority"].contains(&&*step.check));
    match (decision.kind, decision.balance.as_ref().map(|balance| balance.reason)) {
        (DecisionKind::Placement | DecisionKind::Birth, _) if is_rt => {
            "select_task_rq_rt(), find_lowest_rq()"
        }
        (DecisionKind::Pick, _) if is_rt => "pick_next_task_rt()",
        (DecisionKind::WakePreempt, _) if is_rt => "check_preempt_curr(), check_preempt_curr_rt()",
        (DecisionKind::Placement, _) => "select_task_rq_fair() with SD_BALANCE_WAKE",
        (DecisionKind::Birth, _) => "select_task_rq_fair() with SD_BALANCE_FORK or SD_BALANCE_EXEC",
        (DecisionKind::Balance, Some(BalanceReason::NewlyIdle)) => "newidle_balance(), load_balance()",
        (DecisionKind::Balance, _) => "rebalance_domains(), load_balance()",
        (DecisionKind::Pick, _) => "pick_next_task_fair()",
        (DecisionKind::WakePreempt, _) => "check_preempt_wakeup()",
        (DecisionKind::TickPreempt, _) => "task_tick_fair()",
        (DecisionKind::RtPush, _) => "push_rt_task()",
        (DecisionKind::RtPull, _) => "pull_rt_task()",
    }
}

/// What was the case when something was decided, as the beginning of a sentence.
fn occasion(decision: &DecisionView) -> String {
    let (here, name) = (cpu(decision.cpu), named(decision.task.as_ref()));
    let reason = decision.balance.as_ref().map(|balance| balance.reason);
    match decision.kind {
        DecisionKind::Placement => format!("{name} was woken"),
        DecisionKind::Birth => format!("{name} started"),
        DecisionKind::Balance => match reason {
            Some(BalanceReason::NewlyIdle) => format!("{here} ran out of work and looked for some"),
            Some(BalanceReason::Idle) => format!("{here} idled and looked for work"),
            Some(BalanceReason::Busy) | None => format!("{here} was busy and looked for more work"),
        },
        DecisionKind::Pick => format!("{here} chose whom to run"),
        DecisionKind::WakePreempt => format!("{name} was queued on {here}"),
        DecisionKind::TickPreempt => format!("the tick of {here} looked at {name}"),
        DecisionKind::RtPush => format!("{name} waited on {here}"),
        DecisionKind::RtPull => format!("{here} had less urgent work than before and saw {name} wait"),
    }
}

/// What came out, as a short sentence without a subject.
pub(crate) fn outcome(decision: &DecisionView) -> String {
    match (&decision.outcome, decision.kind) {
        (OutcomeView::Cpu(chosen), _) => format!("chose {}", cpu(*chosen)),
        (OutcomeView::Task(task), _) => format!("chose {}", task.name),
        (OutcomeView::Moved(0), _) => format!("moved no task to {}", cpu(decision.cpu)),
        (OutcomeView::Moved(number), _) => format!("moved {} to {}", tasks(*number), cpu(decision.cpu)),
        (OutcomeView::Answer(true), _) => "took the CPU from the running task".to_owned(),
        (OutcomeView::Answer(false), _) => "let the running task go on".to_owned(),
    }
}

/// A decision in one sentence, for those who do not see the panel change.
pub(crate) fn summary(column: &str, decision: &DecisionView) -> String {
    let (at, occasion, outcome) = (instant(decision.at_ns), occasion(decision), outcome(decision));
    let domain = decision.balance.as_ref().map_or(String::new(), |balance| format!(" in {}", balance.domain));
    format!("{column}, {at}: {occasion}{domain}. {OUTCOME}: {outcome}.")
}

/// A moment to the nanosecond.
pub(crate) fn instant(at_ns: u64) -> String {
    format!("{}{THIN}s", seconds(at_ns as f64, 9))
}

/// Which decision of an instant is shown, counted from 1.
pub(crate) fn nth_decision(nth: usize, all: usize) -> String {
    format!("{nth} of {all} at this moment")
}

/// Which divergence is shown, counted from 0.
pub(crate) fn nth_divergence(nth: u32) -> String {
    format!("Divergence {}", nth + 1)
}

/// Which column the first one is compared with.
pub(crate) fn compare_with(base: &str) -> String {
    format!("{base} compared with")
}

/// What a later divergence compares.
pub(crate) fn what_if(column: &str, other: &str, from_ns: u64) -> String {
    format!(
        "After the first divergence the runs are in different states. So this is the run of {column}, and beside it the \
         same run with the kernel of {other} from {} on.",
        instant(from_ns)
    )
}

/// How many checks came out alike on both sides.
pub(crate) fn alike(number: usize) -> String {
    match number {
        0 => "They part at the first check.".to_owned(),
        1 => "The first check came out alike on both sides.".to_owned(),
        number => format!("The first {number} checks came out alike on both sides."),
    }
}

/// Where two runs part and what followed, in one sentence.
pub(crate) fn divergence(view: &DivergenceView) -> String {
    let sides = [&view.base, &view.patched];
    let decision = sides.iter().find_map(|side| side.decision.as_ref());
    let mut words = format!("At {}{THIN}s ", seconds(view.at_ns as f64, 6));
    words += &decision.map_or_else(|| "the runs part".to_owned(), occasion);
    words += &decided(view);
    if let Some(followed) = &view.consequence {
        words += &followed_by(view, followed);
    }
    sentence(&words)
}

/// What was decided on each side; where both came to the same, the check that they parted at.
fn decided(view: &DivergenceView) -> String {
    let of = |side: &DivergenceSide| Some(format!("{} {}", side.column, outcome(side.decision.as_ref()?)));
    let (Some(base), Some(patched)) = (&view.base.decision, &view.patched.decision) else {
        return of(&view.base)
            .or_else(|| of(&view.patched))
            .map_or(String::new(), |words| format!(": {words}"));
    };
    if base.outcome != patched.outcome {
        return format!(
            ": {}",
            [&view.base, &view.patched].map(|side| of(side).unwrap_or_default()).join(", ")
        );
    }
    let both = outcome(base);
    let parted = base.steps.iter().zip(&patched.steps).find(|(one, other)| one != other);
    match parted.and_then(|(one, other)| Some((check(one)?, check(other)?))) {
        None => format!(": both {both}"),
        Some((Check { question, answer, .. }, other)) => {
            let (first, second) = (&view.base.column, &view.patched.column);
            let answers = format!("In {first}: {answer}; in {second}: {}", other.answer);
            format!(": both {both}, in different ways. {question} {answers}")
        }
    }
}

/// What followed: how long the task waited on each side, and who idled meanwhile.
fn followed_by(view: &DivergenceView, followed: &Consequence) -> String {
    let Consequence { task, base, patched, idle_cpu, .. } = followed;
    let columns = [&view.base.column, &view.patched.column];
    let waited = |fate: &TaskFate, column: &str| {
        let least = if fate.ran_at_ns.is_none() { "at least " } else { "" };
        format!("{least}{} in {column}", nanos(fate.waited_ns as f64).text())
    };
    let name = &task.name;
    let words = format!(". {name} waited {} and {}", waited(base, columns[0]), waited(patched, columns[1]));
    let (longer, column) =
        if patched.waited_ns < base.waited_ns { (base, columns[0]) } else { (patched, columns[1]) };
    match idle_cpu.filter(|_| 0 < longer.idled_ns) {
        None => words,
        Some(idle) => {
            let idled = nanos(longer.idled_ns as f64).text();
            format!("{words}; meanwhile {} idled for {idled} in {column}", cpu(idle))
        }
    }
}

/// Something that happened.
pub(crate) fn event(event: &EventView) -> String {
    let name = named(event.task.as_ref());
    let here = cpu(event.cpu);
    let what = match event.kind.as_str() {
        "fork" => format!("{name} starts on {here}"),
        "exit" => format!("{name} ends on {here}"),
        "waking" => format!("{name} is about to be woken for {here}"),
        "placed" => format!("{name} is placed on {here}"),
        "wakeup" => format!("{name} is queued on {here}"),
        "migrate" => format!("{name} moves to {here}"),
        "switch" if event.task.is_none() => format!("{here} goes idle"),
        "switch" => format!("{here} switches to {name}"),
        "queue_length" => format!("the queue of {here} changes its length"),
        "balance" => format!("{here} has looked for work"),
        "util_refused" => format!("{name} is not pulled to {here}: its utilisation is too large"),
        "decision" => format!("{here} reaches a place that the patch edits"),
        "tick_preempt" => format!("the tick of {here} preempts {name}"),
        "wake_preempt" => format!("{name} preempts on {here}"),
        "mark" => format!("{name} reports on {here}"),
        other => format!("{other} on {here}"),
    };
    format!("{}: {what}", instant(event.at_ns))
}

/// How a check came out, for the mark before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It was no question of yes or no.
    Seen,
}

/// A check in plain words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// What was asked.
    pub(crate) question: String,
    /// What came out.
    pub(crate) answer: String,
    /// For the mark.
    pub(crate) answered: Answered,
}

/// A check in plain words; none where its key is not known.
pub(crate) fn check(step: &StepView) -> Option<Check> {
    let (question, yes, no) = match step.check.as_str() {
        "wake_wide" | "wake_affine" | "cpu_idle" | "scan_limit" | "wake_list" => placement(step),
        "allowed_cpus" | "start_domain" | "start_group" | "idlest_group" | "idlest_cpu" => start::start(step),
        "should_we_balance" | "group_stats" | "busiest_group" | "source_queue" | "can_migrate" | "detach"
        | "active_balance" => balance(step),
        "fits_capacity" | "overutilized" | "energy" => capacity(step),
        "hunk" | "leftmost" | "buddy" | "granularity" | "slice" => other(step),
        "rt_conflict" | "lowest_cpus" | "rt_priority" => real_time(step),
        _ => return None,
    };
    let answered = match step.check.as_str() {
        "group_stats" | "scan_limit" | "start_group" | "idlest_cpu" => Answered::Seen,
        _ if step.yes => Answered::Yes,
        _ => Answered::No,
    };
    Some(Check { question, answer: if step.yes { yes } else { no }, answered })
}

/// The question, and the answer where it is yes and where it is no.
type Words = (String, String, String);

fn words(question: String, yes: &str, no: &str) -> Words {
    (question, yes.to_owned(), no.to_owned())
}

fn placement(step: &StepView) -> Words {
    let (here, name) = (asked_cpu(step), named(step.task.as_ref()));
    match step.check.as_str() {
        "wake_wide" => words(
            format!("Do {name} and its waker have too many partners to be kept together?"),
            "yes, the waker’s CPU is no candidate",
            "no, the waker’s CPU is a candidate",
        ),
        "wake_affine" => words(
            format!("Should the task go to its waker, to {here}?"),
            "yes, the search begins there",
            "no, the search begins where the task last ran",
        ),
        "cpu_idle" => {
            let queued = value(step, "nr_running");
            let why = match (queued, value(step, "ttwu_pending")) {
                (0, 0) => "no, it is not quite idle yet".to_owned(),
                (0, _) => "no, a woken task is on its way there".to_owned(),
                (queued, _) => {
                    format!("no, it has {}", tasks(u32::try_from(queued).unwrap_or(u32::MAX)))
                }
            };
            (format!("Is {here} idle?"), "yes".to_owned(), why)
        }
        "scan_limit" => {
            let limit = value(step, "nr");
            let some = if limit == 1 { "1 CPU".to_owned() } else { format!("{limit} CPUs") };
            (
                "How many CPUs may the search for an idle one look at?".to_owned(),
                some,
                "none: it is skipped".to_owned(),
            )
        }
        _ => words(
            format!("Is the task left on the wake list of {here}?"),
            "yes, that CPU queues it itself",
            "no, the waker queues it",
        ),
    }
}

/// Where CPUs differ in capacity.
fn capacity(step: &StepView) -> Words {
    let here = asked_cpu(step);
    match step.check.as_str() {
        "fits_capacity" => {
            let seen = format!("it needs {} of {}", value(step, "task_util_est"), value(step, "capacity_of"));
            let question = format!("Does the task fit {here}, with a fifth to spare?");
            (question, format!("yes, {seen}"), format!("no, {seen}"))
        }
        "overutilized" => words(
            "Is some CPU so full that power no longer counts?".to_owned(),
            "yes, tasks are spread by load",
            "no, the CPU is chosen by power",
        ),
        _ => {
            let cost = value(step, "energy_delta");
            let question = format!("Does the task take the least power on {here}?");
            (question, format!("yes so far, {cost} mW"), format!("no, {cost} mW"))
        }
    }
}

fn real_time(step: &StepView) -> Words {
    let here = asked_cpu(step);
    match step.check.as_str() {
        "rt_conflict" => words(
            format!("Does a real-time task run on {here} that it cannot or must not push aside?"),
            "yes, so it looks elsewhere",
            "no, it could have that CPU at once",
        ),
        "lowest_cpus" => {
            let some = match value(step, "cpus") {
                1 => "1 CPU".to_owned(),
                cpus => format!("{cpus} CPUs"),
            };
            let what = if value(step, "highest_prio") < 100 {
                "run the least urgent real-time tasks"
            } else {
                "have no real-time task, idle or not"
            };
            (
                "Does some allowed CPU have less urgent work?".to_owned(),
                format!("yes, {some}: they {what}"),
                "no, all are at least as urgent".to_owned(),
            )
        }
        _ => words(
            format!("Is it more urgent than {}?", named(step.task.as_ref())),
            "yes, by class or priority",
            "no, that one is at least as urgent",
        ),
    }
}

fn balance(step: &StepView) -> Words {
    let (here, name) = (asked_cpu(step), named(step.task.as_ref()));
    match step.check.as_str() {
        "should_we_balance" => words(
            format!("Is {here} the one to balance here?"),
            "yes",
            "no, another CPU of its group does that",
        ),
        "group_stats" => {
            let own = if step.yes { "own group" } else { "group" };
            let number = tasks(u32::try_from(value(step, "sum_nr_running")).unwrap_or_default());
            let amount = if find_value(step, "avg_load").is_some() {
                format!("load {} for each CPU’s capacity", value(step, "avg_load"))
            } else {
                format!("utilisation {} of {}", value(step, "group_util"), value(step, "group_capacity"))
            };
            let seen = format!("{}, {number}, {amount}", group_type(value(step, "group_type")));
            (format!("How busy is the {own} of {here}?"), seen.clone(), seen)
        }
        "busiest_group" => {
            let amount = amount(value(step, "migration_type"), value(step, "imbalance"));
            (
                "Is some group busy enough to take from?".to_owned(),
                format!("yes: {amount} may be moved"),
                format!("no, {}", balanced(step)),
            )
        }
        "source_queue" => (
            "Whose queue is taken from?".to_owned(),
            format!("that of {here}"),
            "there is none to take from".to_owned(),
        ),
        "can_migrate" => {
            let why = match value(step, "task_running") {
                0 => "no, its cache is still hot",
                _ => "no, it is running",
            };
            words(format!("May {name} be moved?"), "yes, it waits", why)
        }
        "detach" => {
            (format!("Does {name} fit what may be moved?"), "yes, it is moved".to_owned(), too_big(step))
        }
        _ => {
            let failed = value(step, "nr_balance_failed");
            (
                format!("Did attempts fail so often that the running task of {here} must be pushed?"),
                format!("yes, {failed} failed"),
                format!("no, {failed} failed so far"),
            )
        }
    }
}

fn other(step: &StepView) -> Words {
    let name = named(step.task.as_ref());
    match step.check.as_str() {
        "hunk" => {
            let patch = step.hunk.as_ref().map_or("a patch", |hunk| &hunk.patch);
            let is_off = step.hunk.as_ref().is_some_and(|hunk| hunk.in_force == "base");
            let no = if is_off { "no, the patch is off" } else { "no, it answers as the kernel does" };
            words(format!("Here {patch} edits the kernel: does it change the answer?"), "yes", no)
        }
        "leftmost" => words(
            format!("Does {name} run next, by its virtual run time?"),
            "yes",
            "no, another task has precedence",
        ),
        "buddy" => words(
            format!("Does {name} run next, because a wake-up has put in a word for it?"),
            "yes",
            "no, that would be unfair to others by now",
        ),
        "granularity" => {
            let (ahead, limit) = (value(step, "vdiff"), value(step, "wakeup_granularity"));
            let long = |ns: i64| nanos(ns.max(0) as f64).text();
            let by = if ahead <= 0 {
                "it is not ahead".to_owned()
            } else {
                format!("it is ahead by {}", long(ahead))
            };
            (
                format!("Is the running {name} so far ahead that it must give way?"),
                format!("yes, {by}, and {} suffice", long(limit)),
                format!("no, {by}, and it takes more than {}", long(limit)),
            )
        }
        _ => {
            let long = |name: &str| nanos(value(step, name).max(0) as f64).text();
            let ran = format!("it ran for {} of its {}", long("delta_exec"), long("ideal_runtime"));
            (
                format!("Has {name} had its slice, or is it too far ahead?"),
                format!("yes, {ran}"),
                format!("no, {ran}"),
            )
        }
    }
}

/// Why a task was not moved.
fn too_big(step: &StepView) -> String {
    let kind = value(step, "migration_type");
    let size = value(step, if kind == 1 { "task_util_est" } else { "task_h_load" });
    let left = value(step, "imbalance");
    match kind {
        0 => format!("no, it counts as a load of {size}, and {left} is to be moved"),
        1 => format!("no, it counts as a utilisation of {size}, and only {left} may be moved"),
        2 => "no, enough tasks were moved".to_owned(),
        _ => "no, it does fit its CPU".to_owned(),
    }
}

/// So much is to be moved.
fn amount(migration_type: i64, imbalance: i64) -> String {
    match migration_type {
        0 => format!("a load of {imbalance}"),
        1 => format!("a utilisation of {imbalance}"),
        2 => tasks(u32::try_from(imbalance).unwrap_or_default()),
        _ => "a task that does not fit its CPU".to_owned(),
    }
}

/// Why nothing is to be moved: in the order in which the balancer by load asks; the others do not say.
fn balanced(step: &StepView) -> &'static str {
    let verdicts = [
        "no other group has a task to give",
        "its own group carries no less load",
        "its own group carries no less than the average",
        "its own group has at most one idle CPU more, and the other one is not overloaded",
        "the difference in load is below the threshold",
        "less than a task would move",
        "less than a task would move",
    ];
    let verdict = find_value(step, "verdict").and_then(|verdict| usize::try_from(verdict).ok());
    verdict.and_then(|verdict| verdicts.get(verdict)).copied().unwrap_or("all is balanced")
}

/// How busy a group is.
pub(crate) fn group_type(group_type: i64) -> &'static str {
    let names = [
        "has spare",
        "fully busy",
        "misfit task",
        "packing wanted",
        "left imbalanced",
        "overloaded",
        "not overloaded",
    ];
    usize::try_from(group_type).ok().and_then(|position| names.get(position)).copied().unwrap_or("?")
}

/// A task with its virtual run time relative to the queue's.
pub(crate) fn with_vruntime(task: &str, vruntime_ns: i64) -> String {
    let sign = if vruntime_ns < 0 { '−' } else { '+' };
    format!("{task} {sign}{}", nanos(vruntime_ns.unsigned_abs() as f64).text())
}

/// What a CPU remembers of a domain.
pub(crate) fn domain_memory(cpu_number: u16, name: &str, failed: u32, interval_ms: u32) -> String {
    let failures = if failed == 1 { "1 attempt".to_owned() } else { format!("{failed} attempts") };
    format!(
        "{} in {name}: {failures} failed in a row, balances every {interval_ms}{THIN}ms.",
        cpu(cpu_number)
    )
}

/// How a value that a check saw is called and what it was.
pub(crate) fn seen(name: &str, value: i64) -> String {
    format!("{name} = {value}")
}

/// What a check saw under a name; 0 where it saw nothing.
pub(crate) fn value(step: &StepView, name: &str) -> i64 {
    find_value(step, name).unwrap_or(0)
}

fn find_value(step: &StepView, name: &str) -> Option<i64> {
    step.values.iter().find(|value| value.name == name).map(|value| value.value)
}

fn asked_cpu(step: &StepView) -> String {
    step.cpu.map_or_else(|| "the CPU".to_owned(), cpu)
}

fn named(task: Option<&TaskName>) -> &str {
    task.map_or("the task", |task| &task.name)
}

fn tasks(number: u32) -> String {
    if number == 1 { "1 task".to_owned() } else { format!("{number} tasks") }
}

#[cfg(test)]
#[path = "decision_tests.rs"]
mod tests;
