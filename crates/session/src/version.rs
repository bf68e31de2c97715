/// The version of the engine: the release, and behind the slash a number that grows by one with every change that can
/// change a trace hash. Scenario, seed and this name a run for ever.
pub const ENGINE_VERSION: &str = "0.1.0/5";
