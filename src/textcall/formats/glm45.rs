//! The name, then keys and values on lines of their own. Models: `GLM 4.5 and 4.6, Ling 3, Laguna`.
//! ```text
//! <tool_call>tide_table
//! <arg_key>port</arg_key>
//! <arg_value>Brest</arg_value>
//! </tool_call>
//! ```

text_format!("glm45", Format::xml(&["<tool_call>"], &[Grammar::Tags(Tags::PAIRS)]));
