//! Wire quirks: how a server misspells a reply that its model got right.

use serde::{Deserialize, Serialize};

use crate::dialect::DialectId;

/// A fault of the server's encoder. It applies to plain bodies and to streams alike, unless its
/// description says that it concerns streams.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireQuirk {
    /// Streams: every call has index 0 and an id of its own.
    IndexZero,
    /// Streams: calls carry no index.
    IndexMissing,
    /// Streams: the head of the second call has index 0, its tail index 1.
    IndexSplit,
    /// Streams: indices start at 1.
    IndexOffset,
    /// Calls carry no id.
    IdMissing,
    /// Ids are integers.
    IdInteger,
    /// All calls of a reply have the same id.
    IdDuplicate,
    /// Streams: continuations carry `id: ""`.
    IdEmpty,
    /// Streams: continuations carry `name: ""`.
    NameEmpty,
    /// Streams: every delta repeats id and name.
    NameRepeated,
    /// Streams: arguments come before the name.
    NameAfterArguments,
    /// A further call with neither id nor name.
    PhantomCall,
    /// Streams: a whole call comes in one delta.
    CallWhole,
    /// Streams: a whole call comes in the chunk that ends the reply.
    CallWithFinish,
    /// Streams: an empty argument delta without the finish key follows the calls.
    TrailingEmptyDelta,
    /// Streams: the pieces of several calls take turns, each with its own index.
    CallsInterleaved,
    /// Streams: calls vanish, and the reply simply stops.
    CallsLost,
    /// Streams: arguments vanish.
    ArgumentsLost,
    /// Streams: the last piece of each call's arguments vanishes.
    ArgumentsTailCut,
    /// Arguments are an object where the dialect says encoded string.
    ArgumentsObject,
    /// Arguments are an encoded string where the dialect says object.
    ArgumentsString,
    /// Calls without arguments carry `""`.
    ArgumentsEmpty,
    /// Calls without arguments carry none.
    ArgumentsAbsent,
    /// The finish label is `""`.
    FinishEmpty,
    /// There is no finish label.
    FinishMissing,
    /// Streams: the closing sentinel is missing.
    TerminatorMissing,
    /// Streams: the stream ends in the middle of the reply.
    Truncated,
    /// The first call comes in the legacy `function_call` field.
    LegacyFunctionCall,
    /// Text and calls come as separate choices.
    ChoicesSplit,
    /// Streams: the first chunk has no choices, and a later choice has no delta.
    ChoicesEmpty,
    /// Streams: usage comes in the finish chunk.
    UsageInFinishChunk,
    /// Reasoning tokens are left out of the completion count.
    UsageExcludesReasoning,
    /// Streams: this comment comes before the first event and again before the last.
    Comment(String),
    /// Streams: an error takes the place of the end.
    ErrorInStream(String),
    /// Streams: call blocks start without `input`.
    InputMissing,
    /// Streams: blocks have no end event.
    BlockStopMissing,
    /// Streams: events carry no `sequence_number`.
    SequenceMissing,
    /// Streams: events carry no `output_index`.
    OutputIndexMissing,
    /// Streams: the first event's response has no `output`.
    OutputMissing,
    /// Streams: the event that closes an argument stream is missing.
    ArgumentsDoneMissing,
}

impl WireQuirk {
    /// Whether a server of this dialect can have it.
    pub fn applies_to(&self, dialect: DialectId) -> bool {
        let dialects: &[DialectId] = match self {
            Self::Comment(_) => {
                &[DialectId::OpenAiChat, DialectId::AnthropicMessages, DialectId::OpenAiResponses]
            }
            Self::Truncated | Self::ErrorInStream(_) => &DialectId::ALL,
            Self::TerminatorMissing | Self::ArgumentsLost | Self::ArgumentsTailCut => {
                &[DialectId::OpenAiChat, DialectId::AnthropicMessages]
            }
            Self::CallsInterleaved => {
                &[DialectId::OpenAiChat, DialectId::OpenAiResponses, DialectId::AnthropicMessages]
            }
            Self::InputMissing | Self::BlockStopMissing => &[DialectId::AnthropicMessages],
            Self::SequenceMissing
            | Self::OutputIndexMissing
            | Self::OutputMissing
            | Self::ArgumentsDoneMissing => &[DialectId::OpenAiResponses],
            Self::ArgumentsString => &[DialectId::Ollama],
            Self::IndexZero | Self::IndexMissing | Self::IdMissing => {
                &[DialectId::OpenAiChat, DialectId::Ollama]
            }
            _ => &[DialectId::OpenAiChat],
        };
        dialects.contains(&dialect)
    }
}
