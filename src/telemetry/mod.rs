//! Telemetry: what happened turn by turn, and the seven metrics that sum it up.
//!
//! Written by our own conversations and by adapters alike, so that both are measured by one
//! definition. Pure: readers are given text and give events.
//!
//! - [`TurnEvent`]: one turn, as one line of JSON
//! - [`read_lines`]: a file of them, and where it is wrong
//! - [`Counts`]: what is counted; [`Metrics`]: the seven numbers

mod counts;
mod event;
mod lines;
mod metrics;

pub use counts::Counts;
pub(crate) use event::TELEMETRY_VERSION;
pub use event::TurnEvent;
pub use lines::{BadLine, read_lines};
pub use metrics::{MetricName, Metrics};
