//! A JSON list of objects whose one key is the name. Models: `Apertus`.
//! `<|tools_prefix|>[{"tide_table": {"port": "Brest"}}]<|tools_suffix|>`

text_format!(
    "apertus",
    Format::json(&["<|tools_prefix|>"], &[Grammar::json(Starts::Either, &["<|tools_suffix|>"])])
        .or_bare(&[Grammar::BARE_LIST])
);
