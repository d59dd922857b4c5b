//! Does parsing stay linear, whatever the text is and however it is cut into pieces?

use std::cell::Cell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use crate::ir::ToolSpec;
use crate::textcall::format::Grammar;
use crate::textcall::grammar::Head;
use crate::textcall::markers::MARKERS;
use crate::textcall::{Catalog, FORMATS, Options, Parser};

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

pub(crate) fn charge(bytes: usize) {
    STEPS.set(STEPS.get() + bytes);
}

/// The lengths that are compared with four times as much; the second is for suspects.
const SHORT: usize = 4 << 10;
const BEYOND_BOUNDS: usize = 64 << 10;

/// The most steps for each byte of a text that is as long as the bounds can make it expensive.
const MOST_PER_BYTE: usize = 1_000;

/// Fragments outside the tokens of every format, and what may end a text.
const SCRAPS: &str = r#"
    { } [ ] ( ) " ' : , = > < \ ` ``` ```json ~~~ // /* */ x é f f( f{ {"name": {"name":"f" {"type":
    {"name":"f","arguments":{}} {"name":"f","arguments":{"a":1}} {"a":1} [{"name":"f", "arguments":
    {"tool_calls":[ "} "}} name="f"> f> a> <a> </a> <tool_name> </tool_name> <parameters> to=f
    to=functions.f functions.f:0 <![CDATA[ ]]> Action: Observation: Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
"#;

/// Every token that the formats are made of, every other marker, white space and scraps.
fn fragments() -> Vec<&'static str> {
    let grammars = FORMATS.iter().flat_map(|format| format.grammars.iter().chain(format.bare));
    let markers = MARKERS.texts().chain(FORMATS.iter().flat_map(|it| it.openers.iter().copied()));
    let mut all: BTreeSet<_> = grammars.flat_map(tokens).chain(markers).collect();
    all.extend(SCRAPS.split_whitespace());
    all.extend(["\n", " ", "\t", "\\n", "\n\n{\"name\": \"", "\nf{\"", "\nf(a=\"", "\n```\n"]);
    all.into_iter().filter(|token| !token.is_empty()).collect()
}

fn tokens(grammar: &'static Grammar) -> Vec<&'static str> {
    match grammar {
        Grammar::Listed(it) => [it.gap, it.close].concat(),
        Grammar::Headed(it) => {
            let head = match it.head {
                Head::IdThenName(token)
                | Head::NameThenId(token)
                | Head::Worded(token)
                | Head::Prefixed(token)
                | Head::Line(token) => token,
                Head::Name | Head::Counted | Head::Repeated | Head::Recipient => "",
            };
            let others = [head, it.delimiter.unwrap_or("")];
            [it.call, it.separators, it.close, it.section_close, &others].concat()
        }
        Grammar::Tags(it) => {
            let own = [it.call, it.call_close, it.parameter, it.parameter_close, it.tag_end];
            [&own, it.gap, it.section_close].concat()
        }
    }
}

fn catalog() -> Catalog {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    Catalog::new(&[ToolSpec::new("f", "", schema)])
}

/// A text of about this length: a start, a middle that is repeated, an end.
fn text(parts: &[String; 3], length: usize) -> String {
    let [start, middle, end] = parts;
    format!("{start}{}{end}", middle.repeat(length / middle.len().max(1)))
}

/// How many steps it takes to parse a text in pieces of so many characters.
fn steps(text: &str, piece: usize) -> usize {
    let catalog = catalog();
    STEPS.set(0);
    let mut parser = Parser::new(&catalog, Options::default());
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(piece) {
        drop(parser.push(&piece.iter().collect::<String>()));
    }
    drop(parser.finish());
    STEPS.get()
}

/// What is wrong with the steps that texts of these parts take, if anything is. What a short text takes may only seem to
/// grow faster: it is not long enough for the bounds of depth and of refusals to be reached. So a suspect is tried again
/// where they are.
fn complaint(parts: &[String; 3], piece: usize) -> Option<String> {
    growth(parts, piece, SHORT).and_then(|_| growth(parts, piece, BEYOND_BOUNDS))
}

/// What is wrong with how the steps grow from a short text to one that is four times as long.
fn growth(parts: &[String; 3], piece: usize, short: usize) -> Option<String> {
    const SLACK: usize = 40_000;
    let most = 4 * short * MOST_PER_BYTE;
    let [short, long] = [short, 4 * short].map(|length| steps(&text(parts, length), piece));
    let is_linear = long * 2 <= short * 9 + SLACK && long <= most;
    (!is_linear).then(|| format!("{short} steps become {long}, in pieces of {piece}: {parts:?}"))
}

#[track_caller]
fn assert_linear(cases: impl IntoIterator<Item = ([String; 3], usize)>) {
    let complaints: Vec<_> =
        cases.into_iter().filter_map(|(parts, piece)| complaint(&parts, piece)).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn any_token_may_be_repeated_for_ever() {
    assert_linear(fragments().into_iter().flat_map(|token| {
        let case = |end: &str, piece| (["", token, end].map(str::to_owned), piece);
        [case("", 5), case("x", usize::MAX), case("\"}", usize::MAX)]
    }));
}

#[test]
fn texts_that_are_made_to_be_read_again_are_not() {
    let hostile = [
        // Values that are refused only at their very end, with other values inside.
        ["", "{\"name\": \"\n", "\"}"],
        ["", "f{\"\n", "\"}"],
        ["", "<invoke name=\"f\">x", "</invoke>"],
        ["", "{\"id\":\n", "1}"],
        // Gaps that are made of openers, and gaps without end.
        ["", "<｜tool_call_begin｜>", "x"],
        ["<tool_call>", " ", "x"],
        ["<tool_call>f", "\\n ", "x"],
        ["<function=f><parameter=a>", " ", "</parameter>x"],
        ["<function=f><parameter=a> ", "</parameter>x ", ""],
        ["<function=f><parameter=a>1</parameter>", " ", "x"],
        // Words and lines without end.
        ["```", "a", ""],
        ["```\n", "`", ""],
        ["x", "`", ""],
        ["<tool_call>```", "a", ""],
        ["<tool_call>f</tool_call:", "a", ""],
        ["<|python_start|>", "a", "("],
        // Values that nest until they are too deep, which a short text does not reach.
        ["", "{\"name\":\"f\"\n```\n\"arguments\":", ""],
        ["", "{\"name\":\"f\"<function {\"tool_calls\":[", ""],
        // Many calls in one value.
        [
            "{\"tool_calls\":[",
            "{\"name\":\"f\",\"arguments\":{}},",
            "{\"name\":\"f\",\"arguments\":{}}]}",
        ],
    ];
    let cases = hostile.map(|parts| parts.map(str::to_owned));
    assert_linear(cases.into_iter().flat_map(|it| [(it.clone(), 1), (it, usize::MAX)]));
}

fn soup(length: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(fragments());
    prop::collection::vec(fragment, length).prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(200),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn four_times_the_text_takes_four_times_the_steps(
        start in soup(0..4),
        middle in soup(1..8),
        end in soup(0..4),
        piece in prop::sample::select(vec![1, 7, usize::MAX, usize::MAX]),
    ) {
        let found = complaint(&[start, middle, end], piece);
        prop_assert!(found.is_none(), "{}", found.unwrap_or_default());
    }
}
