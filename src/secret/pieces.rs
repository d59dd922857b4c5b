//! Secrets that are spread over several texts: frames of a stream, strings of a document, headers.
//!
//! A client joins the deltas of a stream, so what no frame holds by itself appears in the reply. The
//! strings under the same key are joined here in the same way, each with those of the frames before
//! and after it, and what is found is blanked in every frame that holds a part of it.

use std::collections::HashMap;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2};

use super::finder::Finder;

/// A part of one of the texts.
#[derive(Debug, Clone)]
struct Piece {
    text: usize,
    range: Range<usize>,
}

/// Where secrets stand in each text, those that only the texts together hold included.
pub(super) fn spans(finder: &Finder, texts: &[&str]) -> Vec<Vec<Range<usize>>> {
    let mut spans: Vec<Vec<Range<usize>>> =
        texts.iter().map(|text| finder.spans(text.as_bytes())).collect();
    for pieces in groups(texts).iter().filter(|pieces| pieces.len() > 1) {
        let part = |piece: &Piece| texts.get(piece.text).and_then(|it| it.get(piece.range.clone()));
        let joined: String = pieces.iter().filter_map(part).collect();
        for found in finder.spans(joined.as_bytes()) {
            blank(&found, pieces, &mut spans);
        }
    }
    spans
}

/// Marks a span of the joined pieces in each text that it touches.
fn blank(found: &Range<usize>, pieces: &[Piece], spans: &mut [Vec<Range<usize>>]) {
    let mut before = 0;
    for Piece { text, range } in pieces {
        let (start, end) = (found.start.max(before), found.end.min(before + range.len()));
        if start < end
            && let Some(spans) = spans.get_mut(*text)
        {
            spans.push(range.start + start - before..range.start + end - before);
        }
        before += range.len();
        if before >= found.end {
            return;
        }
    }
}

/// The strings that belong together: by their key, and by their key and the indexes beside it, as
/// interleaved calls are told apart by an index, and the items of a response by their id.
fn groups(texts: &[&str]) -> Vec<Vec<Piece>> {
    let (mut by_key, mut by_index) = (ByKey::new(), HashMap::<Vec<&str>, ByKey<'_>>::new());
    for (text, content) in texts.iter().enumerate() {
        for (start, record) in records(content) {
            let Literals { strings, indexes } = literals(record);
            let mut beside =
                if indexes.is_empty() { None } else { Some(by_index.entry(indexes).or_default()) };
            for (key, range) in strings {
                let piece = Piece { text, range: start + range.start..start + range.end };
                if let Some(beside) = &mut beside {
                    beside.entry(key).or_default().push(piece.clone());
                }
                by_key.entry(key).or_default().push(piece);
            }
        }
    }
    let beside = by_index.into_values().flat_map(HashMap::into_values);
    by_key.into_values().chain(beside).collect()
}

/// The pieces under each key.
type ByKey<'a> = HashMap<&'a str, Vec<Piece>>;

/// The records of a text and where each begins: a stream that came as one text has a record per line.
fn records(text: &str) -> Vec<(usize, &str)> {
    let opens = |at: &usize| {
        let line = text.get(at + 1..).unwrap_or_default();
        ["{", "data:"].iter().any(|opener| line.starts_with(opener))
    };
    let ends: Vec<usize> = memchr_iter(b'\n', text.as_bytes()).filter(opens).collect();
    let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
    let ends = ends.iter().copied().chain([text.len()]);
    starts.zip(ends).map(|(start, end)| (start, text.get(start..end).unwrap_or_default())).collect()
}

/// The strings of a JSON text with their keys, and the values of its indexes.
#[derive(Default)]
struct Literals<'a> {
    strings: Vec<(&'a str, Range<usize>)>,
    indexes: Vec<&'a str>,
}

/// The key of a text that is not JSON.
const WHOLE: &str = "\0";

/// Reads the strings out of a text: of JSON, well-formed or not, and of lines that hold some. A text
/// that is not JSON is a string as a whole, too.
fn literals(text: &str) -> Literals<'_> {
    let (mut found, mut key, mut at) = (Literals::default(), "", 0);
    if !text.trim_start().starts_with(['{', '[']) {
        found.strings.push((WHOLE, 0..text.len()));
    }
    while let Some(start) = text.as_bytes().get(at..).and_then(|rest| memchr(b'"', rest)) {
        let start = at + start + 1;
        let end = string_end(text.as_bytes(), start);
        let content = text.get(start..end).unwrap_or_default();
        let after = text.get(end + 1..).unwrap_or_default().trim_start();
        if let Some(value) = after.strip_prefix(':') {
            key = content;
            if is_index(key) {
                let value = value.trim_start();
                let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']');
                found.indexes.extend(value.get(..value.find(ends).unwrap_or(value.len())));
            }
        } else {
            found.strings.push((key, start..end));
        }
        at = end + 1;
    }
    found
}

/// Whether a key tells apart what is interleaved.
fn is_index(key: &str) -> bool {
    let end = key.len().checked_sub("index".len()).and_then(|start| key.get(start..));
    key == "item_id" || end.is_some_and(|end| end.eq_ignore_ascii_case("index"))
}

/// Where the string that began before `start` ends.
fn string_end(text: &[u8], mut start: usize) -> usize {
    while let Some(rest) = text.get(start..) {
        match memchr2(b'"', b'\\', rest) {
            None => break,
            Some(at) if rest.get(at) == Some(&b'"') => return start + at,
            Some(at) => start += at + 2,
        }
    }
    text.len()
}
