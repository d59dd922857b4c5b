//! What is asked of an endpoint, and how is the answer judged?
//!
//! - [`seed`](self), [`prompt`](self): where a trial's values and words come from

mod prompt;
mod seed;

pub use prompt::{Wanted, ask_for};
pub use seed::{Seed, fill};
