use miniz_oxide::inflate::decompress_to_vec;

macro_rules! packed {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../data/", $name, ".deflate")))),*]
    };
}

/// Each file as raw deflate; README.md says how they are made.
const PACKED: &[(&str, &[u8])] = packed![
    "nice_weights.csv",
    "calc_delta.csv",
    "pelt_decay_load.csv",
    "pelt_segments.csv",
    "pelt_sequences.csv",
    "pelt_ramp.csv",
    "cfs510_slice.csv",
    "cfs510_place_entity.csv",
    "cfs510_preempt_tick.csv",
    "cfs510_wakeup_preempt.csv",
    "cfs510_pick_next.csv",
    "lb510_group_classify.csv",
    "lb510_calculate_imbalance.csv",
    "lb510_chain.jsonl",
    "lb510_detach_tasks.jsonl",
    "wake_affine61.csv",
    "sis61_select_idle_sibling.csv",
    "rt_find_lowest_rq.csv",
];

/// The reference files that are part of this crate, by name and content.
///
/// A copy that does not unpack comes out empty, which its check then reports.
pub fn committed() -> Vec<(&'static str, String)> {
    PACKED
        .iter()
        .map(|(name, packed)| {
            let content = decompress_to_vec(packed).unwrap_or_default();
            (*name, String::from_utf8(content).unwrap_or_default())
        })
        .collect()
}
