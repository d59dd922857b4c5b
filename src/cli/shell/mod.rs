//! The shell of a command: console, progress, signals, clock, errors and exit codes.

pub(crate) mod ci;
pub(crate) mod clock;
pub(crate) mod console;
pub(crate) mod demands;
pub(crate) mod differences;
pub(crate) mod dry_run;
pub(crate) mod error;
pub(crate) mod exit;
mod output;
pub(crate) mod progress;
pub(crate) mod signal;
pub(crate) mod spent;
