//! The search for secrets: in a text as it stands, and in what is left of it when escapes are undone.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::Secret;
use super::forms::forms_of;
use super::screen::Screen;
use super::squeeze::{Squeezed, squeeze_bytes};
use super::unescape::{Layer, unescape_bytes};

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
    screen: Screen,
    forms: Vec<Vec<u8>>,
    /// Built when the screen lets something through, which is rare.
    automaton: OnceLock<Option<AhoCorasick>>,
    /// How far two windows overlap, so that no secret is cut in two.
    overlap: usize,
}

impl Finder {
    /// A finder of these secrets; `None` without any.
    pub(super) fn new(secrets: &[Secret]) -> Option<Self> {
        let forms: Vec<Vec<u8>> =
            secrets.iter().flat_map(|secret| forms_of(secret.expose())).collect();
        let longest = forms.iter().map(Vec::len).max()?;
        let (screen, overlap) = (Screen::new(&forms), longest * LONGEST_ESCAPE);
        Some(Self { screen, forms, automaton: OnceLock::new(), overlap })
    }

    /// Finds all forms: built fast and small rather than to search fast. It is `None` where there are more forms
    /// than the search can take, which is billions.
    fn automaton(&self) -> Option<&AhoCorasick> {
        let build = || {
            let mut builder = AhoCorasick::builder();
            builder.kind(Some(AhoCorasickKind::NoncontiguousNFA)).prefilter(false);
            builder.ascii_case_insensitive(true).build(&self.forms).ok()
        };
        self.automaton.get_or_init(build).as_ref()
    }

    /// Where secrets stand, in order and without overlaps.
    pub(super) fn spans(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut spans = Vec::new();
        if self.screen.may_hold(text) {
            self.search(&text, |at| at, &mut spans);
        }
        self.search_altered(text, &mut spans);
        merge(spans)
    }

    /// The search in what is left when escapes and white space are taken away, window by window.
    fn search_altered(&self, text: &[u8], spans: &mut Vec<Range<usize>>) {
        let window = WINDOW.max(self.overlap * 2);
        let mut start = 0;
        while let Some(rest) = text.get(start..) {
            let length = rest.len().min(window);
            let part = rest.get(..length).unwrap_or_default();
            if self.may_hold_altered(part) {
                let plain = Layer::plain(part, start);
                self.search_squeezed(&self.search_escaped(plain, spans), spans);
            }
            if length == rest.len() {
                return;
            }
            start += length - self.overlap;
        }
    }

    /// Whether a search in what is left without escapes and white space may find anything. Without the
    /// places of the bytes, which take most of the time of that search.
    fn may_hold_altered(&self, text: &[u8]) -> bool {
        let mut level = Cow::Borrowed(text);
        for _ in 0..LEVELS {
            let Some(next) = unescape_bytes(&level) else { break };
            if self.screen.may_hold(&next) {
                return true;
            }
            level = Cow::Owned(next);
        }
        squeeze_bytes(&level).is_some_and(|squeezed| self.screen.may_hold(&squeezed))
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
        let found = self.automaton().into_iter();
        let found = found.flat_map(|automaton| automaton.find_overlapping_iter(&squeezed.bytes));
        let long = found.map(|it| it.range()).filter(|it| it.len() >= SHORTEST_SQUEEZED);
        long.filter_map(|it| squeezed.origin(&it)).for_each(|it| add(spans, it));
    }

    fn search(
        &self,
        text: &impl AsRef<[u8]>,
        origin: impl Fn(usize) -> usize,
        spans: &mut Vec<Range<usize>>,
    ) {
        let found = self.automaton().into_iter();
        let found = found.flat_map(|automaton| automaton.find_overlapping_iter(text.as_ref()));
        found.map(|found| origin(found.start())..origin(found.end())).for_each(|it| add(spans, it));
    }
}

/// Adds a span, as part of the last one where they overlap or touch: a text full of secrets has as many matches
/// as bytes.
fn add(spans: &mut Vec<Range<usize>>, span: Range<usize>) {
    match spans.last_mut() {
        Some(last) if span.start <= last.end && last.start <= span.end => {
            *last = last.start.min(span.start)..last.end.max(span.end);
        }
        _ => spans.push(span),
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
