//! What happened turn by turn, and which seven numbers sum it up?
//!
//! Written by our own conversations and by adapters alike, so that both are measured by one
//! definition. Pure: readers are given text and give events.
//!
//! - [`event`](self): one turn, as one line of JSON
//! - [`lines`](self): a file of them, and where it is wrong
//! - [`counts`](self): what is counted; [`metrics`](self): the seven numbers

mod counts;
mod event;
mod lines;
mod metrics;

pub use counts::Counts;
pub use event::{Impossible, TELEMETRY_VERSION, TurnEvent};
pub use lines::{BadLine, read_lines};
pub use metrics::{MetricName, Metrics};
