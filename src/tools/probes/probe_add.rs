//! `probe_add`: is the result of a call read, or its value worked out?

use serde_json::{Value, json};

use super::{Nonces, Tool, ToolFailure, ToolFuture, ready};
use crate::ir::ToolSpec;
use crate::tools::ErrorCode;

/// `probe_add`: the sum of two integers, with a receipt that only the result tells.
#[derive(Debug, Clone)]
pub(super) struct ProbeAdd {
    nonces: Nonces,
}

impl ProbeAdd {
    /// With receipts from these nonces.
    pub(super) fn new(nonces: Nonces) -> Self {
        Self { nonces }
    }

    fn add(&self, input: &Value) -> Result<Value, ToolFailure> {
        let terms = (integer(input, "a"), integer(input, "b"));
        let (Some(a), Some(b)) = terms else { return Err(out_of_range()) };
        let sum = a.checked_add(b).ok_or_else(out_of_range)?;
        Ok(json!({"sum": sum, "receipt": self.nonces.word(&format!("probe_add {a} {b}"))}))
    }
}

fn out_of_range() -> ToolFailure {
    ToolFailure::correctable(
        ErrorCode::Tool("OUT_OF_RANGE"),
        "input.a and input.b: expected integers whose sum has at most 63 bits",
    )
}

/// JSON Schema counts `2.0` as an integer.
fn integer(input: &Value, key: &str) -> Option<i64> {
    let value = input.get(key)?;
    value.as_i64().or_else(|| {
        let text = value.as_f64().filter(|number| number.fract() == 0.0)?.to_string();
        text.parse().ok()
    })
}

impl Tool for ProbeAdd {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "probe_add".to_owned(),
            description: "Add two integers.".to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"]
            }),
            strict: None,
        }
    }

    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        ready(self.add(input))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receipt_belongs_to_the_terms_and_the_seed() {
        let add = |seed: &str, input: Value| ProbeAdd::new(Nonces::seeded(seed)).add(&input);
        let one = add("s", json!({"a": 2, "b": 3})).unwrap();
        assert_eq!(one["sum"], 5);
        assert_eq!(one, add("s", json!({"a": 2.0, "b": 3})).unwrap());
        assert_ne!(one["receipt"], add("s", json!({"a": 3, "b": 2})).unwrap()["receipt"]);
        assert_ne!(one["receipt"], add("t", json!({"a": 2, "b": 3})).unwrap()["receipt"]);
    }

    #[test]
    fn a_sum_beyond_the_range_is_an_error_the_model_can_act_on() {
        let add = ProbeAdd::new(Nonces::seeded("s"));
        for input in [json!({"a": i64::MAX, "b": 1}), json!({"a": 1e300, "b": 1})] {
            assert_eq!(add.add(&input).unwrap_err().code.as_str(), "OUT_OF_RANGE", "{input}");
        }
    }
}
