//! Adaptation: what a client of the model must do, as its profile shows.
//!
//! - [`plan`]: the corrections that a profile calls for
//! - `apply`: requests and replies rewritten as a plan says
//! - `rollout`: how far a model is trusted with tools
//! - [`claims`]: static tables held against a profile
//! - [`exports`]: the settings that other programs read

pub(crate) mod apply;
pub mod claims;
pub mod exports;
pub mod plan;
pub(crate) mod rollout;

use crate::profile::Profile;

/// The profile with what follows from its results: its corrections, and where it starts.
pub fn complete(profile: Profile) -> Profile {
    let corrections = plan::corrections(&profile);
    let rollout = Some(rollout::rollout(&profile));
    Profile { corrections, rollout, ..profile }
}
