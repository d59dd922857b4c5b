//! What is asked of an endpoint, and how is the answer judged?
//!
//! - [`suite`](self): what is asked, as data
//! - [`seed`](self), [`prompt`](self): where a trial's values and words come from
//! - [`user_tools`](self), [`example`](self), [`pattern`](self): a probe of the user's own tools,
//!   with arguments made from their schemas
//! - [`bench`](self): what a trial works with; [`calls`](self): is this the call asked for?
//! - one judge per way of asking: [`basic_format`](self), [`call_cases`](self),
//!   [`closed_loop`](self), [`parallel`](self), [`error_repair`](self), [`reasoning_replay`](self),
//!   [`streaming`](self), [`history`](self), [`tool_choice`](self), [`no_call`](self)
//! - [`outcome`](self): from trials to a result; [`run`]: the whole suite at once;
//!   [`sample`]: one probe once more
//! - [`estimate`]: what that will cost

mod basic_format;
mod bench;
mod call_cases;
mod calls;
mod closed_loop;
mod error_repair;
mod estimate;
mod example;
mod history;
mod no_call;
mod outcome;
mod parallel;
mod prompt;
mod reasoning_replay;
mod reasoning_variants;
mod run;
mod sample;
mod seed;
mod streaming;
mod suite;
mod suite_name;
mod tool_choice;
mod user_tools;

pub use bench::Bench;
pub use estimate::{Estimate, Load, estimate};
pub use prompt::{Wanted, ask_for};
pub use run::{Measured, Watch, run, unheard};
pub use sample::{Again, sample};
pub use seed::{Seed, fill};
pub use suite::{Ask, Probe, ProbeFile, Suite, SuiteError};
pub use suite_name::SuiteName;
pub use user_tools::USER_TOOLS;
