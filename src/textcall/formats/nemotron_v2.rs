//! A JSON list in a tag. Models: `Nemotron Nano v2`.
//! `<TOOLCALL>[{"name": "tide_table", "arguments": {"port": "Brest"}}]</TOOLCALL>`

text_format!(
    "nemotron-v2",
    Format::json(&["<TOOLCALL>"], &[Grammar::json(Starts::Either, &["</TOOLCALL>"])])
);
