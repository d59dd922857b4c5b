//! Tokens round `invoke` tags. Models: `Step3`.
//! ```text
//! <｜tool_calls_begin｜>
//! <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="tide_table">
//! <steptml:parameter name="port">Brest</steptml:parameter>
//! </steptml:invoke><｜tool_call_end｜>
//! <｜tool_calls_end｜>
//! ```

const TAGS: Tags = Tags {
    call: "<steptml:invoke",
    call_close: "</steptml:invoke>",
    parameter: "<steptml:parameter",
    parameter_close: "</steptml:parameter>",
    gap: &["<｜tool_call_end｜>", "<｜tool_call_begin｜>", "function", "<｜tool_sep｜>"],
    section_close: &["<｜tool_calls_end｜>"],
    ..Tags::INVOKE
};

text_format!(
    "step3",
    Format::xml(
        &[
            "<｜tool_calls_begin｜>",
            "<｜tool_call_begin｜>",
            "function<steptml:invoke",
            "<steptml:invoke"
        ],
        &[Grammar::Tags(TAGS)],
    )
);
