//! A JSON list after a token. Models: `Mistral 7B v0.3, Nemo, Small 3.0, Large 2`.
//! `[TOOL_CALLS] [{"name": "tide_table", "arguments": {"port": "Brest"}, "id": "t1d3tAbl3"}]`

text_format!("mistral", Format::json(&["[TOOL_CALLS]"], &[Grammar::json(Starts::Either, &[])]));
