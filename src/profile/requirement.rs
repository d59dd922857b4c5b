//! Requirements: what a user may demand of an endpoint, and whether a profile meets it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ProbeOutcome, Profile, ReplyMode, SingleTool, Status};
use crate::ir::Layer;
use crate::prompted::ToolDelivery;

/// Something that `--require` or a target's `require` can demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema, clap::ValueEnum, strum::IntoStaticStr, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Requirement {
    /// Calls arrive, in any form
    Tools,
    /// Calls arrive in the protocol's own field, from tools declared there
    Native,
    /// Arguments keep to the schema, every keyword that was tried
    Schema,
    /// Results are read and answered from
    Results,
    /// Several calls in one reply
    Parallel,
    /// Streamed calls equal plain ones
    Streaming,
    /// Plain replies carry calls, too
    Plain,
    /// Tool errors are corrected
    Repair,
}

impl Requirement {
    /// The one spelling used in files, flags and output.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The verdict on the demand; `None` when it was not asked at all. Only `pass` meets it.
    pub fn status(self, profile: &Profile) -> Option<Status> {
        if self == Self::Native {
            return native(profile);
        }
        self.outcome(profile).map(|outcome| outcome.status)
    }

    /// The result that the demand is judged by.
    pub fn outcome(self, profile: &Profile) -> Option<&ProbeOutcome> {
        let results = &profile.results;
        match self {
            Self::Tools | Self::Native => results.single_tool.as_ref().map(|r| &r.outcome),
            Self::Schema => results.schema.as_ref().map(|r| &r.outcome),
            Self::Results => results.closed_loop.as_ref().map(|r| &r.outcome),
            Self::Parallel => results.parallel_tool.as_ref().map(|r| &r.outcome),
            Self::Streaming => results.streaming.as_ref().map(|r| &r.outcome),
            Self::Plain => plain(results.single_tool.as_ref()?),
            Self::Repair => results.error_repair.as_ref().map(|r| &r.outcome),
        }
    }
}

/// What plain requests gave; nothing where only streams were asked for.
fn plain(single: &SingleTool) -> Option<&ProbeOutcome> {
    match single.replies {
        ReplyMode::Plain => Some(&single.outcome),
        ReplyMode::Streamed => single.plain.as_deref(),
    }
}

/// A pass over another rung than the native one is a fail of this demand.
fn native(profile: &Profile) -> Option<Status> {
    let single = profile.results.single_tool.as_ref()?;
    let status = single.outcome.status;
    let is_native =
        single.delivery == Some(ToolDelivery::Native) && single.layer == Some(Layer::Structured);
    let worked = matches!(status, Status::Pass | Status::Partial);
    Some(if worked && !is_native { Status::Fail } else { status })
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;
    use crate::profile::capabilities;
    use crate::profile::testing::{outcome, profile, single_tool};

    #[test]
    fn names_in_data_and_in_output_are_the_same() {
        for requirement in Requirement::value_variants() {
            assert_eq!(serde_json::to_value(requirement).unwrap(), requirement.as_str());
        }
    }

    #[test]
    fn what_was_not_asked_has_no_status() {
        for requirement in Requirement::value_variants() {
            assert_eq!(requirement.status(&profile()), None);
        }
    }

    #[test]
    fn a_call_found_in_text_meets_tools_but_not_native() {
        let mut profile = profile();
        profile.results.single_tool = Some(single_tool(Layer::Content));
        assert_eq!(Requirement::Tools.status(&profile), Some(Status::Pass));
        assert_eq!(Requirement::Native.status(&profile), Some(Status::Fail));
        profile.results.single_tool = Some(single_tool(Layer::Structured));
        assert_eq!(Requirement::Native.status(&profile), Some(Status::Pass));
    }

    #[test]
    fn calls_that_only_streams_carry_meet_tools_but_not_plain() {
        let mut profile = profile();
        let plain = Some(Box::new(outcome(Status::Fail)));
        let single = single_tool(Layer::Structured);
        profile.results.single_tool =
            Some(SingleTool { replies: ReplyMode::Streamed, plain, ..single });
        assert_eq!(Requirement::Tools.status(&profile), Some(Status::Pass));
        assert_eq!(Requirement::Plain.status(&profile), Some(Status::Fail));
        let supported = |profile: &Profile| capabilities(&profile.results).supports_plain_tool_use;
        assert_eq!(supported(&profile), Some(false));
        profile.results.single_tool = Some(single_tool(Layer::Structured));
        assert_eq!(Requirement::Plain.status(&profile), Some(Status::Pass));
        assert_eq!(supported(&profile), Some(true));
    }

    #[test]
    fn an_inconclusive_result_stays_inconclusive() {
        let mut profile = profile();
        let mut single = single_tool(Layer::Content);
        single.outcome = outcome(Status::Inconclusive);
        profile.results.single_tool = Some(single);
        assert_eq!(Requirement::Native.status(&profile), Some(Status::Inconclusive));
    }
}
