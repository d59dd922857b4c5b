//! A call of Gemini while Vertex streams its arguments piece by piece.

use serde_json::{Value, json};

use super::super::arguments::{self, BrokenArguments};
use super::json_path::JsonPath;
use crate::ir::{CallFormat, CallId, Defect, Defects, Object, Part};

/// A call that is arriving.
pub(super) struct PartialCall {
    /// The `functionCall` that opened it.
    head: Object,
    args: Value,
    /// The last piece said that its text goes on.
    mid_value: bool,
    problem: Option<String>,
}

impl PartialCall {
    /// A call that begins with this `functionCall`.
    pub(super) fn new(head: Object) -> Self {
        Self { head, args: json!({}), mid_value: false, problem: None }
    }

    /// Takes the `partialArgs` of a `functionCall`.
    pub(super) fn extend(&mut self, call: &Object) {
        let pieces = call.get("partialArgs").and_then(Value::as_array);
        for piece in pieces.into_iter().flatten() {
            if let Err(problem) = self.take(piece) {
                self.problem.get_or_insert(problem);
            }
        }
    }

    fn take(&mut self, piece: &Value) -> Result<(), String> {
        let path = piece.get("jsonPath").and_then(Value::as_str).unwrap_or_default();
        self.mid_value = piece.get("willContinue").is_some_and(|more| more == true);
        let Some(value) = value_of(piece) else { return Ok(()) };
        let place = JsonPath::parse(path).ok_or_else(|| format!("'{path}' is no path"))?;
        let place = place
            .reach(&mut self.args)
            .ok_or_else(|| format!("'{path}' does not fit the arguments before it"))?;
        match (place, value) {
            (Value::String(so_far), Value::String(more)) => so_far.push_str(&more),
            (place, value) => *place = value,
        }
        Ok(())
    }

    /// The call, now that nothing more can come for it. Its id is given later.
    pub(super) fn into_part(mut self, id: CallId, whole: bool, defects: &mut Defects) -> Part {
        let cut = !whole || self.mid_value;
        let cut = cut.then(|| "the stream ended inside the call".to_owned());
        let arguments = match self.problem.or(cut) {
            None => Ok(self.args),
            Some(problem) => {
                defects.record(Defect::ArgumentsInvalid);
                Err(BrokenArguments { text: self.args.to_string(), problem })
            }
        };
        let name = self.head.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.head.retain(|key, _| key == "name" || key == "id");
        if let Ok(args) = &arguments {
            self.head.insert("args".to_owned(), args.clone());
        }
        arguments::call_part(id, name, CallFormat::Gemini, arguments, Value::Object(self.head))
    }
}

/// The value of a piece, of whichever type it says it is.
fn value_of(piece: &Value) -> Option<Value> {
    let typed = ["stringValue", "numberValue", "boolValue"].iter().find_map(|key| piece.get(key));
    typed.cloned().or_else(|| piece.get("nullValue").map(|_| Value::Null))
}
