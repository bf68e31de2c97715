//! Runqueue protocol.
