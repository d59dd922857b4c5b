//! Messages with a recipient; calls in tags of their own. Models: `Muse Glimmer`.
//! ```text
//!  to=functions<|message|><atem:function_calls>
//! <atem:invoke name="tide_table">
//! <atem:parameter name="port">Brest</atem:parameter>
//! </atem:invoke>
//! </atem:function_calls><|eom|>
//! ```

use super::{Format, Grammar, Tags, gpt_oss};

const OPENERS: &[&str] = &[
    "<atem:function_calls>",
    "<atem:invoke",
    " to=self<|message|>",
    " to=user<|message|>",
    " to=functions<|message|>",
    "to=self<|message|>",
    "to=user<|message|>",
    "to=functions<|message|>",
];

pub(super) const FORMAT: Format = Format::xml(
    OPENERS,
    &[
        Grammar::Tags(Tags {
            call: "<atem:invoke",
            call_close: "</atem:invoke>",
            parameter: "<atem:parameter",
            parameter_close: "</atem:parameter>",
            section_close: &["</atem:function_calls>"],
            ..Tags::INVOKE
        }),
        gpt_oss::MESSAGES,
    ],
);
