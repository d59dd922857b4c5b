//! `function` and `param` tags; CDATA round text with markup. Models: `MiniCPM 5`.
//! `<function name="tide_table"><param name="port">Brest</param></function>`

use super::{Format, Grammar, Tags};

const TAGS: Tags = Tags {
    call: "<function ",
    call_close: "</function>",
    parameter: "<param ",
    parameter_close: "</param>",
    ..Tags::INVOKE
};

pub(super) const FORMAT: Format = Format::xml(&["<function "], &[Grammar::Tags(TAGS)]);
