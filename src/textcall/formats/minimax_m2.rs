//! `invoke` and `parameter` tags in a section. Models: `MiniMax M2`.
//! ```text
//! <minimax:tool_call>
//! <invoke name="tide_table">
//! <parameter name="port">Brest</parameter>
//! </invoke>
//! </minimax:tool_call>
//! ```

family!(Format::xml(&["<minimax:tool_call>"], &[Grammar::invoke(&["</minimax:tool_call>"])]));
