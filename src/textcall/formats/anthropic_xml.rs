//! `invoke` and `parameter` tags in a section; an older layout names the tool inside.
//! Models: `Claude 2 and 3 as text`.
//! ```text
//! <function_calls>
//! <invoke name="tide_table">
//! <parameter name="port">Brest</parameter>
//! </invoke>
//! </function_calls>
//! ```

const PREFIXED: Tags = Tags {
    call: "<antml:invoke",
    call_close: "</antml:invoke>",
    parameter: "<antml:parameter",
    parameter_close: "</antml:parameter>",
    section_close: &["</antml:function_calls>"],
    ..Tags::INVOKE
};

text_format!(
    "anthropic-xml",
    Format::xml(
        &["<function_calls>", "<invoke", "<antml:function_calls>", "<antml:invoke"],
        &[
            Grammar::invoke(&["</function_calls>"]),
            Grammar::Tags(PREFIXED),
            Grammar::Tags(Tags { section_close: &["</function_calls>"], ..Tags::ELEMENTS }),
        ],
    )
);
