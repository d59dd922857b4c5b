//! Defects: what a lenient decoder tolerated and a strict client would not have.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One deviation from the provider's documented shape. The kebab-case codes are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Defect {
    /// A streamed call carries no `index`.
    IndexMissing,
    /// Several calls with ids of their own share one index.
    IndexReused,
    /// The head of a call came under one index, its tail under another.
    IndexSplit,
    /// The first call's index is not 0.
    IndexOffset,
    /// A call carries no id.
    IdMissing,
    /// Continuations carry `id: ""` instead of none.
    IdEmpty,
    /// An id is not a string.
    IdNotString,
    /// A continuation carries another id than its head.
    IdChanged,
    /// Two calls of one reply have the same id.
    IdDuplicate,
    /// Continuations carry `name: ""` instead of none.
    NameEmpty,
    /// Every delta repeats the name.
    NameRepeated,
    /// Arguments came before the name.
    NameAfterArguments,
    /// A call has no name at all, and so is not counted as one.
    PhantomCall,
    /// The whole call came in the chunk that ends the reply.
    CallWithFinish,
    /// An empty argument delta follows the finished call.
    TrailingEmptyDelta,
    /// Arguments are an object where the dialect says encoded string.
    ArgumentsObject,
    /// Arguments are an encoded string where the dialect says object.
    ArgumentsString,
    /// Arguments are a JSON string that holds the encoded object.
    ArgumentsDoubleEncoded,
    /// A call without arguments carries `""` instead of `{}`.
    ArgumentsEmpty,
    /// A call without arguments carries none or null.
    ArgumentsAbsent,
    /// Arguments are not JSON: the call is broken.
    ArgumentsInvalid,
    /// Arguments are JSON but not an object.
    ArgumentsNotObject,
    /// The legacy `function_call` field is used.
    LegacyFunctionCall,
    /// The reply says it simply stopped, and holds calls.
    StopWithCalls,
    /// The reply says it stopped for calls, and holds none.
    FinishWithoutCalls,
    /// The finish label is an empty string.
    FinishEmpty,
    /// A chunk lacks the `finish_reason` key altogether.
    FinishKeyMissing,
    /// No finish label came at all.
    FinishMissing,
    /// The stream's closing sentinel did not come, though the reply was finished.
    TerminatorMissing,
    /// Events came after the one that ends the reply.
    EventsAfterEnd,
    /// The stream ended before the reply did.
    Truncated,
    /// Text and calls came as separate choices.
    ChoicesSplit,
    /// A chunk other than the usage chunk has no choices.
    ChoicesEmpty,
    /// A choice has no `delta` or `message`.
    DeltaMissing,
    /// Usage came with the finish chunk, not in one of its own.
    UsageInFinishChunk,
    /// Reasoning tokens are not part of the completion count.
    UsageExcludesReasoning,
    /// Comments keep the stream alive.
    SseComment,
    /// A delta repeats text that had already been sent.
    TextRepeated,
    /// The request asked for a stream and got one body.
    StreamIgnored,
    /// A frame is not JSON and was passed over.
    FrameInvalid,
    /// An event has no place in this dialect and was passed over.
    EventUnknown,
    /// A block, part or item has a type this version does not know.
    PartUnknown,
    /// A call block starts without `input`.
    InputMissing,
    /// A delta or an end came for a block that had not started.
    BlockStartMissing,
    /// A block's end event is missing.
    BlockStopMissing,
    /// Events carry no `sequence_number`.
    SequenceMissing,
    /// Events carry no `output_index`.
    OutputIndexMissing,
    /// The first event's response has no `output` list.
    OutputMissing,
    /// The event that closes an argument stream did not come.
    ArgumentsDoneMissing,
    /// The pieces of a text or of arguments do not add up to the whole that closes them.
    PiecesDisagree,
    /// Events carry no name, by which official clients tell them apart.
    EventNameMissing,
    /// The reply is as long as the request allowed, and its stop reason hides that the limit ended it.
    LimitMasked,
    /// The reply does not say how many tokens it cost.
    UsageMissing,
    /// The reply claims zero tokens, or far more than the request can have cost.
    UsageImplausible,
}

impl Defect {
    /// The stable code, as profiles and `explain` spell it.
    pub fn code(self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(code)) => code,
            _ => String::new(),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code())
    }
}

/// The defects of one reply, each once, in the order they were first seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Defects(Vec<Defect>);

impl Defects {
    /// Notes a defect; a second sighting changes nothing.
    pub fn record(&mut self, defect: Defect) {
        if !self.0.contains(&defect) {
            self.0.push(defect);
        }
    }

    /// Whether this one was seen.
    pub fn contains(&self, defect: Defect) -> bool {
        self.0.contains(&defect)
    }

    /// Whether none was seen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in the order first seen.
    pub fn iter(&self) -> impl Iterator<Item = Defect> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<Defect> for Defects {
    fn from_iter<I: IntoIterator<Item = Defect>>(defects: I) -> Self {
        let mut all = Self::default();
        defects.into_iter().for_each(|defect| all.record(defect));
        all
    }
}
