//! JSON in a Markdown fence. Only an offered tool with arguments is a call.
//! Models: `any model asked for JSON; Qwen2.5-Coder, Gemma 3`.
//! ~~~text
//! ```json
//! {"name": "tide_table", "arguments": {"port": "Brest"}}
//! ```
//! ~~~

text_format!("json-fence", Format::bare(&[Grammar::FENCED]));
