//! JSON objects of bodies: the fields that are present, and further fields merged in.

use serde_json::Value;

use crate::ir::Object;

/// The fields that have a value.
pub(super) fn present<T: Into<Value>, const N: usize>(fields: [(&str, Option<T>); N]) -> Object {
    fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))).collect()
}

/// Merges `extra` into `body`: objects key by key at every depth, all else replaced.
pub(super) fn merge(body: &mut Value, extra: &Object) {
    let Value::Object(body) = body else { return };
    for (key, value) in extra {
        match (body.get_mut(key), value) {
            (Some(inner @ Value::Object(_)), Value::Object(more)) => merge(inner, more),
            _ => {
                body.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_merge_and_other_values_are_replaced() {
        let mut body = json!({"a": {"x": 1, "y": {"z": 2}}, "b": [1], "c": 3});
        let extra = json!({"a": {"y": {"w": 4}}, "b": [2], "d": null});
        merge(&mut body, extra.as_object().unwrap());
        assert_eq!(
            body,
            json!({"a": {"x": 1, "y": {"z": 2, "w": 4}}, "b": [2], "c": 3, "d": null})
        );
    }
}
