//! What becomes of a good intent?

use serde_json::Value;

use super::{ModelQuirk, arguments, schema};
use crate::sim::brain::{Intent, Order, View, instead_of_calls};
use crate::sim::draw::Draw;

/// The quirks that act on this request: those that happen only sometimes, if they do now.
pub(in crate::sim) fn active(quirks: &[ModelQuirk], draw: &Draw) -> Vec<ModelQuirk> {
    let happens = |(index, quirk): (usize, &ModelQuirk)| match quirk {
        ModelQuirk::Sometimes { percent, quirk } => {
            draw.happens(&format!("quirk {index}"), *percent).then(|| (**quirk).clone())
        }
        ModelQuirk::EveryOther(quirk) => draw.is_every_other().then(|| (**quirk).clone()),
        other => Some(other.clone()),
    };
    quirks.iter().enumerate().filter_map(happens).collect()
}

/// The intent after the quirks that change which calls are made and what they say.
pub(in crate::sim) fn misbehave(intent: Intent, view: &View, active: &[ModelQuirk]) -> Intent {
    match intent {
        Intent::Call(orders) => {
            active.iter().fold(Intent::Call(orders), |intent, quirk| match intent {
                Intent::Call(orders) => bend(orders, quirk, view),
                Intent::Say(text) => Intent::Say(text),
            })
        }
        Intent::Say(text) => Intent::Say(text),
    }
}

fn bend(orders: Vec<Order>, quirk: &ModelQuirk, view: &View) -> Intent {
    match quirk {
        ModelQuirk::TalksOnly => Intent::Say(instead_of_calls(&orders)),
        ModelQuirk::OneCall => Intent::Call(orders.into_iter().take(1).collect()),
        ModelQuirk::MergesCalls => Intent::Call(merged(orders)),
        quirk => {
            Intent::Call(orders.into_iter().map(|order| misspelt(order, quirk, view)).collect())
        }
    }
}

/// All arguments in the first call.
fn merged(orders: Vec<Order>) -> Vec<Order> {
    let mut all = orders.into_iter();
    let Some(mut first) = all.next() else { return Vec::new() };
    if let Value::Object(input) = &mut first.input {
        for order in all {
            input.extend(order.input.as_object().cloned().unwrap_or_default());
        }
    }
    vec![first]
}

fn misspelt(mut order: Order, quirk: &ModelQuirk, view: &View) -> Order {
    order.input = match quirk {
        ModelQuirk::Breaks(features) => {
            let tool = view.tools.iter().find(|tool| tool.name == order.name);
            tool.map_or(order.input.clone(), |tool| {
                schema::broken(&order.input, &tool.input_schema, features)
            })
        }
        ModelQuirk::StringifiesNumbers => arguments::numbers_as_text(order.input),
        ModelQuirk::StringifiesValues => arguments::values_as_text(order.input),
        ModelQuirk::ParsesStrings => arguments::text_as_values(order.input),
        ModelQuirk::EscapesEntities => arguments::entities(order.input),
        ModelQuirk::DoubleEncodesArguments => Value::String(order.input.to_string()),
        _ => order.input,
    };
    if *quirk == ModelQuirk::TokensInName {
        order.name.push_str("<|channel|>commentary");
    }
    order
}
