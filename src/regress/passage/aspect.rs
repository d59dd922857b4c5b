//! Aspects: what of a request or a reply an adapter can change.

use serde::{Deserialize, Serialize};

/// What of a request can be changed on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, strum::VariantArray)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RequestAspect {
    /// Which tools are offered, in which order and words.
    Tools,
    /// The schemas of their arguments.
    Schemas,
    /// Their strict mode.
    Strict,
    /// The system and developer messages.
    System,
    /// Who speaks when.
    Roles,
    /// What the person and the model said.
    Text,
    /// Images, sounds and files.
    Media,
    /// Which calls the history holds.
    Calls,
    /// Their ids, and which result belongs to which call.
    CallIds,
    /// The values of their arguments.
    Arguments,
    /// The bytes of their arguments, where the values are the same.
    ArgumentBytes,
    /// What the calls gave.
    Results,
    /// Which of the results are errors.
    ErrorFlags,
    /// The reasoning that is sent back.
    Reasoning,
    /// Its signatures and encrypted state.
    ReasoningSeal,
    /// Which tools must, may or must not be called.
    ToolChoice,
    /// Whether several calls at once are allowed.
    Parallel,
    /// The most tokens of the reply.
    TokenLimit,
    /// Whether the reply is to be streamed.
    Stream,
    /// What a stream is to tell beside the reply.
    StreamOptions,
    /// The texts that end a reply.
    Stop,
    /// Temperature and the like.
    Sampling,
    /// The marks and keys of caches.
    Caching,
    /// What is said of the user and the request.
    Metadata,
    /// Whether and how much the model is to think.
    Thinking,
    /// The format that the reply is to have.
    OutputFormat,
    /// The headers that ask for features.
    Headers,
    /// Further fields.
    OtherFields,
}

impl RequestAspect {
    /// The aspects that cannot be kept where this one is not: what has no calls has no arguments.
    pub(super) fn includes(self) -> &'static [Self] {
        match self {
            Self::Tools => &[Self::Schemas, Self::Strict, Self::Caching],
            Self::System => &[Self::Caching],
            Self::Calls => &[
                Self::Roles,
                Self::CallIds,
                Self::Arguments,
                Self::ArgumentBytes,
                Self::Results,
                Self::ReasoningSeal,
                Self::Caching,
            ],
            Self::Results => &[Self::Roles, Self::CallIds, Self::Text, Self::Caching],
            // Errors may be read from their words.
            Self::ErrorFlags => &[Self::Results],
            Self::Text => &[Self::Roles, Self::ReasoningSeal, Self::Caching],
            Self::Arguments => &[Self::ArgumentBytes, Self::ReasoningSeal],
            Self::Reasoning => &[Self::ReasoningSeal],
            Self::Stream => &[Self::StreamOptions],
            _ => &[],
        }
    }
}

/// What of a reply can be changed on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReplyAspect {
    /// A refusal comes as a success.
    RefusalMasked,
    /// An error comes with another status.
    Status,
    /// A reply does not come at all.
    Lost,
    /// The words of an error.
    ErrorWords,
    /// The type, code and parameter of an error.
    ErrorDetails,
    /// What the model said.
    Text,
    /// Which calls the model made.
    Calls,
    /// The values of their arguments.
    Arguments,
    /// An id that a call earlier in the conversation has.
    CallIdReused,
    /// The ids of the calls.
    CallIds,
    /// What the model thought.
    Reasoning,
    /// The signatures and the encrypted state of it.
    ReasoningSeal,
    /// Why the reply ended.
    StopReason,
    /// How many tokens it took.
    Usage,
    /// A count of tokens that the provider did not give.
    UsageInvented,
    /// Which model says that it replied.
    Model,
    /// Fields that no other aspect is about.
    Fields,
    /// The documented form.
    Defects,
    /// The id by which the provider knows the request.
    RequestId,
    /// When to try again.
    RetryAfter,
    /// When the pieces of a stream come.
    Pace,
    /// That the client hung up.
    HangUp,
    /// Whose reply it is.
    Owner,
}

impl ReplyAspect {
    /// Whether it is about what the reply says, and not about the way it is carried.
    pub(super) fn is_meaning(self) -> bool {
        !matches!(
            self,
            Self::RequestId
                | Self::RetryAfter
                | Self::Pace
                | Self::HangUp
                | Self::UsageInvented
                | Self::Model
                | Self::CallIds
        )
    }

    /// Whether it is about what the model thought.
    pub(super) fn is_reasoning(self) -> bool {
        matches!(self, Self::Reasoning | Self::ReasoningSeal)
    }
}
