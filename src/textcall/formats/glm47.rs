//! As `glm45`, without the newlines. Models: `GLM 4.7`.
//! `<tool_call>tide_table<arg_key>port</arg_key><arg_value>Brest</arg_value></tool_call>`

text_format!("glm47", super::glm45::FORMAT);
