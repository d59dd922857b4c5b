//! As `hermes`, with tags of its own. Models: `LongCat-Flash`.
//! `<longcat_tool_call>{"name": "tide_table", "arguments": {"port": "Brest"}}</longcat_tool_call>`

text_format!(
    "longcat",
    Format::json(
        &["<longcat_tool_call>"],
        &[Grammar::json(Starts::Object, &["</longcat_tool_call>"])],
    )
);
