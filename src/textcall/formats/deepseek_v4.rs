//! As `deepseek-v32`, in a section of another name. Models: `DeepSeek V4`.
//! ```text
//! <｜DSML｜tool_calls>
//! <｜DSML｜invoke name="tide_table">
//! <｜DSML｜parameter name="port" string="true">Brest</｜DSML｜parameter>
//! </｜DSML｜invoke>
//! </｜DSML｜tool_calls>
//! ```

text_format!(
    "deepseek-v4",
    Format::xml(&["<｜DSML｜tool_calls>"], super::deepseek_v32::FORMAT.grammars)
);
