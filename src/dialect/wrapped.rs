//! Argument text that is not JSON, wrapped where arguments must be an object.
//!
//! As `{"INVALID_JSON": "the text"}`: one bad string in a history must not make every later
//! request fail, and the text is not lost.

use serde_json::{Value, json};

use super::arguments::{self, BrokenArguments};
use crate::ir::{Defect, Defects};

const KEY: &str = "INVALID_JSON";

/// The object that stands for this text.
pub(super) fn wrap(text: &str) -> Value {
    json!({ KEY: text })
}

/// The text in such an object, with the reason why it is not a set of arguments.
pub(super) fn unwrap(value: &Value, defects: &mut Defects) -> Option<BrokenArguments> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    let text = object.get(KEY)?.as_str()?;
    let problem = match arguments::read_text(text, &mut Defects::default()) {
        Err(BrokenArguments { problem, .. }) => problem,
        Ok(_) => "the arguments were cut short".to_owned(),
    };
    defects.record(Defect::ArgumentsInvalid);
    Some(BrokenArguments { text: text.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_text_survives_and_other_objects_are_left_alone() {
        let mut defects = Defects::default();
        assert_eq!(unwrap(&wrap("{\"a\":"), &mut defects).unwrap().text, "{\"a\":");
        assert!(defects.contains(Defect::ArgumentsInvalid));
        for other in [json!({}), json!({"a": "b"}), json!({KEY: 1}), json!({KEY: "x", "a": 1})] {
            assert_eq!(unwrap(&other, &mut Defects::default()), None, "{other}");
        }
    }
}
