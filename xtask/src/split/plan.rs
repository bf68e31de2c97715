use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use walrus::ir::{Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementId, ElementItems, ElementKind, ExportItem, FunctionId, FunctionKind, Module, TableId,
    TypeId,
};

use super::rules::{Rules, without_hashes};

/// The least instructions of a function that may wait: a smaller one would cost as much as its stand-in and its slot.
pub(super) const SMALLEST: u64 = 24;

/// Who stays, who goes, and how the one part finds what is in the other.
pub(super) struct Plan {
    /// The table of functions.
    pub(super) table: TableId,
    /// Its length once every slot is there.
    pub(super) table_size: u32,
    /// The first slot that each element of the table fills.
    pub(super) starts: BTreeMap<ElementId, u32>,
    /// The functions that stay.
    pub(super) first: Vec<FunctionId>,
    /// The slots of those functions of the later part that the first one refers to.
    pub(super) slots: BTreeMap<FunctionId, Vec<u32>>,
    /// Their types.
    pub(super) types: BTreeMap<FunctionId, TypeId>,
    /// The functions of the first part that the later one calls.
    pub(super) shared: BTreeSet<FunctionId>,
}

impl Plan {
    pub(super) fn new(module: &Module, rules: &Rules) -> Result<Plan> {
        let calls = calls(module);
        let may_wait = |function: FunctionId| {
            let function = module.funcs.get(function);
            matches!(&function.kind, FunctionKind::Local(local) if SMALLEST <= local.size())
                && function.name.as_deref().is_some_and(|name| rules.may_wait(name))
        };
        let mut plan = Plan::of_table(module)?;
        let exported = module.exports.iter().filter_map(|export| match export.item {
            ExportItem::Function(function) => Some(function),
            _ => None,
        });
        let in_table = plan.slots.keys().copied().filter(|function| !may_wait(*function));
        // What JavaScript calls by name must be there, whatever the rules say.
        let first = reached(exported.chain(module.start).chain(in_table).collect(), &calls, may_wait);
        let is_local =
            |function: &FunctionId| matches!(module.funcs.get(*function).kind, FunctionKind::Local(_));
        plan.slots.retain(|function, _| is_local(function) && !first.contains(function));
        for (caller, called) in &calls {
            if first.contains(caller) {
                for function in
                    called.iter().filter(|function| is_local(function) && !first.contains(function))
                {
                    plan.add_slot(*function);
                }
            } else {
                let shared = called.iter().filter(|function| !is_local(function) || first.contains(function));
                plan.shared.extend(shared);
            }
        }
        plan.types =
            plan.slots.keys().map(|function| (*function, module.funcs.get(*function).ty())).collect();
        plan.first = first.into_iter().filter(is_local).collect();
        Ok(plan)
    }

    /// A plan that knows the table and what stands in it.
    fn of_table(module: &Module) -> Result<Plan> {
        let (mut starts, mut slots) = (BTreeMap::new(), BTreeMap::<FunctionId, Vec<u32>>::new());
        let mut table = None;
        for element in module.elements.iter() {
            let ElementKind::Active { table: filled, offset: ConstExpr::Value(Value::I32(start)) } =
                &element.kind
            else {
                bail!("a table is filled in a way that is not understood here");
            };
            let ElementItems::Functions(functions) = &element.items else {
                bail!("a table holds something else than functions");
            };
            if table.replace(*filled).is_some_and(|before| before != *filled) {
                bail!("there are several tables of functions");
            }
            starts.insert(element.id(), *start as u32);
            for (function, slot) in functions.iter().zip(*start as u32..) {
                slots.entry(*function).or_default().push(slot);
            }
        }
        let table = table.context("there is no table of functions")?;
        let table_size = module.tables.get(table).initial as u32;
        let (first, types, shared) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
        Ok(Plan { table, table_size, starts, first, slots, types, shared })
    }

    /// Which function each slot waits for, for whoever finds that it is called too early.
    pub(super) fn in_words(&self, module: &Module) -> String {
        let name = |function: &FunctionId| {
            without_hashes(module.funcs.get(*function).name.as_deref().unwrap_or("?"))
        };
        let slots =
            self.slots.iter().flat_map(|(function, slots)| slots.iter().map(move |slot| (slot, function)));
        let slots: BTreeMap<u32, &FunctionId> = slots.map(|(slot, function)| (*slot, function)).collect();
        let lines: Vec<String> =
            slots.into_iter().map(|(slot, function)| format!("{slot} {}\n", name(function))).collect();
        lines.concat()
    }

    /// Makes sure that a function has a slot.
    fn add_slot(&mut self, function: FunctionId) {
        let next = self.table_size;
        self.slots.entry(function).or_insert_with(|| {
            self.table_size += 1;
            vec![next]
        });
    }
}

/// Whom each function of the module calls by name.
fn calls(module: &Module) -> BTreeMap<FunctionId, BTreeSet<FunctionId>> {
    let local = module.funcs.iter_local().map(|(id, function)| {
        let mut found = Called::default();
        dfs_in_order(&mut found, function, function.entry_block());
        (id, found.0)
    });
    local.collect()
}

#[derive(Default)]
struct Called(BTreeSet<FunctionId>);

impl Visitor<'_> for Called {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.0.insert(*function);
    }
}

/// Everything that is reached by calls from some functions, without what may wait.
fn reached(
    mut open: Vec<FunctionId>,
    calls: &BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    may_wait: impl Fn(FunctionId) -> bool,
) -> BTreeSet<FunctionId> {
    let mut found: BTreeSet<FunctionId> = open.iter().copied().collect();
    while let Some(function) = open.pop() {
        for called in calls.get(&function).into_iter().flatten() {
            if !may_wait(*called) && found.insert(*called) {
                open.push(*called);
            }
        }
    }
    found
}
