//! The probe of the user's own tools: does a model keep to their schemas?

use std::collections::BTreeMap;
use std::sync::Arc;

use super::example::arguments;
use super::kinds::{CallCase, CallCases, CallJudge};
use super::suite::{Ask, CallAsk, JsonText, Probe, ProbeFile, ToolEntry};
use super::{Seed, SuiteName};
use crate::ir::ToolSpec;

/// The probe's id, under which its results stand among the extended ones.
pub const USER_TOOLS: &str = "user-tools";

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
        tools: tools
            .iter()
            .map(|spec| (spec.name.clone(), entry(spec)))
            .collect::<BTreeMap<_, _>>(),
        ask: Ask::of::<CallCases>(),
    };
    Probe { id: USER_TOOLS.to_owned(), file, question: Arc::new(CallCases(cases.collect())) }
}
