//! JSON with `parameters`, after a token or as the whole message; built-ins are Python.
//! Models: `Llama 3.1, 3.2, 3.3`.
//! ```text
//! <|python_tag|>{"name": "tide_table", "parameters": {"port": "Brest"}}; {"name": "tide_table", "parameters": {"port": "Vigo"}}
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Brackets, JsonBlock, Python, Starts};
use crate::textcall::payload::Trust;

pub(super) const FORMAT: Format = Format {
    name: "llama3_json",
    openers: &["<|python_tag|>"],
    grammars: &[
        Grammar::Json(JsonBlock::MARKED),
        Grammar::Python(Python { brackets: Brackets::Optional, close: &[], trust: Trust::Offered }),
    ],
    bare: &[Grammar::Json(JsonBlock { starts: Starts::Object, ..JsonBlock::BARE })],
    ..Format::JSON
};
