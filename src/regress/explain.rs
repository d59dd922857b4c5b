//! Explanations: what each code means, and what to do about it.

use schemars::JsonSchema;
use serde_json::Value;

use super::{ChangeClass, REPLAYS, ReplayRule, Rule, Severity, rules};
use crate::ir::Defect;
use crate::textcall::ProblemCode;

/// What a code is the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeKind {
    /// A change between two profiles.
    Change(ChangeClass, Severity),
    /// A deviation from a protocol that a decoder tolerated.
    Defect,
    /// Why something in text that looks like a call cannot be run.
    Problem,
    /// What a replay found changed.
    Replay(Severity),
}

/// A code with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Explanation {
    /// As policies, diffs and decoders spell it.
    pub code: String,
    /// What it is the name of.
    pub kind: CodeKind,
    /// What it means.
    pub meaning: String,
    /// What to do.
    pub remedy: &'static str,
}

impl From<&'static Rule> for Explanation {
    fn from(rule: &'static Rule) -> Self {
        Self {
            code: rule.code.to_owned(),
            kind: CodeKind::Change(rule.class, rule.severity),
            meaning: rule.meaning.to_owned(),
            remedy: rule.remedy,
        }
    }
}

impl From<&ReplayRule> for Explanation {
    fn from(rule: &ReplayRule) -> Self {
        Self {
            code: rule.code.to_owned(),
            kind: CodeKind::Replay(rule.severity),
            meaning: rule.meaning.to_owned(),
            remedy: rule.remedy,
        }
    }
}

/// All codes, those that policies name first.
pub(crate) fn explanations() -> Vec<Explanation> {
    let defects = documented_variants::<Defect>().into_iter().map(|(code, meaning)| {
        let defect = serde_json::from_value(Value::from(code.as_str()));
        let remedy = defect.map_or("", defect_remedy);
        Explanation { code, kind: CodeKind::Defect, meaning, remedy }
    });
    let problems = documented_variants::<ProblemCode>().into_iter().map(|(code, meaning)| Explanation {
        code,
        kind: CodeKind::Problem,
        meaning,
        remedy: "send the problem's message back to the model as the call's error; never run the \
                 call",
    });
    let replays = REPLAYS.into_iter().map(Explanation::from);
    rules().map(Explanation::from).chain(replays).chain(defects).chain(problems).collect()
}

/// What a code means; more than one thing where kinds share it.
pub(crate) fn explain(code: &str) -> Vec<Explanation> {
    explanations().into_iter().filter(|known| known.code == code).collect()
}

/// The names of an enum's variants with their documentation, where the meaning is written.
fn documented_variants<T: JsonSchema>() -> Vec<(String, String)> {
    let schema = schemars::schema_for!(T).to_value();
    let variants = schema.get("oneOf").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |variant: &Value, key: &str| variant.get(key)?.as_str().map(str::to_owned);
    variants
        .iter()
        .filter_map(|variant| Some((text(variant, "const")?, text(variant, "description")?)))
        .collect()
}

fn defect_remedy(defect: Defect) -> &'static str {
    use Defect as D;
    match defect {
        D::IndexMissing | D::IndexReused | D::IndexSplit | D::IndexOffset => {
            "put streamed calls together by id where there is one, not by index alone"
        }
        D::IdMissing | D::IdEmpty | D::IdNotString | D::IdChanged | D::IdDuplicate => {
            "give calls ids of your own and map them back when results are sent"
        }
        D::NameEmpty | D::NameRepeated | D::NameAfterArguments => {
            "set a call's name once, when it first comes, and never append to it"
        }
        D::PhantomCall => "drop calls without a name before anything runs",
        D::CallWithFinish | D::TrailingEmptyDelta => {
            "read the calls of a chunk before its finish label, and pass over empty deltas"
        }
        D::ArgumentsObject
        | D::ArgumentsString
        | D::ArgumentsDoubleEncoded
        | D::ArgumentsEmpty
        | D::ArgumentsAbsent => {
            "take arguments as an object, as encoded text, or as nothing, and validate what results"
        }
        D::ArgumentsInvalid | D::ArgumentsNotObject => {
            "do not run the call; tell the model that its arguments were not a JSON object"
        }
        D::LegacyFunctionCall => "read `function_call` as one call without an id",
        D::StopWithCalls
        | D::FinishWithoutCalls
        | D::FinishEmpty
        | D::FinishKeyMissing
        | D::FinishMissing => "decide by the calls that came, not by the finish label",
        D::TerminatorMissing | D::EventsAfterEnd => {
            "end a stream at its finish label or terminal event, whichever the dialect has"
        }
        D::Truncated => "treat the reply as failed: a half-received argument is never a call",
        D::ChoicesSplit | D::ChoicesEmpty | D::DeltaMissing => {
            "merge all choices, and pass over chunks that carry nothing"
        }
        D::UsageInFinishChunk
        | D::UsageExcludesReasoning
        | D::UsageMissing
        | D::UsageImplausible => {
            "take usage from wherever it comes, and do not rely on its sums: count for yourself what is paid for"
        }
        D::SseComment => "use an SSE parser that passes over comment lines",
        D::LimitMasked => {
            "compare the output tokens with the limit of the request, and treat a reply that reaches it \
             as cut"
        }
        D::TextRepeated => "do not show streamed text before the reply is complete",
        D::StreamIgnored => "accept a plain body where a stream was asked for",
        D::FrameInvalid | D::EventUnknown | D::PartUnknown => {
            "pass over what is not known, and keep it in the evidence"
        }
        D::InputMissing
        | D::BlockStartMissing
        | D::BlockStopMissing
        | D::SequenceMissing
        | D::OutputIndexMissing
        | D::OutputMissing
        | D::ArgumentsDoneMissing
        | D::PiecesDisagree
        | D::EventNameMissing => {
            "take events by what they carry; do not rely on every bracket and number being there"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning_and_a_remedy() {
        let all = explanations();
        assert!(all.len() > 120, "{}", all.len());
        for known in all {
            assert!(!known.meaning.is_empty() && !known.remedy.is_empty(), "{}", known.code);
            let plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(known.code.chars().all(plain), "{}", known.code);
        }
    }

    #[test]
    fn defects_and_problems_are_explained_by_their_own_words() {
        let [defect] = explain("index-reused").try_into().unwrap();
        assert_eq!(defect.kind, CodeKind::Defect);
        assert_eq!(defect.meaning, "Several calls with ids of their own share one index.");
        assert_eq!(explain("schema-violation").first().map(|it| it.kind), Some(CodeKind::Problem));
        let both: Vec<CodeKind> = explain("truncated").into_iter().map(|it| it.kind).collect();
        assert_eq!(both, [CodeKind::Defect, CodeKind::Problem]);
    }
}
