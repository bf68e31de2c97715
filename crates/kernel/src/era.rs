use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A kernel version whose scheduler Runqueue knows, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Era {
    /// March 2012: load balancing by load, no per-entity load tracking.
    #[serde(rename = "v3.3")]
    V3_3,
    /// November 2019: per-entity load tracking, load balancing by load.
    #[serde(rename = "v5.4")]
    V5_4,
    /// v5.4 with the rework of the load balancer that landed in v5.5.
    #[serde(rename = "v5.4-rework")]
    V5_4Rework,
    /// December 2020: load balancing by group type.
    #[serde(rename = "v5.10")]
    V5_10,
    /// December 2022: idle search limited by utilisation, remote wake-up lists inside an LLC.
    #[serde(rename = "v6.1")]
    V6_1,
    /// October 2023: EEVDF.
    #[serde(rename = "v6.6")]
    V6_6,
    /// November 2024: EEVDF with delayed dequeue.
    #[serde(rename = "v6.12")]
    V6_12,
    /// November 2025.
    #[serde(rename = "v6.18")]
    V6_18,
}

impl Era {
    /// Every era, oldest first.
    pub const ALL: [Era; 8] =
        [Era::V3_3, Era::V5_4, Era::V5_4Rework, Era::V5_10, Era::V6_1, Era::V6_6, Era::V6_12, Era::V6_18];

    /// The eras that the engine can run today.
    pub const RUNNABLE: &'static [Era] = &[Era::V5_4, Era::V5_4Rework, Era::V5_10, Era::V6_1];

    /// The name used outside: in links, on the page and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Era::V3_3 => "v3.3",
            Era::V5_4 => "v5.4",
            Era::V5_4Rework => "v5.4-rework",
            Era::V5_10 => "v5.10",
            Era::V6_1 => "v6.1",
            Era::V6_6 => "v6.6",
            Era::V6_12 => "v6.12",
            Era::V6_18 => "v6.18",
        }
    }

    /// Whether the engine can run this era today.
    pub fn is_runnable(self) -> bool {
        Era::RUNNABLE.contains(&self)
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Era {
    type Err = String;

    fn from_str(text: &str) -> Result<Era, String> {
        Era::ALL.into_iter().find(|era| era.name() == text).ok_or_else(|| {
            format!("{text:?} is not a kernel era; the eras are {}", Era::ALL.map(Era::name).join(", "))
        })
    }
}
