//! Markers: the strings that mean something in prose, and the search for the first of them.
//!
//! One automaton over the openers of all formats, the reasoning tags, the tokens that servers
//! leak, and the two characters that tell prose from code. It is built from the formats' data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::format::{Format, Grammar};
use super::formats::FORMATS;
use super::reasoning::{REASONING_MARKERS, ReasoningMarkers};

/// A string that means something in prose.
#[derive(Debug, Default)]
pub(crate) struct Marker {
    pub(crate) text: &'static str,
    /// What it may open.
    pub(crate) candidates: Vec<Candidate>,
    /// The reasoning it opens.
    pub(crate) opens: Option<&'static ReasoningMarkers>,
    /// Whether it closes reasoning that the prompt may have opened.
    pub(crate) closes: bool,
    /// Whether it is never content.
    pub(crate) noise: bool,
    /// Whether it closes a call, and so is not content just after one.
    pub(crate) closer: bool,
}

/// A grammar that may read what follows a marker.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) grammar: &'static Grammar,
    /// The format that gives it its name.
    pub(crate) format: &'static Format,
    /// All formats that share it.
    pub(crate) formats: Vec<&'static Format>,
}

/// Tokens between turns and around answers, which servers should have removed.
const NOISE: &str = "
    <|im_end|> <|im_start|>assistant <|im_start|> <|eom_id|> <|eot_id|> <|eot|> <|end_of_text|>
    <|begin_of_text|> <|endoftext|> <|eos|> <eos> <bos> </s> <|return|> <|end|> <|call|> <|eom|>
    <|start|> <|end_message|> <|message_model|> <|content_text|> <end_of_turn>
    <start_of_turn>model <turn|> <|turn>model <|END_OF_TURN_TOKEN|> <|START_OF_TURN_TOKEN|>
    <|CHATBOT_TOKEN|> <|START_RESPONSE|> <|END_RESPONSE|> <|START_TEXT|> <|END_TEXT|> <|user|>
    <|observation|> <|assistant|> <|start_of_role|>assistant<|end_of_role|> <|message_sep|>
    assistant<|role_sep|> <|open|>response<|sep|> <|close|>response<|sep|> <|end_of_msg|>
    <|assistant_end|> <|assistant_start|> <seed:eos> [e~[ ]<]minimax[>[ <｜Assistant｜> <｜User｜>
    <｜end▁of▁sentence｜> <｜begin▁of▁sentence｜>
    <|start_header_id|>assistant<|end_header_id|>
";

/// Tags around a whole answer: the first of a pair counts before any text, the second after it.
pub(crate) const ANSWERS: &[(&str, &str)] = &[
    ("<response>", "</response>"),
    ("<answer>", "</answer>"),
    ("助手：", ""),
    ("all\n", ""),
    (">>>all\n", ""),
];

/// All markers.
pub(crate) static MARKERS: LazyLock<Markers> = LazyLock::new(Markers::build);

pub(crate) struct Markers {
    automaton: Option<AhoCorasick>,
    /// By text.
    all: Vec<Marker>,
    /// How much text shows which marker stands at its start: that of the longest and a character.
    pub(crate) reach: usize,
    /// What may stand at the start of a line without a marker.
    pub(crate) bare: Marker,
}

impl Markers {
    fn build() -> Self {
        let mut all: BTreeMap<&'static str, Marker> = BTreeMap::new();
        for format in FORMATS {
            for opener in format.openers {
                let marker = all.entry(opener).or_default();
                format.grammars.iter().for_each(|grammar| marker.add(grammar, format));
            }
            let bare = all.entry("").or_default();
            format.bare.iter().for_each(|grammar| bare.add(grammar, format));
            let closers = format.grammars.iter().chain(format.bare).flat_map(Grammar::closers);
            closers.for_each(|closer| all.entry(closer).or_default().closer = true);
        }
        for markers in REASONING_MARKERS {
            all.entry(markers.open).or_default().opens = Some(markers);
            for close in markers.close {
                all.entry(close).or_default().closes |= markers.prefilled;
            }
        }
        for noise in NOISE.split_whitespace() {
            all.entry(noise).or_default().noise = true;
        }
        for text in ANSWERS.iter().flat_map(|pair| [pair.0, pair.1]).chain(["\n", "`"]) {
            all.entry(text).or_default();
        }
        let bare = all.remove("").unwrap_or_default();
        let all: Vec<_> = all.into_iter().map(|(text, it)| Marker { text, ..it }).collect();
        let patterns = all.iter().map(|marker| marker.text);
        let longest = patterns.clone().map(str::len).max().unwrap_or_default();
        let reach = longest + char::MAX.len_utf8();
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok();
        Self { automaton, all, reach, bare }
    }

    /// What the markers look like.
    #[cfg(test)]
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|marker| marker.text)
    }

    /// The place of the first marker in a text, and the longest marker that starts there. None is
    /// named where the text ends, or may yet grow into a longer one.
    pub(crate) fn find(&self, text: &str, is_final: bool) -> (usize, Option<&Marker>) {
        let found = self.automaton.as_ref().and_then(|automaton| automaton.find(text));
        let Some(found) = found else {
            let from = text.len().saturating_sub(self.reach);
            let mut tails = (from..text.len()).filter(|_| !is_final);
            return (tails.find(|&at| self.may_start(text, at)).unwrap_or(text.len()), None);
        };
        let grows = !is_final && self.may_start(text, found.start());
        let marker = self.all.get(found.pattern().as_usize());
        (found.start(), marker.filter(|_| !grows))
    }

    /// Whether all that is left of a text is the start of a longer marker.
    fn may_start(&self, text: &str, at: usize) -> bool {
        let Some(tail) = text.get(at..) else { return false };
        let next = self.all.partition_point(|marker| marker.text <= tail);
        self.all.get(next).is_some_and(|marker| marker.text.starts_with(tail))
    }
}

impl Marker {
    fn add(&mut self, grammar: &'static Grammar, format: &'static Format) {
        if let Some(candidate) =
            self.candidates.iter_mut().find(|candidate| candidate.grammar == grammar)
        {
            candidate.formats.push(format);
        } else {
            self.candidates.push(Candidate { grammar, format, formats: vec![format] });
        }
    }
}
