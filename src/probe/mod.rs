//! Probes: what is asked of an endpoint, and how the answer is judged.
//!
//! - `suite`, `suite_name`, `user_tools`: probe files, suites, and a probe of the user's own tools
//! - `seed`, `prompt`, `example`: the values and words of a trial
//! - `kind`: the trait that every kind of probe implements; `kinds`: one file per kind
//! - `bench`, `offer`: what a trial is held with; `trial`: what it showed
//! - `calls`, `receipt`, `cases`, `reasoning_change`: what several kinds judge by
//! - `ladder`: how tools are made known; `outcome`: from trials to a result
//! - [`run`]: the whole suite at once; [`sample`]: one probe once more; [`estimate`]: what that costs

mod bench;
mod calls;
mod cases;
mod estimate;
mod example;
mod kind;
mod kinds;
mod ladder;
mod offer;
mod outcome;
mod prompt;
mod reasoning_change;
mod receipt;
mod run;
mod sample;
mod seed;
mod suite;
mod suite_name;
mod trial;
mod user_tools;

pub use bench::Bench;
pub use estimate::{Estimate, Load, estimate};
pub use prompt::{Wanted, ask_for};
pub use run::{ProbeListener, SuiteOutcome, run, run_unreachable};
pub use sample::{Again, sample};
pub use seed::{Seed, fill};
pub use suite::{Probe, ProbeFile, Suite, SuiteError};
pub use suite_name::SuiteName;
pub use user_tools::USER_TOOLS;
