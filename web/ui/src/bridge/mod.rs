//! The page's side of the worker pool.

mod ledger;
mod pool;
mod wire;

pub(crate) use pool::{Pool, PoolEvent, Ticket, open_worker};
