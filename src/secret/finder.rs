//! The search for secrets: in a text as it stands, and in what is left of it when escapes are undone.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::Secret;
use super::forms::forms_of;
use super::squeeze::Squeezed;
use super::unescape::Layer;

/// How many levels of escapes are undone: a URL-encoded text inside JSON inside JSON has three, and every
/// gateway that wraps the error of another one adds a level.
pub(super) const LEVELS: usize = 5;

/// How much of a text is unescaped at a time.
const WINDOW: usize = 64 * 1024;

/// The most bytes that one escaped byte takes (`\\u0025` and the like, over all levels).
const LONGEST_ESCAPE: usize = 40;

/// The shortest secret that is looked for across white space: shorter ones are words of a sentence.
const SHORTEST_SQUEEZED: usize = 16;

/// Finds any of the registered secrets, in upper and lower case.
#[derive(Debug)]
pub(super) struct Finder {
    automaton: AhoCorasick,
    /// How far two windows overlap, so that no secret is cut in two.
    overlap: usize,
}

impl Finder {
    /// A finder of these secrets; `None` without any.
    pub(super) fn new(secrets: &[Secret]) -> Option<Self> {
        let forms: Vec<Vec<u8>> =
            secrets.iter().flat_map(|secret| forms_of(secret.expose())).collect();
        let longest = forms.iter().map(Vec::len).max()?;
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(forms).ok()?;
        Some(Self { automaton, overlap: longest * LONGEST_ESCAPE })
    }

    /// Where secrets stand, in order and without overlaps.
    pub(super) fn spans(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut spans = Vec::new();
        self.search(&text, |at| at, &mut spans);
        self.search_altered(text, &mut spans);
        merge(spans)
    }

    /// The search in what is left when escapes and white space are taken away, window by window.
    fn search_altered(&self, text: &[u8], spans: &mut Vec<Range<usize>>) {
        let window = WINDOW.max(self.overlap * 2);
        let mut start = 0;
        while let Some(rest) = text.get(start..) {
            let length = rest.len().min(window);
            let plain = Layer::plain(rest.get(..length).unwrap_or_default(), start);
            self.search_squeezed(&self.search_escaped(plain, spans), spans);
            if length == rest.len() {
                return;
            }
            start += length - self.overlap;
        }
    }

    /// Searches each level of escapes, and gives the last one.
    fn search_escaped(&self, plain: Layer, spans: &mut Vec<Range<usize>>) -> Layer {
        let mut layer = plain;
        for _ in 0..LEVELS {
            let Some(next) = layer.unescape() else { break };
            layer = next;
            let origin = |at: usize| layer.starts.get(at).copied().unwrap_or_default();
            self.search(&layer.bytes, origin, spans);
        }
        layer
    }

    fn search_squeezed(&self, layer: &Layer, spans: &mut Vec<Range<usize>>) {
        let Some(squeezed) = Squeezed::of(layer) else { return };
        let found = self.automaton.find_overlapping_iter(&squeezed.bytes);
        let long = found.map(|it| it.range()).filter(|it| it.len() >= SHORTEST_SQUEEZED);
        spans.extend(long.filter_map(|it| squeezed.origin(&it)));
    }

    fn search(
        &self,
        text: &impl AsRef<[u8]>,
        origin: impl Fn(usize) -> usize,
        spans: &mut Vec<Range<usize>>,
    ) {
        let found = self.automaton.find_overlapping_iter(text.as_ref());
        spans.extend(found.map(|found| origin(found.start())..origin(found.end())));
    }
}

/// Joins spans that overlap or touch.
fn merge(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}
