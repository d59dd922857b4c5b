//! Which marker stands first in a text?
//!
//! One automaton over the openers of all families, the reasoning tags, the tokens that servers
//! leak, and the two characters that tell prose from code. It is built from the formats' data.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::format::{Anchor, Format, Grammar};
use super::formats::FORMATS;
use super::reasoning::{FORMS, Form};

/// A string that means something in prose.
#[derive(Debug)]
pub(crate) struct Marker {
    pub(crate) text: &'static str,
    /// What it may open, and where.
    pub(crate) choices: Vec<Choice>,
    /// The reasoning it opens.
    pub(crate) opens: Option<&'static Form>,
    /// Whether it closes reasoning that the prompt may have opened.
    pub(crate) closes: bool,
    /// Whether it is never content.
    pub(crate) noise: bool,
    /// Whether it closes a call, and so is not content just after one.
    pub(crate) closer: bool,
}

/// A grammar to try, the format that gives it its name, and the others that share it.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) grammar: &'static Grammar,
    pub(crate) format: &'static Format,
    pub(crate) ties: Vec<&'static Format>,
    pub(crate) anchor: Anchor,
}

/// Tokens between turns and round answers, which servers should have removed.
const NOISE: &[&str] = &[
    "<|im_end|>",
    "<|im_start|>assistant",
    "<|im_start|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|eot|>",
    "<|end_of_text|>",
    "<|begin_of_text|>",
    "<|endoftext|>",
    "<|eos|>",
    "<eos>",
    "<bos>",
    "</s>",
    "<｜end▁of▁sentence｜>",
    "<｜begin▁of▁sentence｜>",
    "<|return|>",
    "<|end|>",
    "<|call|>",
    "<|eom|>",
    "<|start|>",
    "<|end_message|>",
    "<|message_model|>",
    "<|content_text|>",
    "<end_of_turn>",
    "<start_of_turn>model",
    "<turn|>",
    "<|turn>model",
    "<|END_OF_TURN_TOKEN|>",
    "<|START_OF_TURN_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|user|>",
    "<|observation|>",
    "<|assistant|>",
    "<|start_of_role|>assistant<|end_of_role|>",
    "<|message_sep|>",
    "assistant<|role_sep|>",
    "<|open|>response<|sep|>",
    "<|close|>response<|sep|>",
    "<|end_of_msg|>",
    "<|assistant_end|>",
    "<|assistant_start|>",
    "<seed:eos>",
    "[e~[",
    "]<]minimax[>[",
    "<｜Assistant｜>",
    "<｜User｜>",
    ">>>all\n",
    "<|start_header_id|>assistant<|end_header_id|>",
];

/// Tags round a whole answer: the first of a pair counts before any text, the second after it.
pub(crate) const ANSWERS: &[(&str, &str)] =
    &[("<response>", "</response>"), ("<answer>", "</answer>"), ("助手：", ""), ("all\n", "")];

static MARKERS: LazyLock<Markers> = LazyLock::new(Markers::build);

/// All markers.
pub(crate) fn markers() -> &'static Markers {
    &MARKERS
}

pub(crate) struct Markers {
    automaton: Option<AhoCorasick>,
    all: Vec<Marker>,
    /// What may stand at the start of a line without a marker.
    pub(crate) bare: Vec<Choice>,
}

impl Markers {
    fn build() -> Self {
        let mut all: Vec<Marker> = Vec::new();
        marker(&mut all, "\n");
        marker(&mut all, "`");
        for format in FORMATS {
            for opener in format.openers {
                let choices = &mut marker(&mut all, opener).choices;
                format.grammars.iter().for_each(|grammar| add(choices, grammar, format));
            }
            let closers = format.grammars.iter().chain(format.bare).flat_map(|grammar| grammar.family().closers());
            closers.for_each(|closer| marker(&mut all, closer).closer = true);
        }
        for form in FORMS {
            marker(&mut all, form.open).opens = Some(form);
            form.close.iter().for_each(|close| marker(&mut all, close).closes |= form.prefilled);
        }
        for noise in NOISE {
            marker(&mut all, noise).noise = true;
        }
        for text in ANSWERS.iter().flat_map(|pair| [pair.0, pair.1]).filter(|text| !text.is_empty())
        {
            marker(&mut all, text);
        }
        let mut bare = Vec::new();
        for format in FORMATS {
            format.bare.iter().for_each(|grammar| add(&mut bare, grammar, format));
        }
        let patterns = all.iter().map(|marker| marker.text);
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok();
        Self { automaton, all, bare }
    }

    /// The first marker in a text, the longest where several start there.
    pub(crate) fn find(&self, text: &str) -> Option<(usize, &Marker)> {
        let found = self.automaton.as_ref()?.find(text)?;
        Some((found.start(), self.all.get(found.pattern().as_usize())?))
    }

    /// How many bytes at the end of a text may be the start of a marker.
    pub(crate) fn held(&self, text: &str) -> usize {
        const LONGEST: usize = 48;
        let mut from = text.len().saturating_sub(LONGEST);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let tail = text.get(from..).unwrap_or("");
        let mut tails = tail.char_indices().map(|(at, _)| tail.get(at..).unwrap_or(""));
        let held = tails.find(|tail| self.extends(tail));
        held.map_or(0, str::len)
    }

    /// Whether a text is the start of a longer marker.
    pub(crate) fn extends(&self, text: &str) -> bool {
        self.all
            .iter()
            .any(|marker| marker.text.len() > text.len() && marker.text.starts_with(text))
    }
}

fn marker<'a>(all: &'a mut Vec<Marker>, text: &'static str) -> &'a mut Marker {
    let at = all.iter().position(|marker| marker.text == text).unwrap_or(all.len());
    if at == all.len() {
        let (choices, opens) = (Vec::new(), None);
        all.push(Marker { text, choices, opens, closes: false, noise: false, closer: false });
    }
    #[expect(clippy::indexing_slicing, reason = "the marker was found or has just been added")]
    &mut all[at]
}

fn add(choices: &mut Vec<Choice>, grammar: &'static Grammar, format: &'static Format) {
    match choices.iter_mut().find(|choice| choice.grammar == grammar) {
        Some(choice) => choice.ties.push(format),
        None => choices.push(Choice { grammar, format, ties: Vec::new(), anchor: format.anchor }),
    }
}
