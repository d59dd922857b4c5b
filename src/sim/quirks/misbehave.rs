//! Misbehaving: a model's good intent with its quirks applied.

use serde_json::Value;

use super::{ModelQuirk, arguments, schema};
use crate::sim::brain::{Intent, ModelView, PlannedCall, instead_of_calls};
use crate::sim::draw::Draw;

/// The quirks that act on this request: those that happen only sometimes, if they do now.
pub(in crate::sim) fn active(quirks: &[ModelQuirk], draw: &Draw) -> Vec<ModelQuirk> {
    let happens = |(index, quirk): (usize, &ModelQuirk)| match quirk {
        ModelQuirk::Sometimes { percent, quirk } => {
            draw.happens(&format!("quirk {index}"), *percent).then(|| (**quirk).clone())
        }
        ModelQuirk::InHalf(quirk) => draw.is_in_half().then(|| (**quirk).clone()),
        other => Some(other.clone()),
    };
    quirks.iter().enumerate().filter_map(happens).collect()
}

/// The intent after the quirks that change which calls are made and what they say.
pub(in crate::sim) fn misbehave(intent: Intent, view: &ModelView, active: &[ModelQuirk]) -> Intent {
    match intent {
        Intent::Call(planned) => {
            active.iter().fold(Intent::Call(planned), |intent, quirk| match intent {
                Intent::Call(planned) => bend(planned, quirk, view),
                Intent::Say(text) => Intent::Say(text),
            })
        }
        Intent::Say(text) => Intent::Say(text),
    }
}

fn bend(planned: Vec<PlannedCall>, quirk: &ModelQuirk, view: &ModelView) -> Intent {
    match quirk {
        ModelQuirk::TalksOnly => Intent::Say(instead_of_calls(&planned)),
        ModelQuirk::OneCall => Intent::Call(planned.into_iter().take(1).collect()),
        ModelQuirk::MergesCalls => Intent::Call(merge_calls(planned)),
        quirk => {
            Intent::Call(planned.into_iter().map(|call| misspelt(call, quirk, view)).collect())
        }
    }
}

/// All arguments in the first call.
fn merge_calls(planned: Vec<PlannedCall>) -> Vec<PlannedCall> {
    let mut all = planned.into_iter();
    let Some(mut first) = all.next() else { return Vec::new() };
    if let Value::Object(input) = &mut first.input {
        for call in all {
            input.extend(call.input.as_object().cloned().unwrap_or_default());
        }
    }
    vec![first]
}

fn misspelt(mut call: PlannedCall, quirk: &ModelQuirk, view: &ModelView) -> PlannedCall {
    call.input = match quirk {
        ModelQuirk::Breaks(features) => {
            let tool = view.tools.iter().find(|tool| tool.name == call.name);
            tool.map_or(call.input.clone(), |tool| {
                schema::broken(&call.input, &tool.input_schema, features)
            })
        }
        ModelQuirk::StringifiesNumbers => arguments::numbers_as_text(call.input),
        ModelQuirk::StringifiesValues => arguments::values_as_text(call.input),
        ModelQuirk::ParsesStrings => arguments::text_as_values(call.input),
        ModelQuirk::EscapesEntities => arguments::entities(call.input),
        ModelQuirk::DoubleEncodesArguments => Value::String(call.input.to_string()),
        _ => call.input,
    };
    if *quirk == ModelQuirk::TokensInName {
        call.name.push_str("<|channel|>commentary");
    }
    call
}
