//! What each program gets for a model that needs something, and for one that was never measured.

use clap::ValueEnum as _;

use super::Export;
use crate::dialect::DialectId;
use crate::ir::{CallFormat, Layer, ReasoningField};
use crate::profile::testing::{outcome, profile, single_tool};
use crate::profile::{
    ParallelTool, Profile, Replay, ReplayMode, Results, Status, Switch, capabilities,
};

fn with(results: Results) -> Profile {
    Profile { capabilities: capabilities(&results), results, ..profile() }
}

/// A model that writes calls as text, one at a time, and needs its reasoning back.
fn demanding() -> Profile {
    let mut single = single_tool(Layer::Content);
    single.format = Some(CallFormat::Xml);
    single.parser = Some("qwen3-coder".to_owned());
    let parallel = ParallelTool {
        outcome: outcome(Status::Fail),
        off_switch: Switch::Unknown,
        results_taken: None,
    };
    let replay = Replay {
        outcome: outcome(Status::Pass),
        mode: Some(ReplayMode::Required),
        field: Some(ReasoningField::ReasoningContent),
        variants: std::collections::BTreeMap::new(),
    };
    with(Results {
        single_tool: Some(single),
        parallel_tool: Some(parallel),
        reasoning_replay: Some(replay),
        ..Results::default()
    })
}

fn all(profile: &Profile) -> String {
    let exports = Export::value_variants().iter().map(|export| {
        let name = export.to_possible_value().unwrap();
        format!("=== {}\n{}", name.get_name(), export.render(profile))
    });
    exports.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_demanding_model_in_every_export() {
    insta::assert_snapshot!(all(&demanding()));
}

#[test]
fn what_was_not_measured_is_left_to_the_defaults() {
    insta::assert_snapshot!(all(&with(Results::default())));
}

#[test]
fn every_json_export_is_json_once_its_comments_are_gone() {
    for dialect in DialectId::ALL {
        for export in [
            Export::Opencode,
            Export::Pi,
            Export::QwenCode,
            Export::Zed,
            Export::Cline,
            Export::Roo,
            Export::Goose,
            Export::Crush,
            Export::ClaudeCodeRouter,
            Export::Json,
        ] {
            let text = export.render(&Profile { dialect, ..demanding() });
            let bare: String = text.lines().filter(|line| !line.starts_with("//")).collect();
            assert!(serde_json::from_str::<serde_json::Value>(&bare).is_ok(), "{export:?}: {text}");
        }
        let codex = Export::Codex.render(&Profile { dialect, ..demanding() });
        assert!(toml::from_str::<toml::Table>(&codex).is_ok(), "{codex}");
    }
}

#[test]
fn words_of_an_endpoint_cannot_leave_their_comment() {
    let mut hostile = demanding();
    let single = hostile.results.single_tool.as_mut().unwrap();
    single.outcome.reason = "x\n--evil\r\n\u{1b}[2J".to_owned();
    let text = Export::Codex.render(&hostile);
    assert!(text.lines().all(|line| !line.starts_with("--evil")), "{text}");
    assert!(!text.contains('\u{1b}'));
}
