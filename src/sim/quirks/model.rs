//! Model quirks: how a model misbehaves, whatever server it stands behind.

use serde::{Deserialize, Serialize};

/// A fault of the model, or of the template that the server feeds it with.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelQuirk {
    /// It talks about tools and calls none.
    TalksOnly,
    /// It makes one call per turn, whatever was asked.
    OneCall,
    /// It puts the arguments of all calls into the first one.
    MergesCalls,
    /// It makes several calls though the request forbids it.
    IgnoresParallelSwitch,
    /// It does as it likes, whatever the tool choice says.
    IgnoresToolChoice,
    /// It writes the call into its reasoning and then stops. Needs a text form.
    CallInReasoning,
    /// It says that it stopped for calls, and makes none.
    ClaimsCalls,
    /// It calls tools and says that it simply stopped.
    StopsWithCalls,
    /// It says a sentence before each turn's calls.
    TextBeforeCall,
    /// It breaks these parts of JSON Schema wherever a tool uses them.
    Breaks(Vec<SchemaFeature>),
    /// It writes numbers as strings.
    StringifiesNumbers,
    /// It writes every value as a string.
    StringifiesValues,
    /// It reads strings that look like JSON as JSON.
    ParsesStrings,
    /// It writes `&amp;` for `&` and the like in arguments.
    EscapesEntities,
    /// It encodes the arguments twice.
    DoubleEncodesArguments,
    /// Control tokens of its template leak into the tool's name.
    TokensInName,
    /// It answers without the results that it was given, and makes a value up.
    IgnoresResults,
    /// The template does not render results: it repeats its calls.
    ResultsNotRendered,
    /// It calls again and again after a successful result.
    Loops,
    /// After an error it explains instead of calling again.
    NeverRepairs,
    /// After an error it repeats the same call.
    RepeatsAfterError,
    /// Its first correction is still wrong, the second is right.
    RepairsLate,
    /// Reasoning that is sent back is dropped before it reaches the model.
    DropsReplayedReasoning,
    /// It reasons on the first turn only.
    ThinksOnce,
    /// It reasons without end instead of answering once several calls are asked for.
    NeverStopsThinking,
    /// Another quirk, on some requests only; which ones depends on nothing but the request.
    Sometimes {
        /// On how many of a hundred requests.
        percent: u8,
        /// What happens then.
        quirk: Box<ModelQuirk>,
    },
    /// Another quirk, in one half of all conversations; the first message decides which.
    InHalf(Box<ModelQuirk>),
}

/// A part of JSON Schema that a model can fail at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaFeature {
    /// Values outside `enum`.
    Enum,
    /// A required property is left out.
    Required,
    /// Fractions where the schema says integer.
    Integer,
    /// Nested objects are written as encoded text.
    NestedObject,
    /// Arrays are written as encoded text.
    Array,
    /// Booleans are written as `"yes"` and `"no"`.
    Boolean,
    /// Null is written as `"null"`.
    Null,
    /// Properties that the schema forbids.
    AdditionalProperties,
    /// Texts that do not match `pattern`.
    Pattern,
    /// Numbers beyond `minimum` and `maximum`.
    Bounds,
    /// Values behind a `$ref` are written as text.
    Ref,
    /// Values behind `anyOf` or `oneOf` fit none of the branches.
    Union,
}
