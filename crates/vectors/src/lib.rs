//! Runqueue vectors.
