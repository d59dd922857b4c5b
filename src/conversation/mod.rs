//! What does one turn with an endpoint give?
//!
//! - [`answer`](self): a reply, a refusal, or no answer at all

mod answer;

pub use answer::{Answer, excerpt};
