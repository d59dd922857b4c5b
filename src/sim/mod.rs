//! Which simulated models are there, and how do they behave?
//!
//! - [`seal`]: what the server issued, verifiable without memory
//! - [`IdStyle`]: what call ids look like at each provider

mod ids;
pub mod seal;

pub use ids::{IdStyle, Reasoned};
