//! Which two reports does every format show in its tests?
//!
//! One target with every kind of result and hostile texts in it, and a run of three targets, one of
//! which was not reached.

use serde_json::{Value, json};

use super::{Report, ReportFormat, TerminalStyle};
use crate::ir::Digest;
use crate::profile::{Profile, wilson};
use crate::store::{Manifest, ProfileFolder};
use crate::telemetry::Counts;

/// Hostile text of a model or a server, written to harm the reader of a report.
pub(super) const HOSTILE: &str =
    "=cmd|'/c x'!A1 <script>alert(1)</script> ]]> `</td>` [x](javascript:x) \u{1b}[31m\u{202e}@all";

fn outcome(probe: &str, status: &str, (passes, trials): (u32, u32), reason: &str) -> Value {
    let interval = wilson(passes, trials);
    let evidence: Vec<Digest> = (0..passes).map(|n| Digest::of(format!("{probe} {n}"))).collect();
    json!({
        "probe": probe, "status": status, "passes": passes, "trials": trials,
        "interval": interval, "reason": reason, "evidence": evidence,
    })
}

/// The outcome with further fields.
fn with(mut outcome: Value, fields: &Value) -> Value {
    for (key, value) in fields.as_object().unwrap() {
        outcome[key] = value.clone();
    }
    outcome
}

fn profile(model: &str, capabilities: &Value, results: &Value) -> Profile {
    let base = json!({
        "profileVersion": 1, "provider": "acme", "model": model,
        "endpoint": "https://api.acme.test/v1", "chatTemplateHash": null,
        "dialect": "openai-chat", "verifiedAt": "2026-11-15T08:30:00Z",
        "probeVersion": "tool-probe-v1+000000000000", "results": results,
        "schemaLevel": "simple-object", "toolCallFormat": "openai", "parser": null,
        "toolDelivery": "native", "jsonText": null, "supportsParallelToolUse": true,
        "requiresReasoningReplay": false, "reasoningReplay": {"mode": "absent", "field": null},
        "supportsStreamingToolUse": true, "supportsPlainToolUse": true, "errorRepair": "reliable",
    });
    serde_json::from_value(with(base, capabilities)).unwrap()
}

/// A profile that passes what it was asked.
fn plain() -> Profile {
    let results = json!({
        "singleTool": with(outcome("basic-format", "pass", (3, 3), "one call, structured"),
            &json!({"format": "openai", "delivery": "native", "layer": "structured"})),
        "closedLoop": with(outcome("closed-loop", "pass", (3, 3), "the answer holds the nonce"),
            &json!({"promptTokenDelta": 22})),
    });
    profile("plain-model", &json!({}), &results)
}

/// A profile with every kind of result, whose texts are hostile.
pub(super) fn odd() -> Profile {
    let case = |verdict: &str, passes: u32, reason: &str| {
        let evidence = [Digest::of(format!("{verdict} {reason}"))];
        json!({"verdict": verdict, "passes": passes, "trials": 3, "reason": reason,
            "evidence": evidence})
    };
    let results = json!({
        "singleTool": with(outcome("basic-format", "partial", (2, 3), HOSTILE), &json!({
            "format": "xml", "parser": "qwen3-coder", "delivery": "native", "layer": "content",
            "jsonText": {"strictness": "repaired", "repairs": ["trailing-comma"]},
            "rungs": {"native": HOSTILE}})),
        "schema": with(outcome("schema", "partial", (3, 6), "expected a string"), &json!({
            "control": "a single call", "failures": ["enum"],
            "cases": {"enum": case("accepted-invalid", 0, "expected a string"),
                "required": case("accepted-valid", 3, "as asked")}})),
        "closedLoop": with(outcome("closed-loop", "pass", (3, 3), "the answer holds the nonce"),
            &json!({"promptTokenDelta": 22})),
        "parallelTool": with(outcome("parallel", "fail", (0, 3), "one call of 2 asked for"),
            &json!({"control": "a single call", "offSwitch": "ignored"})),
        "errorRepair": with(outcome("error-repair", "inconclusive", (0, 0), "HTTP 503"),
            &json!({"loops": 0})),
        "reasoningReplay": with(outcome("reasoning-replay", "pass", (3, 3), "omitting is refused"),
            &json!({"mode": "required", "field": "reasoning_content", "variants": {
                "faithful": {"taken": "accepted", "promptTokens": 12},
                "omitted": {"taken": "rejected", "said": HOSTILE}}})),
        "streaming": with(outcome("streaming", "skipped", (0, 0), "no verdict without control"),
            &json!({"defects": ["index-missing", "sse-comment"],
                "twins": {"parallel": {"verdict": "skipped", "passes": 0, "trials": 0,
                    "reason": "no verdict without control", "evidence": []}}})),
        "history": with(outcome("history", "pass", (3, 3), "the well-formed history is taken"),
            &json!({"shapes": {"orphan-result": {"taken": "rejected", "said": HOSTILE},
                "tools-omitted": {"taken": "accepted"}}})),
    });
    let capabilities = json!({
        "toolCallFormat": "xml", "parser": "qwen3-coder", "supportsParallelToolUse": false,
        "jsonText": {"strictness": "repaired", "repairs": ["trailing-comma"]},
        "requiresReasoningReplay": true, "supportsStreamingToolUse": null,
        "supportsPlainToolUse": false, "errorRepair": null,
        "reasoningReplay": {"mode": "required", "field": "reasoning_content"},
    });
    let odd = profile("odd<b>model</b>", &capabilities, &results);
    Profile { metrics: Some(Counts::default().metrics()), ..odd }
}

/// A run of three targets, one of which was not reached, and its two profiles.
pub(super) fn run() -> (Manifest, Vec<Profile>) {
    let with_name = |name: &str, profile| Profile { name: Some(name.to_owned()), ..profile };
    let profiles = vec![with_name("plain", plain()), with_name("odd|name", odd())];
    let files = profiles.iter().map(|profile| json!(ProfileFolder::file_name(profile)));
    let names = ["plain", "odd|name", "gone"];
    let targets = names.iter().zip(files.chain([Value::Null])).map(|(name, file)| {
        json!({
            "name": name, "profile": file,
            "dialect": if file.is_null() { Value::Null } else { json!("openai-chat") },
            "problem": if file.is_null() { json!("no answer from the endpoint") } else { Value::Null },
            "cost": {"requests": 20, "promptTokens": 450, "completionTokens": 50, "wallMs": 900,
                "firstByteMs": null, "totalMs": {"p50": 12, "p95": 40}},
            "probeMs": {"basic-format": 120, "closed-loop": 340},
            "subject": {"provider": "acme", "model": name, "chatTemplateHash": null,
                "endpoint": "https://api.acme.test/v1"},
        })
    });
    let manifest = json!({
        "manifestVersion": 1, "run": "20261115T083000Z", "startedAt": "2026-11-15T08:30:00Z",
        "finishedAt": "2026-11-15T08:30:09Z", "toolprobeVersion": "0.1.0",
        "probeVersion": "tool-probe-v1+000000000000", "suite": "standard", "seed": 1, "trials": 3,
        "completion": {"state": "incomplete", "because": "interrupted"},
        "totals": {"requests": 42, "promptTokens": 900, "completionTokens": 100},
        "targets": targets.collect::<Vec<_>>(),
    });
    (serde_json::from_value(manifest).unwrap(), profiles)
}

/// Both reports in a format, by name.
pub(super) fn both(format: ReportFormat) -> [(&'static str, String); 2] {
    let (manifest, profiles) = run();
    let shown = |report: &Report<'_>| format.render(report, TerminalStyle::PLAIN).unwrap();
    [
        ("profile", shown(&Report::of_profile(&odd()))),
        ("run", shown(&Report::of_run(&manifest, &profiles))),
    ]
}
