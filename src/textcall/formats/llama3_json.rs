//! JSON with `parameters`, after a token or as the whole message; built-ins are Python.
//! Models: `Llama 3.1, 3.2, 3.3`.
//! `<|python_tag|>{"name": "tide_table", "parameters": {"port": "Brest"}}; {"name": "tide_table", "parameters": {"port": "Vigo"}}`

use super::{Brackets, Format, Grammar, JsonBlock, Starts, Trust};

pub(super) const FORMAT: Format = Format::json(
    "llama3_json",
    &["<|python_tag|>"],
    &[Grammar::json(Starts::Either, &[]), Grammar::python(Brackets::Optional, &[], Trust::Offered)],
)
.or_bare(&[Grammar::Json(JsonBlock { starts: Starts::Object, ..JsonBlock::BARE })]);
