//! What may be concluded from trials, and how sure is it?
//!
//! - [`trial`](self): what one trial showed, with the control that a negative needs
//! - [`tally`](self): from counted trials to a status, by the rules every probe obeys
//! - [`capabilities`](self): from results to the fields an adapter reads
//! - [`interval`](self): how much a rate from few trials is worth

mod capabilities;
mod interval;
mod tally;
mod trial;

pub use capabilities::capabilities;
pub use interval::wilson;
pub use tally::Tally;
pub use trial::{Control, Finding, Negative, Observation};
