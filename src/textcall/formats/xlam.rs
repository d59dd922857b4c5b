//! A JSON list: bare, in a fence, or behind other families' markers. Models: `xLAM 2`.
//! `[{"name": "tide_table", "arguments": {"port": "Brest"}}]`

text_format!(
    "xlam",
    Format::json(&["[TOOL_CALLS]", "<tool_call>"], super::granite::FORMAT.grammars)
        .or_bare(&[Grammar::BARE_LIST, Grammar::FENCED])
);
