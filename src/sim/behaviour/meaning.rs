//! Meaning: the conversations in which a model differs from its well-behaved sibling.

use std::collections::BTreeSet;

use serde_json::json;

use super::conversations::{ECHO, after, asking, conversations};
use super::{answer, fleet, meaning};
use crate::dialect::DialectId;
use crate::ir::{Part, Request};
use crate::sim::model::TextForm;
use crate::sim::quirks::{ModelQuirk, SchemaFeature};
use crate::sim::{ModelFile, NativeTools};

const CALLING: [&str; 10] =
    ["echo", "add", "both", "apart", "ping", "marks", "digits", "book", "forced", "error"];

/// The conversations that a quirk of the model changes the meaning of.
fn concerned(quirk: &ModelQuirk) -> Vec<&'static str> {
    match quirk {
        ModelQuirk::TalksOnly
        | ModelQuirk::ClaimsCalls
        | ModelQuirk::StopsWithCalls
        | ModelQuirk::TextBeforeCall
        | ModelQuirk::DoubleEncodesArguments
        | ModelQuirk::TokensInName
        | ModelQuirk::CallInReasoning => CALLING.to_vec(),
        ModelQuirk::OneCall | ModelQuirk::MergesCalls | ModelQuirk::NeverStopsThinking => {
            vec!["both"]
        }
        ModelQuirk::IgnoresParallelSwitch => vec!["apart"],
        ModelQuirk::IgnoresToolChoice => vec!["forced", "forbidden"],
        ModelQuirk::Breaks(features) if features.contains(&SchemaFeature::Enum) => {
            vec!["echo", "both", "apart"]
        }
        ModelQuirk::Breaks(_) => vec!["book"],
        ModelQuirk::StringifiesNumbers => vec!["add", "both"],
        ModelQuirk::StringifiesValues => vec!["add", "both", "book"],
        ModelQuirk::ParsesStrings => vec!["digits"],
        ModelQuirk::EscapesEntities => vec!["marks"],
        ModelQuirk::IgnoresResults => vec!["result"],
        ModelQuirk::ResultsNotRendered | ModelQuirk::Loops => vec!["result", "error"],
        ModelQuirk::NeverRepairs | ModelQuirk::RepeatsAfterError | ModelQuirk::RepairsLate => {
            vec!["error"]
        }
        ModelQuirk::DropsReplayedReasoning | ModelQuirk::ThinksOnce => vec![],
        ModelQuirk::Sometimes { quirk, .. } | ModelQuirk::InHalf(quirk) => concerned(quirk),
    }
}

fn expected_differences(model: &ModelFile) -> BTreeSet<&'static str> {
    let mut all: BTreeSet<&str> = model.quirks.iter().flat_map(concerned).collect();
    if model.text_form != TextForm::None || model.tools != NativeTools::Used {
        all.extend(CALLING);
    }
    all
}

fn sibling(model: &ModelFile) -> &'static str {
    match model.dialect {
        DialectId::OpenAiChat => "openai-native",
        DialectId::OpenAiResponses => "responses-native",
        DialectId::AnthropicMessages => "anthropic-native",
        DialectId::Gemini => "gemini-native",
        DialectId::Ollama => "ollama-native",
    }
}

#[test]
fn each_model_differs_from_its_sibling_where_its_quirks_say_and_nowhere_else() {
    let fleet = fleet();
    let mut wrong = Vec::new();
    for model in fleet.iter() {
        let good = fleet.get(sibling(model)).unwrap();
        let flaky = model.quirks.iter().any(|q| matches!(q, ModelQuirk::Sometimes { .. }));
        let differing: BTreeSet<&str> = conversations()
            .iter()
            .filter(|(_, request)| {
                meaning(&answer(model, request)) != meaning(&answer(good, request))
            })
            .map(|(name, _)| *name)
            .collect();
        let expected = expected_differences(model);
        let holds = if flaky { differing.is_subset(&expected) } else { differing == expected };
        if !holds {
            wrong.push(format!("{} differs in {differing:?}, not {expected:?}", model.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The variants that a file of quirks declares, as model files spell them.
fn variants(source: &str) -> Vec<String> {
    let body =
        source.split_once("pub enum ").and_then(|(_, rest)| rest.split_once("\n}\n")).unwrap().0;
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    lines
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .filter_map(|line| line.split([',', '(', ' ']).next())
        .map(|name| {
            name.chars().fold(String::new(), |kebab, c| match c {
                c if c.is_ascii_uppercase() && !kebab.is_empty() => {
                    kebab + "-" + &c.to_ascii_lowercase().to_string()
                }
                c => kebab + &c.to_ascii_lowercase().to_string(),
            })
        })
        .collect()
}

/// What ends as no verdict, or as another one with another seed, cannot be declared.
const UNDECLARABLE: [&str; 2] = ["error-in-stream", "sometimes"];

#[test]
fn every_quirk_of_a_model_or_of_the_wire_is_shown_by_some_model() {
    let quirks: Vec<String> =
        fleet().iter().map(|model| json!([model.quirks, model.wire_quirks]).to_string()).collect();
    let sources = [include_str!("../quirks/model.rs"), include_str!("../quirks/wire.rs")];
    let unused: Vec<String> = sources
        .into_iter()
        .flat_map(variants)
        .filter(|name| !UNDECLARABLE.contains(&name.as_str()))
        .filter(|name| !quirks.iter().any(|shown| shown.contains(&format!("\"{name}\""))))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn a_model_that_misbehaves_sometimes_does_so_as_often_as_it_says() {
    let fleet = fleet();
    let mut model = fleet.get("openai-native").unwrap().clone();
    model.quirks =
        vec![ModelQuirk::Sometimes { percent: 50, quirk: Box::new(ModelQuirk::NeverRepairs) }];
    let calls = (0..200).filter(|trial| {
        let failure = json!({"error": "path must be absolute"});
        let path = format!("notes/{trial}.txt");
        let ask = format!("Call the tool `open` once, with:\n- path = \"{path}\"");
        let request = after(&ask, "open", json!({"path": path}), failure, true);
        answer(&model, &request).calls().next().is_some()
    });
    assert!((70..130).contains(&calls.count()));
}

#[test]
fn reasoning_comes_with_every_reply_of_a_thinking_model_in_the_declared_field() {
    for model in fleet().iter() {
        let reply = answer(model, &asking(ECHO));
        let state = reply.parts.iter().find_map(|part| match part {
            Part::Reasoning(state) => Some(state.field.wire_name().to_owned()),
            _ => None,
        });
        assert_eq!(state, model.profile.reasoning_replay.field, "{}", model.name);
    }
}

#[test]
fn what_does_not_reach_the_model_costs_nothing() {
    let fleet = fleet();
    let cost =
        |name: &str, request: &Request| answer(fleet.get(name).unwrap(), request).usage.input;
    let with = conversations().into_iter().find(|(name, _)| *name == "result").unwrap().1;
    let mut without = with.clone();
    without.messages.last_mut().unwrap().parts.clear();
    assert!(cost("openai-native", &with) > cost("openai-native", &without));
    assert_eq!(cost("results-not-rendered", &with), cost("results-not-rendered", &without));

    for (name, counts) in [("glm-zai", true), ("qwen-dashscope", false), ("openai-native", false)] {
        let thought = crate::ir::ReasoningState::new(
            crate::ir::ReasoningField::ReasoningContent,
            "I should add these two numbers.",
        );
        let mut replayed = with.clone();
        replayed.messages[1].parts.insert(0, Part::Reasoning(thought));
        assert_eq!(cost(name, &replayed) > cost(name, &with), counts, "{name}");
    }
}
