//! What is asked of an endpoint, and how is the answer judged?
//!
//! - [`seed`](self), [`prompt`](self): where a trial's values and words come from
//! - [`suite_name`](self): how much is asked

mod prompt;
mod seed;
mod suite_name;

pub use prompt::{Wanted, ask_for};
pub use seed::{Seed, fill};
pub use suite_name::SuiteName;
