//! Cuts a module in two: what the first chart needs, and what can come after it.
//!
//! The first part keeps every function that is reached from its exports or its table by calls, except through functions
//! that the rules let wait. Whatever it still refers to of the later part has a slot of its own in the function table. There
//! stands, until the later part is instantiated and puts its functions in, a stand-in that asks JavaScript for the
//! later part and then calls the same slot again. So a function that is needed early after all costs time, and nothing else.
//!
//! See `docs/adr/0005-what-the-page-weighs.md`.

mod plan;
mod rules;
mod site;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use walrus::ir::{CallIndirect, Const, Instr, InstrSeq, Value, VisitorMut, dfs_pre_order_mut};
use walrus::{
    ConstExpr, Data, Element, ElementItems, ElementKind, Export, ExportItem, Function, FunctionBuilder,
    FunctionId, FunctionKind, Global, GlobalKind, Import, ImportKind, ImportedFunction, Module, ModuleConfig,
    TableId, TypeId, ValType,
};

use self::plan::Plan;
use self::rules::Rules;
pub(crate) use self::site::cut_site;

/// The module by which the later part imports from the first one.
const FIRST: &str = "first";

/// The function of JavaScript that brings the later part.
const BRING: &str = "later";

/// The two parts of a module.
struct Parts {
    /// What starts.
    first: Vec<u8>,
    /// What is instantiated with the exports of the first part as its import `first`.
    later: Vec<u8>,
    /// What the first part imports, with the shorter name that each import has now.
    renamed: Vec<(String, String)>,
    /// The slots of the later part's functions, each with a name: a line each.
    slots: String,
}

/// Cuts a module that has names.
fn split(wasm: &[u8], rules: &Rules) -> Result<Parts> {
    let mut first = parse(wasm)?;
    let mut later = parse(wasm)?;
    let plan = Plan::new(&first, rules)?;
    // The same bytes give the same order of functions, but not the same ids.
    let twins: Vec<FunctionId> = later.funcs.iter().map(Function::id).collect();
    let slots = plan.in_words(&first);
    cut_first(&mut first, &plan)?;
    let renamed = shorten_imports(&mut first);
    cut_later(&mut later, &plan, &twins)?;
    Ok(Parts { first: first.emit_wasm(), later: later.emit_wasm(), renamed, slots })
}

/// The same module without names.
fn without_names(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    Ok(config.parse(wasm)?.emit_wasm())
}

fn parse(wasm: &[u8]) -> Result<Module> {
    ModuleConfig::new().generate_producers_section(false).parse(wasm).context("cannot read a module")
}

/// How the first part calls a thing that the later one imports.
fn shared_name(kind: &str, index: usize) -> String {
    format!("{kind}{index}")
}

fn cut_first(module: &mut Module, plan: &Plan) -> Result<()> {
    let glue = module.imports.iter().next().context("the module imports nothing")?.module.clone();
    let bring_type = module.types.add(&[ValType::I32], &[]);
    let (bring, _) = module.add_import_func(&glue, BRING, bring_type);
    for function in &plan.first {
        let FunctionKind::Local(local) = &mut module.funcs.get_mut(*function).kind else { continue };
        let entry = local.entry_block();
        dfs_pre_order_mut(&mut Rerouted { plan }, local, entry);
    }
    let mut stand_ins = Vec::new();
    for (function, slots) in &plan.slots {
        let ty = module.funcs.get(*function).ty();
        for slot in slots {
            stand_ins.push((*slot, stand_in(module, plan.table, bring, ty, *slot)));
        }
    }
    put_in_slots(module, plan, stand_ins.into_iter().collect());
    for function in &plan.shared {
        module.exports.add(&shared_name("f", function.index()), *function);
    }
    module.exports.add(&shared_name("t", plan.table.index()), plan.table);
    share_rest(module);
    walrus::passes::gc::run(module);
    Ok(())
}

/// Gives every import of the module a short name: the generator's are long, and end in hashes that no one can compress.
fn shorten_imports(module: &mut Module) -> Vec<(String, String)> {
    let generated = module.imports.iter_mut().filter(|import| import.name != BRING);
    let short = |(number, import): (usize, &mut Import)| {
        let short = format!("i{number}");
        (std::mem::replace(&mut import.name, short.clone()), short)
    };
    generated.enumerate().map(short).collect()
}

/// Whatever the module has of memories, globals and other tables: the later part may need each of them.
fn share_rest(module: &mut Module) {
    let memories = module.memories.iter().map(|it| (shared_name("m", it.id().index()), it.id().into()));
    let globals = module.globals.iter().map(|it| (shared_name("g", it.id().index()), it.id().into()));
    let is_function_table = |name: &String| module.exports.iter().any(|export| &export.name == name);
    let tables = module.tables.iter().map(|it| (shared_name("t", it.id().index()), it.id().into()));
    let tables = tables.filter(|(name, _)| !is_function_table(name));
    let all: Vec<(String, ExportItem)> = memories.chain(globals).chain(tables).collect();
    for (name, item) in all {
        module.exports.add(&name, item);
    }
}

/// Sends calls of functions of the later part through their slots.
struct Rerouted<'a> {
    plan: &'a Plan,
}

impl VisitorMut for Rerouted<'_> {
    fn start_instr_seq_mut(&mut self, seq: &mut InstrSeq) {
        let old = std::mem::take(&mut seq.instrs);
        for (instr, at) in old {
            match self.slot_called(&instr) {
                Some((slot, ty)) => {
                    seq.instrs.push((Const { value: Value::I32(slot as i32) }.into(), at));
                    seq.instrs.push((CallIndirect { ty, table: self.plan.table }.into(), at));
                }
                None => seq.instrs.push((instr, at)),
            }
        }
    }
}

impl Rerouted<'_> {
    fn slot_called(&self, instr: &Instr) -> Option<(u32, TypeId)> {
        let Instr::Call(call) = instr else { return None };
        let slot = self.plan.slots.get(&call.func)?.first()?;
        Some((*slot, *self.plan.types.get(&call.func)?))
    }
}

/// A function that has the later part brought, and then calls the slot that it has stood in.
fn stand_in(module: &mut Module, table: TableId, bring: FunctionId, ty: TypeId, slot: u32) -> FunctionId {
    let (params, results) = module.types.params_results(ty);
    let (params, results) = (params.to_vec(), results.to_vec());
    let arguments: Vec<_> = params.iter().map(|param| module.locals.add(*param)).collect();
    let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
    builder.name(format!("stand-in {slot}"));
    let mut body = builder.func_body();
    body.i32_const(slot as i32).call(bring);
    for argument in &arguments {
        body.local_get(*argument);
    }
    body.i32_const(slot as i32).call_indirect(ty, table);
    builder.finish(arguments, &mut module.funcs)
}

/// Replaces what stands in some slots of the table, and makes it as long as the plan wants.
fn put_in_slots(module: &mut Module, plan: &Plan, mut new: BTreeMap<u32, FunctionId>) {
    for element in module.elements.iter_mut() {
        let Some(start) = plan.starts.get(&element.id()) else { continue };
        let ElementItems::Functions(functions) = &mut element.items else { continue };
        for (position, function) in functions.iter_mut().enumerate() {
            if let Some(replacement) = new.remove(&(start + position as u32)) {
                *function = replacement;
            }
        }
    }
    add_elements(module, plan.table, &new.into_iter().collect::<Vec<_>>());
    let table = module.tables.get_mut(plan.table);
    table.initial = u64::from(plan.table_size);
    table.maximum = table.maximum.map(|_| u64::from(plan.table_size));
}

/// Adds elements for slots in ascending order, one for each run of neighbours.
fn add_elements(module: &mut Module, table: TableId, slots: &[(u32, FunctionId)]) {
    for run in slots.chunk_by(|(one, _), (next, _)| one + 1 == *next) {
        let offset = ConstExpr::Value(Value::I32(run[0].0 as i32));
        let functions = run.iter().map(|(_, function)| *function).collect();
        let kind = ElementKind::Active { table, offset };
        let element = module.elements.add(kind, ElementItems::Functions(functions));
        module.tables.get_mut(table).elem_segments.insert(element);
    }
}

fn cut_later(module: &mut Module, plan: &Plan, twins: &[FunctionId]) -> Result<()> {
    for export in module.exports.iter().map(Export::id).collect::<Vec<_>>() {
        module.exports.delete(export);
    }
    module.start = None;
    for function in &plan.shared {
        let twin = twins[function.index()];
        let ty = module.funcs.get(twin).ty();
        // What the first part imports itself it hands on.
        if let FunctionKind::Import(before) = &module.funcs.get(twin).kind {
            module.imports.delete(before.import);
        }
        let import = module.imports.add(FIRST, &shared_name("f", function.index()), twin);
        module.funcs.get_mut(twin).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }
    import_rest(module);
    let table = module.tables.iter().find(|table| table.id().index() == plan.table.index());
    let table = table.context("the module has lost its table")?.id();
    let slots = plan.slots.iter().flat_map(|(function, slots)| slots.iter().map(|slot| (*slot, *function)));
    let mut slots: Vec<_> = slots.map(|(slot, function)| (slot, twins[function.index()])).collect();
    slots.sort_by_key(|(slot, _)| *slot);
    add_elements(module, table, &slots);
    let table = module.tables.get_mut(table);
    table.initial = u64::from(plan.table_size);
    table.maximum = table.maximum.map(|_| u64::from(plan.table_size));
    walrus::passes::gc::run(module);
    Ok(())
}

/// Makes imports of the memory, the tables and the globals, and drops what fills them.
fn import_rest(module: &mut Module) {
    for data in module.data.iter().map(Data::id).collect::<Vec<_>>() {
        module.data.delete(data);
    }
    for element in module.elements.iter().map(Element::id).collect::<Vec<_>>() {
        module.elements.delete(element);
    }
    for memory in module.memories.iter_mut() {
        memory.data_segments.clear();
        let id = memory.id();
        let name = shared_name("m", id.index());
        memory.import = Some(module.imports.add(FIRST, &name, ImportKind::Memory(id)));
    }
    for table in module.tables.iter_mut() {
        table.elem_segments.clear();
        let id = table.id();
        let name = shared_name("t", id.index());
        table.import = Some(module.imports.add(FIRST, &name, ImportKind::Table(id)));
    }
    for id in module.globals.iter().map(Global::id).collect::<Vec<_>>() {
        let name = shared_name("g", id.index());
        let import = module.imports.add(FIRST, &name, ImportKind::Global(id));
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module in which JavaScript calls `a::start`, which calls `a::draw` and `b::panel`, which calls `a::draw` and
    /// `c::helper`. In its table stand `b::closure` and `a::draw`.
    fn example() -> Vec<u8> {
        let mut module = Module::default();
        let ty = module.types.add(&[ValType::I32], &[ValType::I32]);
        let (log, _) = module.add_import_func("./app_bg.js", "log", ty);
        let mut function = |name: &str, calls: &[FunctionId]| {
            let argument = module.locals.add(ValType::I32);
            let mut builder = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
            builder.name(name.to_owned());
            let mut body = builder.func_body();
            body.local_get(argument);
            for called in calls {
                body.call(*called);
            }
            // Long enough not to be left where it is for its shortness.
            for _ in 0..plan::SMALLEST {
                body.i32_const(1).drop();
            }
            builder.finish(vec![argument], &mut module.funcs)
        };
        let draw = function("a[1234567890abcdef]::draw", &[log]);
        let helper = function("c::helper", &[log]);
        let panel = function("b[1234567890abcdef]::panel", &[draw, helper]);
        let closure = function("b::closure", &[]);
        let start = function("a::start", &[draw, panel]);
        let table = module.tables.add_local(false, 3, Some(3), walrus::RefType::FUNCREF);
        add_elements(&mut module, table, &[(1, closure), (2, draw)]);
        module.exports.add("start", start);
        module.emit_wasm()
    }

    fn names(module: &Module) -> Vec<&str> {
        let mut names: Vec<&str> =
            module.funcs.iter_local().filter_map(|(id, _)| module.funcs.get(id).name.as_deref()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn what_may_wait_goes_with_what_only_it_calls() {
        let parts = split(&example(), &Rules::parse("later b::").unwrap()).unwrap();
        let (first, later) = (parse(&parts.first).unwrap(), parse(&parts.later).unwrap());
        assert_eq!(
            names(&first),
            ["a::start", "a[1234567890abcdef]::draw", "stand-in 1", "stand-in 3"],
            "the later functions have left stand-ins: of the closure in its slot, of the panel in a new one"
        );
        assert_eq!(names(&later), ["b::closure", "b[1234567890abcdef]::panel", "c::helper"]);
        assert_eq!(parts.slots, "1 b::closure\n3 b::panel\n");
        assert!(
            later.imports.iter().all(|import| import.module == FIRST),
            "the first part hands everything on"
        );
        let exports: Vec<&str> = first.exports.iter().map(|export| export.name.as_str()).collect();
        assert!(later.imports.iter().all(|import| exports.contains(&import.name.as_str())), "{exports:?}");
        assert!(first.imports.find("./app_bg.js", BRING).is_some(), "JavaScript brings the later part");
        assert_eq!(first.tables.iter().next().unwrap().initial, 4);
    }

    #[test]
    fn what_javascript_calls_stays_whatever_the_rules_say() {
        let parts = split(&example(), &Rules::parse("later a::").unwrap()).unwrap();
        let first = parse(&parts.first).unwrap();
        assert!(names(&first).contains(&"a::start"), "{:?}", names(&first));
        assert!(!names(&first).contains(&"a[1234567890abcdef]::draw"), "{:?}", names(&first));
    }
}
