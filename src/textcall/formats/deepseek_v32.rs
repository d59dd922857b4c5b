//! Tags with a marker in their names; the markup says which values are text.
//! Models: `DeepSeek V3.2`.
//! ```text
//! <｜DSML｜function_calls>
//! <｜DSML｜invoke name="tide_table">
//! <｜DSML｜parameter name="port" string="true">Brest</｜DSML｜parameter>
//! </｜DSML｜invoke>
//! </｜DSML｜function_calls>
//! ```

const TAGS: Tags = Tags {
    call: "<｜DSML｜invoke",
    call_close: "</｜DSML｜invoke>",
    parameter: "<｜DSML｜parameter",
    parameter_close: "</｜DSML｜parameter>",
    section_close: &["</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"],
    ..Tags::INVOKE
};

text_format!(
    "deepseek-v32",
    Format::xml(&["<｜DSML｜function_calls>", "<｜DSML｜invoke"], &[Grammar::Tags(TAGS)])
);
