//! JSON in a tilde fence, by prompt. Models: `any model taught the protocol`.
//! ```text
//! ~~~tool_call
//! {"name": "tide_table", "arguments": {"port": "Brest"}}
//! ~~~
//! ```

text_format!(
    "exathena",
    Format::json(&["~~~tool_call"], &[Grammar::json(Starts::Object, &["~~~"])]).at_line_start()
);
