//! Messages with a recipient; calls in tags of their own. Models: `Muse Glimmer`.
//! ```text
//!  to=functions<|message|><atem:function_calls>
//! <atem:invoke name="tide_table">
//! <atem:parameter name="port">Brest</atem:parameter>
//! </atem:invoke>
//! </atem:function_calls><|eom|>
//! ```

const TAGS: Tags = Tags {
    call: "<atem:invoke",
    call_close: "</atem:invoke>",
    parameter: "<atem:parameter",
    parameter_close: "</atem:parameter>",
    section_close: &["</atem:function_calls>"],
    ..Tags::INVOKE
};

const OPENERS: [&str; 5] = [
    "<atem:function_calls>",
    "<atem:invoke",
    "to=self<|message|>",
    "to=user<|message|>",
    "to=functions<|message|>",
];

text_format!(
    "muse-glimmer",
    Format::xml(&OPENERS, &[Grammar::Tags(TAGS), super::gpt_oss::MESSAGES])
);
