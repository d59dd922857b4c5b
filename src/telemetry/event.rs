//! Turn event: one turn with a model as one line of JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the lines that this binary writes and understands.
pub(crate) const TELEMETRY_VERSION: u32 = 1;

/// One turn with a model: a request that was answered, and what was made of the answer. One line of
/// JSON. Requests that were not answered at all (timeouts, limits, server errors) leave no line.
///
/// What is left out is 0, false or unknown. Fields of one's own go into `extra`; any other field is
/// an error, so that a misspelt one does not pass for a zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TurnEvent {
    /// The version of this format; 1 where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry_version: Option<u32>,
    /// The model or profile that was spoken to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// When, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The conversation that the turn belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Calls that were read from the reply, whole.
    #[serde(skip_serializing_if = "is_zero")]
    pub calls: u32,
    /// Attempts at a call that could not be read as one: malformed, cut short, or refused by the
    /// server as unreadable output.
    #[serde(skip_serializing_if = "is_zero")]
    pub broken_calls: u32,
    /// Of `calls`, those of an unknown tool or with arguments that break its schema.
    #[serde(skip_serializing_if = "is_zero")]
    pub invalid_calls: u32,
    /// Of `calls`, valid ones that a policy kept from running.
    #[serde(skip_serializing_if = "is_zero")]
    pub refused_calls: u32,
    /// Of `calls`, those that ran and came back without an error.
    #[serde(skip_serializing_if = "is_zero")]
    pub succeeded_calls: u32,
    /// How many independent calls there were to make in this turn, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted_calls: Option<u32>,
    /// Whether the request handed a tool's error back, to be corrected.
    #[serde(skip_serializing_if = "is_false")]
    pub after_tool_error: bool,
    /// Calls and results that do not pair: a call without an id of its own, a result that the
    /// endpoint refused, a call found without its result before sending.
    #[serde(skip_serializing_if = "is_zero")]
    pub closure_errors: u32,
    /// Whether the request sent reasoning back, word for word as it came.
    #[serde(skip_serializing_if = "is_false")]
    pub replayed_reasoning: bool,
    /// Whether it was refused because of that reasoning.
    #[serde(skip_serializing_if = "is_false")]
    pub reasoning_replay_error: bool,
    /// Tokens of the prompt, where the endpoint counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// Whatever else the writer wants to keep.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// A turn event that contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {problem}")]
pub(crate) struct Contradiction {
    /// The field that contradicts another.
    pub field: &'static str,
    /// How.
    pub problem: String,
}

impl TurnEvent {
    /// Whether the model tried to call, well or badly.
    pub fn attempted(&self) -> bool {
        self.calls > 0 || self.broken_calls > 0
    }

    /// Whether several calls were to be made at once.
    pub(super) fn wanted_several(&self) -> bool {
        self.wanted_calls.is_some_and(|wanted| wanted > 1)
    }

    /// Refuses what contradicts itself.
    pub(super) fn check(&self) -> Result<(), Contradiction> {
        let version = self.telemetry_version.unwrap_or(TELEMETRY_VERSION);
        if version != TELEMETRY_VERSION {
            let problem =
                format!("is {version}, this toolprobe reads {TELEMETRY_VERSION}: update toolprobe");
            return Err(Contradiction { field: "telemetryVersion", problem });
        }
        let valid = self.calls.saturating_sub(self.invalid_calls);
        let allowed = valid.saturating_sub(self.refused_calls);
        for (field, value, most, of) in [
            ("invalidCalls", self.invalid_calls, self.calls, "`calls`"),
            ("refusedCalls", self.refused_calls, valid, "the valid ones of `calls`"),
            ("succeededCalls", self.succeeded_calls, allowed, "the calls that could run"),
        ] {
            if value > most {
                let problem = format!("is {value}, more than {of} ({most})");
                return Err(Contradiction { field, problem });
            }
        }
        if self.reasoning_replay_error && !self.replayed_reasoning {
            let problem = "is true where `replayedReasoning` is not".to_owned();
            return Err(Contradiction { field: "reasoningReplayError", problem });
        }
        Ok(())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde wants")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde wants")]
fn is_false(flag: &bool) -> bool {
    !*flag
}
