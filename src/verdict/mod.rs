//! What may be concluded from trials, and how sure is it?
//!
//! - [`status`](self): from counted trials to a status, by the rules every probe obeys
//! - [`interval`](self): how much a rate from few trials is worth
//! - [`trial`](self): what one trial showed, with the control that a negative needs

mod interval;
mod status;
mod trial;

pub use interval::{Interval, wilson};
pub use status::{Status, Tally};
pub use trial::{Control, Finding, Negative};
