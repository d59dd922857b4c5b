//! Settings for programs that have no format of their own here.

use serde_json::{Value, json};
use strum::VariantArray as _;

use super::facts::Facts;
use super::text::{pretty, quote_word, without_nulls};
use super::{Comment, Rendered};
use crate::profile::{CorrectionKind, Setting};

fn settings(facts: &Facts<'_>) -> Value {
    let found = &facts.profile.capabilities;
    without_nulls(json!({
        "provider": facts.provider(), "model": facts.model(), "endpoint": facts.endpoint(),
        "dialect": facts.dialect(),
        "toolCallFormat": found.tool_call_format, "parser": found.parser,
        "toolDelivery": found.tool_delivery, "schemaLevel": found.schema_level,
        "supportsParallelToolUse": facts.parallel, "supportsStreamingToolUse": facts.streaming,
        "supportsPlainToolUse": found.supports_plain_tool_use,
        "requiresReasoningReplay": facts.replays, "reasoningField": facts.reasoning_field,
        "errorRepair": found.error_repair,
    }))
}

fn corrections(facts: &Facts<'_>) -> Value {
    let settings: Vec<&Setting> = facts.plan.corrections.iter().map(|it| &it.setting).collect();
    json!(settings)
}

pub(super) fn json(facts: &Facts<'_>) -> Rendered {
    let mut value = settings(facts);
    if let Some(map) = value.as_object_mut() {
        map.insert("corrections".to_owned(), corrections(facts));
    }
    Rendered {
        body: pretty(&value),
        comment: Comment::Key,
        expresses: CorrectionKind::VARIANTS,
        notes: Vec::new(),
    }
}

/// One variable per setting; the corrections as one line of JSON.
pub(super) fn env(facts: &Facts<'_>) -> Rendered {
    let mut value = settings(facts);
    if let Some(map) = value.as_object_mut() {
        map.insert("corrections".to_owned(), corrections(facts));
    }
    let lines = value.as_object().into_iter().flatten().map(|(key, inner)| {
        let word = inner.as_str().map_or_else(|| inner.to_string(), str::to_owned);
        format!("TOOLPROBE_{}={}", upper(key), quote_word(&word))
    });
    let body = lines.collect::<Vec<_>>().join("\n");
    Rendered {
        body,
        comment: Comment::Mark("#"),
        expresses: CorrectionKind::VARIANTS,
        notes: Vec::new(),
    }
}

/// `toolCallFormat` as `TOOL_CALL_FORMAT`.
fn upper(key: &str) -> String {
    let mut out = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}
