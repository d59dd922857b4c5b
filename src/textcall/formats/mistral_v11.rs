//! A token, the name, perhaps an id, a token, the arguments.
//! Models: `Mistral Small 3.2, Magistral, Devstral, Ministral 3, Large 3`.
//! `[TOOL_CALLS]tide_table[CALL_ID]t1d3tAbl3[ARGS]{"port": "Brest"}`

const TOKENS: Headed = Headed {
    call: &["[TOOL_CALLS]", "[TOOL_CALLS"],
    head: Head::NameThenId("[CALL_ID]"),
    separators: &["[ARGS]", "[ARGS"],
    ..Headed::MARKED
};

text_format!(
    "mistral-v11",
    Format::json(TOKENS.call, &[Grammar::Headed(TOKENS)]).or_bare(&[Grammar::unmarked("")])
);
