//! Which texts and JSON values are worth trying?

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::{Value, json};

use crate::ir::Object;

/// Text with what breaks naive encoders: quotes, escapes, line ends, brackets, wide characters.
/// It starts with a letter, so that it is never mistaken for a mark.
pub(in crate::dialect) fn text() -> BoxedStrategy<String> {
    "[a-z][a-z \"\\\\\n<>{}\\[\\]:,\u{e4}\u{6f22}\u{1f642}\u{2028}]{0,24}".boxed()
}

/// A name: a tool's, a property's, a model's.
pub(in crate::dialect) fn word() -> BoxedStrategy<String> {
    "[a-z][a-z0-9_]{0,7}".boxed()
}

/// A JSON object with nested values.
pub(in crate::dialect) fn json_object() -> BoxedStrategy<Value> {
    object_of(json_value()).boxed()
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1.0e6..1.0e6).prop_map(Value::from),
        text().prop_map(Value::from),
        Just(json!("")),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![vec(inner.clone(), 0..3).prop_map(Value::from), object_of(inner)]
    })
}

fn object_of(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    vec((word(), value), 0..3)
        .prop_map(|entries| Value::Object(entries.into_iter().collect::<Object>()))
}
