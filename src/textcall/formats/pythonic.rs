//! A list of Python calls, which is the whole message. Models: `Llama 3.2, ToolACE`.
//! `[tide_table(port='Brest', days=2)]`

text_format!("pythonic", Format::bare(&[Grammar::bare_python(Starts::List)]));
