//! `function` and `param` tags; CDATA round text with markup. Models: `MiniCPM 5`.
//! `<function name="tide_table"><param name="port">Brest</param></function>`

const TAGS: Tags = Tags {
    call: "<function ",
    call_close: "</function>",
    parameter: "<param ",
    parameter_close: "</param>",
    ..Tags::INVOKE
};

text_format!("minicpm5", Format::xml(&["<function "], &[Grammar::Tags(TAGS)]));
