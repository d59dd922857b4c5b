//! The probe of the user's own tools: does a model keep to their schemas?

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::example::arguments;
use super::{Ask, CallAsk, JsonText, Probe, ProbeFile, Seed, SuiteName, ToolEntry};
use crate::ir::ToolSpec;
use crate::probe::kinds::{CallCase, CallCases, CallJudge};
use crate::probe::meaning;

/// The probe's id, under which its results stand among the extended ones.
pub(crate) const USER_TOOLS: &str = "user-tools";

/// A probe with one case per tool, which asks for a call with arguments made from its schema.
pub(super) fn user_tools(tools: &[ToolSpec], seed: &Seed) -> Probe {
    let cases = tools.iter().map(|spec| CallCase {
        id: spec.name.clone(),
        call: CallAsk {
            tool: spec.name.clone(),
            arguments: JsonText(arguments(&spec.input_schema, &seed.child(&spec.name))),
        },
        judge: CallJudge::Valid,
        among: 0,
    });
    let entry = |spec: &ToolSpec| ToolEntry {
        description: spec.description.clone(),
        schema: JsonText(spec.input_schema.clone()),
    };
    let file = ProbeFile {
        about: "Does the model keep to the schemas of your own tools?".to_owned(),
        suites: vec![SuiteName::Light, SuiteName::Standard, SuiteName::Full],
        sets: vec!["results.extended".to_owned()],
        max_tokens: 4096,
        tools: tools
            .iter()
            .map(|spec| (spec.name.clone(), entry(spec)))
            .collect::<BTreeMap<_, _>>(),
        ask: Ask::of::<CallCases>(),
    };
    let asked = tools.iter().map(|spec| json!([spec.name, spec.description, spec.input_schema]));
    let hash = meaning::of_values("user-tools", asked);
    let question = Arc::new(CallCases(cases.collect()));
    Probe { id: USER_TOOLS.to_owned(), file, question, hash }
}
