//! The decision: call tools, or answer in words.

use super::view::ModelView;
use super::{Intent, PlannedCall, errors, prose, repair, requested};
use crate::ir::{ToolChoice, ToolSpec};
use crate::sim::draw::Draw;
use crate::sim::quirks::ModelQuirk;

/// What the model does: it repairs what failed, makes the calls that are still missing, answers from
/// the results, or talks. Quirks that change what is read or wanted are applied here, those that
/// change what is written later.
pub(super) fn decide(view: &ModelView, active: &[ModelQuirk], draw: &Draw) -> Intent {
    let has = |quirk: &ModelQuirk| active.contains(quirk);
    if has(&ModelQuirk::Loops) && !view.results.is_empty() {
        return Intent::Call(repeat_calls(view));
    }
    if let Some(intent) = after_errors(view, active) {
        return intent;
    }
    let wanted = still_wanted(view);
    if !wanted.is_empty() {
        return Intent::Call(if view.parallel { wanted } else { first(wanted) });
    }
    if has(&ModelQuirk::IgnoresResults) && !view.results.is_empty() {
        return Intent::Say(prose::made_up(draw));
    }
    Intent::Say(prose::answer(view))
}

fn first(planned: Vec<PlannedCall>) -> Vec<PlannedCall> {
    planned.into_iter().take(1).collect()
}

fn repeat_calls(view: &ModelView) -> Vec<PlannedCall> {
    view.results.iter().filter_map(|answered| answered.call.clone()).collect()
}

/// What the model does about a result that is an error; `None` when no result is one.
fn after_errors(view: &ModelView, active: &[ModelQuirk]) -> Option<Intent> {
    let failed = view
        .results
        .iter()
        .find_map(|answered| Some((answered.call.as_ref()?, errors::report(&answered.result)?)));
    let (call, report) = failed?;
    let tool = view.tools.iter().find(|tool| tool.name == call.name);
    let corrected = tool.and_then(|tool| repair::correct(&call.input, tool, &report));
    let intent = match corrected {
        _ if active.contains(&ModelQuirk::NeverRepairs) => Intent::Say(prose::gives_up(&report)),
        _ if active.contains(&ModelQuirk::RepeatsAfterError) => Intent::Call(vec![call.clone()]),
        Some(_) if active.contains(&ModelQuirk::RepairsLate) && view.failures < 2 => {
            Intent::Call(vec![PlannedCall {
                name: call.name.clone(),
                input: repair::botch(&call.input),
            }])
        }
        Some(input) => Intent::Call(vec![PlannedCall { name: call.name.clone(), input }]),
        None => Intent::Say(prose::gives_up(&report)),
    };
    Some(intent)
}

/// The calls that the text or the tool choice asks for and that have not been made.
fn still_wanted(view: &ModelView) -> Vec<PlannedCall> {
    let mut done: Vec<&str> = view.done.iter().map(|call| call.name.as_str()).collect();
    let mut wanted = requested::find_calls(&view.ask, &view.tools);
    wanted.retain(|call| match done.iter().position(|name| *name == call.name) {
        Some(place) => {
            done.remove(place);
            false
        }
        None => true,
    });
    if wanted.is_empty() && is_forced(&view.choice) {
        wanted.extend(view.tools.first().map(|tool| force_call(tool, view)));
    }
    wanted
}

fn is_forced(choice: &ToolChoice) -> bool {
    match choice {
        ToolChoice::Required | ToolChoice::Named(_) => true,
        ToolChoice::Allowed { required, .. } => *required,
        ToolChoice::Auto | ToolChoice::None => false,
    }
}

fn force_call(tool: &ToolSpec, view: &ModelView) -> PlannedCall {
    let asked = requested::find_calls(&view.ask, std::slice::from_ref(tool)).into_iter().next();
    asked.unwrap_or_else(|| requested::call_in_prose(tool, &view.ask))
}
