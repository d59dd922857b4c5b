//! As `deepseek_v32`, in a section of another name.
//! Models: `DeepSeek V4`.
//! ```text
//! <｜DSML｜tool_calls>
//! <｜DSML｜invoke name="tide_table">
//! <｜DSML｜parameter name="port" string="true">Brest</｜DSML｜parameter>
//! </｜DSML｜invoke>
//! </｜DSML｜tool_calls>
//! ```

use super::deepseek_v32::TAGS;
use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Tags;

pub(super) const FORMAT: Format = Format {
    name: "deepseek_v4",
    openers: &["<｜DSML｜tool_calls>"],
    grammars: &[Grammar::Tags(Tags { section_close: &["</｜DSML｜tool_calls>"], ..TAGS })],
    ..Format::XML
};
