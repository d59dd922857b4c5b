//! `invoke` and `parameter` tags in a section; an older layout names the tool inside.
//! Models: `Claude 2 and 3 as text`.
//! ```text
//! <function_calls>
//! <invoke name="tide_table">
//! <parameter name="port">Brest</parameter>
//! </invoke>
//! </function_calls>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Elements, Tags};

pub(super) const FORMAT: Format = Format {
    name: "anthropic_xml",
    openers: &["<function_calls>", "<invoke", "<antml:function_calls>", "<antml:invoke"],
    grammars: &[
        Grammar::Tags(Tags { section_close: &["</function_calls>"], ..Tags::INVOKE }),
        Grammar::Tags(Tags {
            call: "<antml:invoke",
            call_close: "</antml:invoke>",
            parameter: "<antml:parameter",
            parameter_close: "</antml:parameter>",
            section_close: &["</antml:function_calls>"],
            ..Tags::INVOKE
        }),
        Grammar::Elements(Elements { namespace: "", section_close: &["</function_calls>"] }),
    ],
    ..Format::XML
};
