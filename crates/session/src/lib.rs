//! Runqueue session.
