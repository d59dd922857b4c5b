//! Which profiles do the tests of this folder start from?

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{
    Capabilities, PROFILE_VERSION, ProbeOutcome, Profile, ReasoningReplay, Results, SingleTool,
    Status, Subject,
};
use crate::dialect::DialectId;
use crate::ir::Layer;
use crate::prompted::ToolDelivery;

pub(crate) fn subject() -> Subject {
    Subject {
        provider: "acme".to_owned(),
        model: "Big Model/7B:free".to_owned(),
        endpoint: "https://api.acme.test/v1".to_owned(),
        chat_template_hash: None,
        variant: None,
    }
}

pub(crate) fn at(time: &str) -> DateTime<Utc> {
    time.parse().unwrap()
}

/// A profile with no result in it.
pub(crate) fn profile() -> Profile {
    Profile {
        profile_version: PROFILE_VERSION,
        name: Some("acme/big".to_owned()),
        subject: subject(),
        dialect: DialectId::OpenAiChat,
        server: BTreeMap::new(),
        capabilities: Capabilities {
            schema_level: None,
            tool_call_format: None,
            parser: None,
            tool_delivery: None,
            json_text: None,
            supports_parallel_tool_use: None,
            requires_reasoning_replay: None,
            reasoning_replay: ReasoningReplay { mode: None, field: None },
            supports_streaming_tool_use: None,
            supports_plain_tool_use: None,
            error_repair: None,
        },
        verified_at: at("2026-11-15T00:00:00Z"),
        probe_version: "tool-probe-v1+000000000000".to_owned(),
        suite: None,
        probes: BTreeMap::new(),
        results: Results::default(),
        metrics: None,
        cost: None,
        corrections: Vec::new(),
        rollout: None,
        false_claims: Vec::new(),
    }
}

pub(crate) fn outcome(status: Status) -> ProbeOutcome {
    ProbeOutcome {
        probe: "basic-format".to_owned(),
        status,
        passes: 0,
        trials: 0,
        interval: None,
        reason: String::new(),
        control: None,
        breaks: Vec::new(),
        evidence: Vec::new(),
    }
}

pub(crate) fn single_tool(layer: Layer) -> SingleTool {
    SingleTool {
        outcome: outcome(Status::Pass),
        format: None,
        parser: None,
        delivery: Some(ToolDelivery::Native),
        force: None,
        replies: crate::profile::ReplyMode::Plain,
        plain: None,
        layer: Some(layer),
        json_text: None,
        defects: Vec::new(),
        rungs: std::collections::BTreeMap::new(),
        schema_field: None,
    }
}
