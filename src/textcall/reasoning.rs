//! Reasoning markers: how models mark their reasoning in text.

/// A pair of markers around reasoning.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReasoningMarkers {
    pub(crate) open: &'static str,
    /// Any of these ends it.
    pub(crate) close: &'static [&'static str],
    /// Whether the prompt may have held the opening marker, so that the closing one stands alone.
    pub(crate) prefilled: bool,
}

const fn tags(open: &'static str, close: &'static [&'static str]) -> ReasoningMarkers {
    ReasoningMarkers { open, close, prefilled: true }
}

const fn message(open: &'static str, close: &'static [&'static str]) -> ReasoningMarkers {
    ReasoningMarkers { open, close, prefilled: false }
}

/// All pairs, except that of messages with headers.
pub(crate) const REASONING_MARKERS: &[ReasoningMarkers] = &[
    tags("<think>", &["</think>"]),
    tags("<thinking>", &["</thinking>"]),
    tags("[THINK]", &["[/THINK]"]),
    tags("<seed:think>", &["</seed:think>"]),
    tags("<mm:think>", &["</mm:think>"]),
    tags("<longcat_think>", &["</longcat_think>"]),
    tags("◁think▷", &["◁/think▷"]),
    tags("<|channel>thought", &["<channel|>"]),
    tags("<|START_THINKING|>", &["<|END_THINKING|>"]),
    tags("<|inner_prefix|>", &["<|inner_suffix|>"]),
    tags("<|open|>think<|sep|>", &["<|close|>think<|sep|>"]),
    message("<|content_thinking|>", &["<|end_message|>"]),
    message("Here is my thought process:", &["Here is my response:"]),
];

/// Reasoning in a message with a header: it ends where the message does, or the next one starts.
pub(crate) const MESSAGE: ReasoningMarkers =
    message("", &["<|end|>", "<|return|>", "<|call|>", "<|eom|>"]);
