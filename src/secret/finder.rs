//! The search for secrets: in a text as it stands, and in what is left of it when escapes are undone.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use memchr::memchr3;

use super::Secret;
use super::forms::forms_of;
use super::unescape::Layer;

/// How many levels of escapes are undone: a URL-encoded text inside JSON inside JSON has three.
pub(super) const LEVELS: usize = 3;

/// How much of a text is unescaped at a time.
const WINDOW: usize = 64 * 1024;

/// The most bytes that one escaped byte takes (`\\u0025` and the like, over all levels).
const LONGEST_ESCAPE: usize = 24;

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
        self.search_escaped(text, &mut spans);
        merge(spans)
    }

    fn search_escaped(&self, text: &[u8], spans: &mut Vec<Range<usize>>) {
        let window = WINDOW.max(self.overlap * 2);
        let mut start = 0;
        while let Some(rest) = text.get(start..) {
            // Nothing is escaped before the first mark of an escape; what it belongs to may begin
            // earlier.
            let Some(first) = memchr3(b'\\', b'%', b'&', rest) else { return };
            start += first.saturating_sub(self.overlap);
            let end = text.len().min(start + window);
            let mut layer = Layer::plain(text.get(start..end).unwrap_or_default(), start);
            for _ in 0..LEVELS {
                let Some(next) = layer.unescape() else { break };
                layer = next;
                let origin = |at: usize| layer.starts.get(at).copied().unwrap_or(end);
                self.search(&layer.bytes, origin, spans);
            }
            if end == text.len() {
                return;
            }
            start = end - self.overlap;
        }
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

/// Joins spans that overlap.
fn merge(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}
