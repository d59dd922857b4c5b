//! Tags with a marker in their names; the markup says which values are text.
//! Models: `DeepSeek V3.2`.
//! ```text
//! <｜DSML｜function_calls>
//! <｜DSML｜invoke name="tide_table">
//! <｜DSML｜parameter name="port" string="true">Brest</｜DSML｜parameter>
//! </｜DSML｜invoke>
//! </｜DSML｜function_calls>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Tags;

/// The tags inside the section.
pub(super) const TAGS: Tags = Tags {
    call: "<｜DSML｜invoke",
    call_close: "</｜DSML｜invoke>",
    parameter: "<｜DSML｜parameter",
    parameter_close: "</｜DSML｜parameter>",
    ..Tags::INVOKE
};

pub(super) const FORMAT: Format = Format {
    name: "deepseek_v32",
    openers: &["<｜DSML｜function_calls>", "<｜DSML｜invoke"],
    grammars: &[Grammar::Tags(Tags { section_close: &["</｜DSML｜function_calls>"], ..TAGS })],
    ..Format::XML
};
