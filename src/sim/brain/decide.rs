//! Does the model call tools now, or does it talk?

use super::view::View;
use super::{Intent, Order, errors, orders, prose, repair};
use crate::ir::{ToolChoice, ToolSpec};
use crate::sim::draw::Draw;
use crate::sim::quirks::ModelQuirk;

/// What a model does that reads well: it repairs what failed, makes the calls that are still to be
/// made, answers from the results, or talks. The quirks that change what is read or wanted act
/// here; those that change what is written act later.
pub(super) fn decide(view: &View, active: &[ModelQuirk], draw: &Draw) -> Intent {
    let has = |quirk: &ModelQuirk| active.contains(quirk);
    if has(&ModelQuirk::Loops) && !view.results.is_empty() {
        return Intent::Call(repeated(view));
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

fn first(orders: Vec<Order>) -> Vec<Order> {
    orders.into_iter().take(1).collect()
}

fn repeated(view: &View) -> Vec<Order> {
    view.results.iter().filter_map(|answered| answered.call.clone()).collect()
}

/// What follows when a result is an error; nothing when none is.
fn after_errors(view: &View, active: &[ModelQuirk]) -> Option<Intent> {
    let failed = view
        .results
        .iter()
        .find_map(|answered| Some((answered.call.as_ref()?, errors::report(&answered.result)?)));
    let (call, report) = failed?;
    let tool = view.tools.iter().find(|tool| tool.name == call.name);
    let corrected = tool.and_then(|tool| repair::corrected(&call.input, tool, &report));
    let intent = match corrected {
        _ if active.contains(&ModelQuirk::NeverRepairs) => Intent::Say(prose::gives_up(&report)),
        _ if active.contains(&ModelQuirk::RepeatsAfterError) => Intent::Call(vec![call.clone()]),
        Some(_) if active.contains(&ModelQuirk::RepairsLate) && view.failures < 2 => {
            Intent::Call(vec![Order {
                name: call.name.clone(),
                input: repair::botched(&call.input),
            }])
        }
        Some(input) => Intent::Call(vec![Order { name: call.name.clone(), input }]),
        None => Intent::Say(prose::gives_up(&report)),
    };
    Some(intent)
}

/// The calls that the text or the tool choice asks for and that have not been made.
fn still_wanted(view: &View) -> Vec<Order> {
    let mut done: Vec<&str> = view.done.iter().map(|order| order.name.as_str()).collect();
    let mut wanted = orders::orders(&view.ask, &view.tools);
    wanted.retain(|order| match done.iter().position(|name| *name == order.name) {
        Some(place) => {
            done.remove(place);
            false
        }
        None => true,
    });
    if wanted.is_empty() && is_forced(&view.choice) {
        wanted.extend(view.tools.first().map(|tool| forced(tool, view)));
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

fn forced(tool: &ToolSpec, view: &View) -> Order {
    let asked = orders::orders(&view.ask, std::slice::from_ref(tool)).into_iter().next();
    asked.unwrap_or_else(|| orders::in_prose(tool, &view.ask))
}
