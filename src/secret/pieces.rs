//! Secrets that are spread over several texts: frames of a stream, strings of a document, headers.
//!
//! A client joins the deltas of a stream, so what no frame holds by itself appears in the reply. The
//! strings under the same key are joined here in the same way, each with those of the frames before
//! and after it, and what is found is blanked in every frame that holds a part of it.

use std::collections::HashMap;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2};

use super::finder::Finder;

/// Where secrets stand in each text, those that only the texts together hold included.
pub(super) fn spans(finder: &Finder, texts: &[&str]) -> Vec<Vec<Range<usize>>> {
    let mut spans: Vec<Vec<Range<usize>>> =
        texts.iter().map(|text| finder.spans(text.as_bytes())).collect();
    let groups = Groups::of(texts);
    for chain in groups.chains.values().filter(|chain| chain.first != chain.last) {
        let pieces = || groups.pieces(*chain);
        let part = |piece: Piece| texts.get(piece.text()).and_then(|it| it.get(piece.range()));
        let joined: String = pieces().filter_map(part).collect();
        blank(&finder.spans(joined.as_bytes()), pieces(), &mut spans);
    }
    spans
}

/// Marks spans of the joined pieces, which come in order, in each text that they touch.
fn blank(
    found: &[Range<usize>],
    pieces: impl Iterator<Item = Piece>,
    spans: &mut [Vec<Range<usize>>],
) {
    let (mut found, mut before) = (found, 0);
    for piece in pieces.take_while(|_| !found.is_empty()) {
        let range = piece.range();
        let after = before + range.len();
        for span in found.iter().take_while(|span| span.start < after) {
            let (start, end) = (span.start.max(before), span.end.min(after));
            if start < end
                && let Some(spans) = spans.get_mut(piece.text())
            {
                spans.push(range.start + start - before..range.start + end - before);
            }
        }
        let over = found.iter().take_while(|span| span.end <= after).count();
        found = found.get(over..).unwrap_or_default();
        before = after;
    }
}

/// A part of one of the texts, and the next one of its group. A hostile text has a million of them, so each
/// takes few bytes: no text that is received has more than numbers of this size can count.
#[derive(Debug, Clone, Copy)]
struct Piece {
    text: u32,
    start: u32,
    end: u32,
    next: u32,
}

impl Piece {
    fn text(self) -> usize {
        self.text as usize
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The first and the last piece of a group.
#[derive(Debug, Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
}

/// Strings that belong together: by their key, and by their key and the number of the indexes beside it, as
/// interleaved calls are told apart by an index, and the items of a response by their id.
#[derive(Debug)]
struct Groups<'a> {
    pieces: Vec<Piece>,
    chains: HashMap<(Option<u32>, &'a str), Chain>,
}

impl<'a> Groups<'a> {
    fn of(texts: &[&'a str]) -> Self {
        // Made once for all, because what grows has its bytes twice for a moment.
        let quotes = |text: &&str| memchr_iter(b'"', text.as_bytes()).count();
        let most = texts.len() + texts.iter().map(quotes).sum::<usize>() / 2;
        let mut groups = Self { pieces: Vec::with_capacity(most), chains: HashMap::new() };
        let mut numbers = HashMap::<Vec<&str>, u32>::new();
        for (text, content) in texts.iter().enumerate() {
            for (start, record) in records(content) {
                let indexes: Vec<&str> = literals(record).filter_map(Literal::index).collect();
                let next = short(numbers.len());
                let number = (!indexes.is_empty()).then(|| *numbers.entry(indexes).or_insert(next));
                for (key, range) in literals(record).filter_map(Literal::string) {
                    let range = start + range.start..start + range.end;
                    groups.add((None, key), text, &range);
                    if number.is_some() {
                        groups.add((number, key), text, &range);
                    }
                }
            }
        }
        groups
    }

    fn add(&mut self, group: (Option<u32>, &'a str), text: usize, range: &Range<usize>) {
        let place = short(self.pieces.len());
        let (text, start, end) = (short(text), short(range.start), short(range.end));
        self.pieces.push(Piece { text, start, end, next: place });
        let chain = self.chains.entry(group).or_insert(Chain { first: place, last: place });
        if let Some(last) = self.pieces.get_mut(chain.last as usize) {
            last.next = place;
        }
        chain.last = place;
    }

    /// The pieces of a group, in order.
    fn pieces(&self, chain: Chain) -> impl Iterator<Item = Piece> {
        let piece = |place: u32| self.pieces.get(place as usize).copied().map(|it| (place, it));
        let next = move |(place, piece_there): &(u32, Piece)| {
            (*place != chain.last).then_some(piece_there.next).and_then(piece)
        };
        std::iter::successors(piece(chain.first), next).map(|(_, it)| it)
    }
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The records of a text and where each begins: a stream that came as one text has a record per line.
fn records(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let opens = |at: &usize| {
        let line = text.get(at + 1..).unwrap_or_default();
        ["{", "data:"].iter().any(|opener| line.starts_with(opener))
    };
    let ends = memchr_iter(b'\n', text.as_bytes()).filter(opens).chain([text.len()]);
    ends.scan(0, |start, end| {
        let record = (*start, text.get(*start..end).unwrap_or_default());
        *start = end + 1;
        Some(record)
    })
}

/// What a JSON text is made of, as far as it matters here.
enum Literal<'a> {
    /// A key, and the text from its value on.
    Key(&'a str, &'a str),
    /// A string that is not empty, with the key that it stands under.
    String(&'a str, Range<usize>),
}

impl<'a> Literal<'a> {
    /// The value of a key that tells apart what is interleaved.
    fn index(self) -> Option<&'a str> {
        let Self::Key(key, value) = self else { return None };
        is_index(key).then(|| first_word(value))
    }

    fn string(self) -> Option<(&'a str, Range<usize>)> {
        let Self::String(key, range) = self else { return None };
        Some((key, range))
    }
}

/// The key of a text that is not JSON.
const WHOLE: &str = "\0";

/// The key of strings before any key. Not empty: a million comparisons with an empty text of nowhere take long.
const UNNAMED: &str = "\0\0";

/// How many bytes of an index count.
const LONGEST_INDEX: usize = 256;

/// Reads keys and strings out of a text: of JSON, well-formed or not, and of lines that hold some. A text
/// that is not JSON is a string as a whole, too.
fn literals(text: &str) -> impl Iterator<Item = Literal<'_>> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let whole = (!is_json).then_some(Literal::String(WHOLE, 0..text.len()));
    let (mut key, mut at) = (UNNAMED, 0);
    let next = move || {
        loop {
            let start = at + memchr(b'"', text.as_bytes().get(at..)?)? + 1;
            let end = string_end(text.as_bytes(), start);
            at = end + 1;
            let after = text.get(at..).unwrap_or_default().trim_start();
            if let Some(value) = after.strip_prefix(':') {
                key = text.get(start..end).unwrap_or_default();
                return Some(Literal::Key(key, value));
            }
            if start < end {
                return Some(Literal::String(key, start..end));
            }
        }
    };
    whole.into_iter().chain(std::iter::from_fn(next))
}

/// What a text begins with, up to white space or the end of a value.
fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']');
    let mut length = text.bytes().take(LONGEST_INDEX).take_while(|byte| !ends(byte)).count();
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    text.get(..length).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    #[test]
    fn an_index_without_an_end_is_not_read_to_the_end_for_each_key() {
        let text = format!("{{{}", "\"index\":".repeat(1_000));
        let read: usize = literals(&text).filter_map(Literal::index).map(str::len).sum();
        assert!(read <= 1_000 * LONGEST_INDEX, "{read}");
    }

    #[test]
    fn spans_are_marked_in_every_piece_that_they_touch() {
        let finder = Finder::new(&[Secret::new("abcdefgh")]).unwrap();
        let texts = ["{\"a\":\"x abc\"}", "{\"a\":\"\"}", "{\"a\":\"defgh abcdefgh ab\"}"];
        let more = ["{\"a\":\"cd\"}", "{\"a\":\"efgh abcdefg\"}"];
        let texts: Vec<&str> = texts.into_iter().chain(more).collect();
        let spans: Vec<Vec<&str>> = (spans(&finder, &texts).into_iter().zip(&texts))
            .map(|(spans, text)| spans.into_iter().map(|span| &text[span]).collect())
            .collect();
        let expected: [&[&str]; 5] =
            [&["abc"], &[], &["abcdefgh", "defgh", "abcdefgh", "ab"], &["cd"], &["efgh"]];
        assert_eq!(spans, expected);
    }

    #[test]
    fn the_pieces_of_a_hostile_text_take_little_room() {
        let text = "\"a\"".repeat(1_000);
        let groups = Groups::of(&[&text]);
        assert_eq!((groups.pieces.len(), groups.chains.len()), (1_001, 2));
        assert!(size_of::<Piece>() <= 16);
    }

    #[test]
    fn strings_without_content_are_left_out() {
        assert_eq!(literals(&"\"\"".repeat(99)).count(), 1);
    }
}
