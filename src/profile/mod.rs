//! What is known of an endpoint, in a form that programs read and people diff?

mod status;

pub use status::{Interval, Status};
