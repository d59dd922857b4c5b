//! A message to the tool; its JSON repeats the name. Models: `Inkling`.
//! `<|message_model|>tide_table<|content_invoke_tool_json|>{"name": "tide_table", "args": {"port": "Brest"}}<|end_message|>`

const MESSAGE: Headed = Headed {
    call: &["<|message_model|>"],
    head: Head::Repeated,
    separators: &["<|content_invoke_tool_json|>"],
    close: &["<|end_message|>"],
    ..Headed::MARKED
};

text_format!(
    "inkling",
    Format::json(
        &["<|message_model|>", "<|content_invoke_tool_json|>"],
        &[Grammar::Headed(MESSAGE), Grammar::json(Starts::Either, &["<|end_message|>"])],
    )
);
