//! How is what was found shown to people and programs?
//!
//! - [`table`](self): the verdict tables for a terminal
//! - [`escape`](self): what a model wrote is hostile until it is escaped

mod escape;
mod table;

pub use escape::for_terminal;
pub use table::{Paint, fleet_table, profile_table};
