//! Probes: what is asked of an endpoint, and how the answer is judged.
//!
//! - `suite`: probe files, suites, and a probe of the user's own tools
//! - `meaning`: a hash of what a probe asks
//! - `seed`, `prompt`: the values and words of a trial
//! - `kind`: the trait that every kind of probe implements; `kinds`: one file per kind
//! - `bench`, `offer`: what a trial is held with; `together`: many at once; `trial`: what it showed
//! - `calls`, `receipt`, `cases`, `reasoning_change`: what several kinds judge by
//! - `control`: whether the endpoint still answers when nothing is under test
//! - `ladder`: how tools are made known; `only_streams`: its rung for streams; `outcome`: from trials to a result
//! - `run`: the whole suite at once; `sample`: one probe once more; `estimate`: what that costs

mod bench;
mod calls;
mod cases;
mod control;
mod estimate;
mod kind;
mod kinds;
mod ladder;
mod meaning;
mod offer;
mod only_streams;
mod outcome;
mod prompt;
mod reasoning_change;
mod receipt;
mod run;
mod sample;
mod seed;
mod suite;
mod together;
mod trial;

pub(crate) use bench::Bench;
pub(crate) use estimate::{Estimate, Load, estimate};
pub(crate) use prompt::{Wanted, ask_for};
pub(crate) use run::{ProbeListener, SuiteOutcome, run, run_unreachable};
pub(crate) use sample::{Again, sample};
pub(crate) use seed::{Seed, fill};
pub use suite::Suite;
pub(crate) use suite::{Probe, ProbeFile};

pub use crate::profile::SuiteName;
