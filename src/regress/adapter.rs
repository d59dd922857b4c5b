//! The effects of an adapter: what it fixes, breaks and hides.
//!
//! A model's profile through the adapter is compared with its direct one by the same table as any
//! two profiles. Each change is then an effect on a user of the adapter.

use std::fmt;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::diff::{compare_documents, documents, order};
use super::passage::{DocumentSide, PassageView};
use super::told_once::tell_once;
use super::{Change, ChangeClass, ClientView, Detail, Diff};
use crate::dialect::DialectId;
use crate::profile::{Profile, ReplayMode, Status, ToolCallFormat};

/// What an adapter does to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum AdapterEffect {
    /// Something works directly and not through it.
    Breaks,
    /// No verdict could be reached through it.
    LeavesOpen,
    /// Something can be seen directly and not through it.
    Hides,
    /// Something is different through it, and neither better nor worse.
    Alters,
    /// Something works through it and not directly.
    Fixes,
}

impl fmt::Display for AdapterEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Breaks => "breaks",
            Self::LeavesOpen => "leaves open",
            Self::Hides => "hides",
            Self::Alters => "alters",
            Self::Fixes => "fixes",
        })
    }
}

impl AdapterEffect {
    /// The class that policies know it by.
    fn class(self) -> ChangeClass {
        match self {
            Self::Breaks => ChangeClass::Regression,
            Self::LeavesOpen | Self::Hides => ChangeClass::Missing,
            Self::Alters => ChangeClass::Drift,
            Self::Fixes => ChangeClass::Improvement,
        }
    }

    fn of_class(class: ChangeClass) -> Self {
        match class {
            ChangeClass::Regression => Self::Breaks,
            ChangeClass::Missing => Self::Hides,
            ChangeClass::Drift | ChangeClass::New => Self::Alters,
            ChangeClass::Improvement => Self::Fixes,
        }
    }
}

/// What is known of a model on one side of an adapter: directly, or through it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AdapterSide {
    /// Its profile.
    pub profile: Profile,
    /// What its answers let a client see.
    pub seen: ClientView,
    /// What happened to its requests and replies on their way; nothing without an adapter.
    pub passages: PassageView,
}

/// The codes whose class does not give the effect, and why.
const EXCEPTIONS: &[(&str, AdapterEffect, &str)] = &[
    ("target-inconclusive", AdapterEffect::LeavesOpen, "nothing was learnt through the adapter"),
    ("verdict-inconclusive", AdapterEffect::LeavesOpen, "nothing was learnt of the probe"),
    ("case-inconclusive", AdapterEffect::LeavesOpen, "nothing was learnt of the case"),
    ("call-ids-rewritten", AdapterEffect::Hides, "the provider's own ids are not to be seen"),
    ("call-ids-grown", AdapterEffect::Hides, "what is inside them is not for clients to see"),
    ("reasoning-state-gone", AdapterEffect::Hides, "the model reasons, and nobody sees it"),
    ("reasoning-replay-optional", AdapterEffect::Fixes, "the adapter takes care of it"),
];

/// The probe of tool choices.
const TOOL_CHOICE: &str = "tool-choice";

/// Whether words may stand before results depends on the dialect: they share a message in some, and
/// are messages of their own in others.
const PLACE_OF_RESULTS: &str = "results.history.shapes.text-before-results.**";

/// The effect that a change from the direct profile to the one through the adapter stands for.
fn effect_of(change: &Change, direct: &Profile, adapter: &Profile) -> AdapterEffect {
    let translates = direct.dialect != adapter.dialect;
    match change.code.as_str() {
        "reasoning-replay-optional" if !carries_reasoning(direct, adapter) => AdapterEffect::Hides,
        "verdict-new" if change.at.new == "pass" => AdapterEffect::Fixes,
        "reasoning-field-changed" if translates => AdapterEffect::Alters,
        _ if translates && change.at.field.matches(PLACE_OF_RESULTS) => AdapterEffect::Alters,
        code => EXCEPTIONS
            .iter()
            .find(|(known, ..)| *known == code)
            .map_or_else(|| AdapterEffect::of_class(change.class), |(_, effect, _)| *effect),
    }
}

/// Whether the reasoning that a model demands back reaches it, even if clients see none of it.
fn carries_reasoning(direct: &Profile, adapter: &Profile) -> bool {
    let seen = adapter.capabilities.reasoning_replay.mode != Some(ReplayMode::Absent);
    let demanded = direct.capabilities.requires_reasoning_replay == Some(true);
    let closed = adapter.results.closed_loop.as_ref().map(|closed| closed.outcome.status);
    seen || (demanded && closed == Some(Status::Pass))
}

/// What an adapter does to one model: its direct profile against the one through the adapter, which
/// may be spoken to in another dialect.
pub(crate) fn compare_through_adapter(direct: &AdapterSide, adapter: &AdapterSide) -> Diff {
    let adapter = &without_excused(direct, adapter);
    let profile = as_translated(&direct.profile, &adapter.profile);
    let translated = AdapterSide { profile, ..direct.clone() };
    let mut changes = compare_sides(&translated, adapter);
    for change in &mut changes {
        let effect = effect_of(change, &direct.profile, &adapter.profile);
        change.class = effect.class();
        change.effect = Some(effect);
    }
    let mut changes = tell_once(changes, &adapter.passages);
    changes.sort_by(|a, b| (a.effect, order(a)).cmp(&(b.effect, order(b))));
    Diff { compared: 1, changes }
}

/// The changes of the profile and of what a client sees.
pub(super) fn compare_sides(direct: &AdapterSide, adapter: &AdapterSide) -> Vec<Change> {
    let (mut old, mut new) = documents(&direct.profile, &adapter.profile);
    let passages = &adapter.passages;
    let (was, is) =
        (direct.seen.compared_with(&direct.seen), adapter.seen.compared_with(&direct.seen));
    insert_seen(&mut old, &was, passages.document(DocumentSide::Direct));
    insert_seen(&mut new, &is, passages.document(DocumentSide::Through));
    compare_documents(&old, &new, &adapter.profile)
}

fn insert_seen(document: &mut Value, seen: &ClientView, passages: Value) {
    let mut seen = json!(seen);
    if let (Some(object), Value::Object(passages)) = (seen.as_object_mut(), passages) {
        object.extend(passages);
    }
    if let Some(object) = document.as_object_mut() {
        object.insert("seen".to_owned(), seen);
    }
}

/// The adapter's side without the details that nobody misses: an adapter whose streams are right may
/// well mend the provider's cuts, and one that keeps the seal of reasoning itself need not show it.
fn without_excused(direct: &AdapterSide, adapter: &AdapterSide) -> AdapterSide {
    let (old, new) = (&direct.profile, &adapter.profile);
    let streams = new.capabilities.supports_streaming_tool_use == Some(true);
    let demanded = old.capabilities.requires_reasoning_replay == Some(true);
    let keeps_seal = demanded && carries_reasoning(old, new);
    let excuses = [(streams, Detail::Truncation), (keeps_seal, Detail::ReasoningSeal)];
    let mut adapter = adapter.clone();
    for (_, detail) in excuses.into_iter().filter(|(excused, _)| *excused) {
        adapter.seen = adapter.seen.without(detail);
    }
    adapter
}

/// The direct profile as an adapter that only translates would show it: calls in the native format of
/// one dialect become calls in that of the other.
pub(crate) fn as_translated(direct: &Profile, adapter: &Profile) -> Profile {
    let is_native = |profile: &Profile| {
        profile.capabilities.tool_call_format == Some(native_format(profile.dialect))
    };
    let mut direct = direct.clone();
    leave_out_unasked(&mut direct, adapter);
    if is_native(&direct) && is_native(adapter) {
        direct.capabilities.tool_call_format = adapter.capabilities.tool_call_format;
        let format = adapter.results.single_tool.as_ref().and_then(|single| single.format);
        if let Some(single) = &mut direct.results.single_tool {
            single.format = format;
        }
    }
    direct
}

/// Takes over what the dialect spoken to the adapter cannot ask: nothing is lost by that.
fn leave_out_unasked(direct: &mut Profile, adapter: &Profile) {
    let results = &adapter.results;
    if !adapter.dialect.has_parallel_switch()
        && let (Some(own), Some(seen)) = (&mut direct.results.parallel_tool, &results.parallel_tool)
    {
        own.off_switch = seen.off_switch;
    }
    if !adapter.dialect.has_tool_choice()
        && let (Some(own), Some(seen)) =
            (direct.results.extended.get_mut(TOOL_CHOICE), results.extended.get(TOOL_CHOICE))
    {
        own.clone_from(seen);
    }
}

/// The format of calls that keep to the dialect.
fn native_format(dialect: DialectId) -> ToolCallFormat {
    match dialect {
        DialectId::AnthropicMessages => ToolCallFormat::Anthropic,
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Ollama => {
            ToolCallFormat::OpenAi
        }
        DialectId::Gemini => ToolCallFormat::Gemini,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::regress::fixtures::{change, profile};
    use crate::regress::rules;

    /// What the adapter does by each code of the table whose class does not say it.
    #[test]
    fn every_exception_is_about_a_code_and_says_something_else_than_its_class() {
        let classes: BTreeMap<&str, ChangeClass> =
            rules().map(|rule| (rule.code, rule.class)).collect();
        for (code, effect, _) in EXCEPTIONS {
            let class = classes.get(code).unwrap_or_else(|| panic!("no code {code}"));
            assert_ne!(AdapterEffect::of_class(*class), *effect, "{code} needs no exception");
        }
    }

    #[test]
    fn every_row_of_the_table_has_an_effect_that_fits_its_class() {
        let any = profile(&json!({}));
        for rule in rules() {
            let effect = effect_of(&change(rule.code), &any, &any);
            let exception = EXCEPTIONS.iter().any(|(code, ..)| *code == rule.code);
            let fits = effect.class() == rule.class || rule.class == ChangeClass::New;
            assert!(exception || fits, "{}", rule.code);
            let is_open = rule.code.ends_with("-inconclusive");
            assert_eq!(effect == AdapterEffect::LeavesOpen, is_open, "{}", rule.code);
        }
    }

    fn effects(direct: &Value, adapter: &Value) -> Vec<(String, AdapterEffect)> {
        let side = |patch| AdapterSide {
            profile: profile(patch),
            seen: ClientView::default(),
            passages: PassageView::default(),
        };
        let diff = compare_through_adapter(&side(direct), &side(adapter));
        let each = diff.changes.into_iter();
        each.map(|it| (it.code.to_string(), it.effect.unwrap())).collect()
    }

    fn one(code: &str, effect: AdapterEffect) -> Vec<(String, AdapterEffect)> {
        vec![(code.to_owned(), effect)]
    }

    #[test]
    fn what_is_lost_is_broken_and_what_is_gained_is_fixed() {
        let one_call = json!({"supportsParallelToolUse": false,
            "results": {"parallelTool": {"status": "fail"}}});
        let base = json!({});
        assert_eq!(effects(&base, &one_call), one("parallel-lost", AdapterEffect::Breaks));
        assert_eq!(effects(&one_call, &base), one("parallel-gained", AdapterEffect::Fixes));
        assert_eq!(effects(&base, &base), []);
    }

    #[test]
    fn calls_in_the_form_of_the_dialect_that_is_spoken_are_no_change() {
        let anthropic = json!({"dialect": "anthropic-messages", "toolCallFormat": "anthropic",
            "results": {"singleTool": {"format": "anthropic"}}});
        let chat = json!({"dialect": "openai-chat", "toolCallFormat": "openai"});
        assert_eq!(effects(&anthropic, &chat), []);
        let text = json!({"dialect": "openai-chat", "toolCallFormat": "xml"});
        assert_eq!(effects(&anthropic, &text), one("call-format-lost", AdapterEffect::Breaks));
    }

    #[test]
    fn where_results_may_stand_is_a_matter_of_the_dialect() {
        let taken = |taken: &str, dialect: &str, format: &str| {
            json!({"dialect": dialect, "toolCallFormat": format, "results": {"history": {"shapes":
                {"text-before-results": {"taken": taken}}}}})
        };
        let direct = taken("accepted", "anthropic-messages", "anthropic");
        let chat = taken("rejected", "openai-chat", "openai");
        assert_eq!(effects(&direct, &chat), one("history-rule-tightened", AdapterEffect::Alters));
        let same = taken("accepted", "openai-chat", "openai");
        assert_eq!(effects(&same, &chat), one("history-rule-tightened", AdapterEffect::Breaks));
    }

    #[test]
    fn reasoning_in_another_field_is_a_matter_of_the_dialect_or_else_broken() {
        let replay = |dialect: &str, field: &str| {
            json!({"dialect": dialect, "toolCallFormat": if dialect == "openai-chat" { "openai" }
                else { "anthropic" }, "reasoningReplay": {"mode": "accepted", "field": field}})
        };
        let direct = replay("anthropic-messages", "thinking block");
        let chat = replay("openai-chat", "reasoning_content");
        assert_eq!(effects(&direct, &chat), one("reasoning-field-changed", AdapterEffect::Alters));
        let renamed = replay("openai-chat", "reasoning");
        assert_eq!(effects(&chat, &renamed), one("reasoning-field-changed", AdapterEffect::Breaks));
    }

    #[test]
    fn replay_that_is_no_longer_demanded_is_fixed_or_hidden_with_the_reasoning() {
        let mode = |mode: &str, required: bool| {
            json!({"requiresReasoningReplay": required,
                "reasoningReplay": {"mode": mode, "field": "reasoning_content"}})
        };
        let required = mode("required", true);
        let fixed = one("reasoning-replay-optional", AdapterEffect::Fixes);
        assert_eq!(effects(&required, &mode("accepted", false)), fixed);
        // The model itself would have refused: a client that got through unnoticed was helped.
        assert_eq!(effects(&required, &mode("absent", false)), fixed);
        let mut stuck = mode("absent", false);
        stuck["results"] = json!({"closedLoop": {"status": "partial"}});
        let hidden = ("reasoning-replay-optional".to_owned(), AdapterEffect::Hides);
        assert!(effects(&required, &stuck).contains(&hidden));
    }
}
