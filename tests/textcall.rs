//! Text formats: every format finds its calls, however the text arrives and wherever it is cut.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot read its fixtures has failed"
)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolprobe::textcall::{
    Catalog, Event, FORMATS, Options, Parsed, Parser, TextPart, find_format, parse as parse_with,
};
use toolprobe::tools::import_tools;

struct Sample {
    id: String,
    format: String,
    tags: Vec<String>,
    text: String,
    catalog: Catalog,
    expect: Value,
}

fn fixture(name: &str) -> String {
    let path = format!("{}/fixtures/text/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn catalog(set: &Value) -> Catalog {
    let sets: Value = serde_json::from_str(&fixture("tools.json")).unwrap();
    let tools = set.as_str().map(|set| import_tools(&sets[set]).unwrap());
    Catalog::new(&tools.unwrap_or_default())
}

fn samples() -> Vec<Sample> {
    let sample = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| value[key].as_str().unwrap().to_owned();
        let tags = value["tags"].as_array().unwrap().iter();
        Sample {
            id: text("id"),
            format: text("format"),
            tags: tags.map(|tag| tag.as_str().unwrap().to_owned()).collect(),
            text: text("text"),
            catalog: catalog(&value["tools"]),
            expect: value["expect"].clone(),
        }
    };
    fixture("samples.jsonl").lines().map(sample).collect()
}

fn parse(text: &str, catalog: &Catalog) -> Parsed {
    parse_with(text, catalog, Options::default())
}

/// Feeds a text cut at these places.
fn fed(text: &str, catalog: &Catalog, cuts: impl IntoIterator<Item = usize>) -> Parsed {
    fed_with(text, catalog, Options::default(), cuts)
}

fn fed_with(
    text: &str,
    catalog: &Catalog,
    options: Options,
    cuts: impl IntoIterator<Item = usize>,
) -> Parsed {
    let mut parser = Parser::new(catalog, options);
    let mut parsed = Parsed::default();
    let mut last = 0;
    for cut in cuts.into_iter().chain([text.len()]) {
        parser.push(&text[last..cut]).into_iter().for_each(|event| parsed.absorb(event));
        last = cut;
    }
    parser.finish().into_iter().for_each(|event| parsed.absorb(event));
    parsed
}

fn places(text: &str) -> Vec<usize> {
    text.char_indices().map(|(at, _)| at).skip(1).collect()
}

fn calls(parsed: &Parsed) -> Vec<Value> {
    parsed.calls().map(|call| json!([call.name, call.input])).collect()
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Equal with numbers compared by value.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn complaint(sample: &Sample, parsed: &Parsed) -> Option<String> {
    let expected = sample.expect["calls"].as_array().unwrap();
    let found: Vec<_> = parsed.calls().collect();
    let fits = found.len() == expected.len()
        && found.iter().zip(expected).all(|(call, expected)| {
            let id = expected.get("id").is_none_or(|id| call.id.as_deref() == id.as_str());
            id && expected["name"] == call.name && same(&call.input, &expected["input"])
        });
    if !fits {
        return Some(format!("{}: calls {found:#?}", sample.id));
    }
    for (key, text) in [("content", parsed.content()), ("reasoning", parsed.reasoning())] {
        let unchecked = key == "content" && sample.expect.get("content_mode").is_some();
        let Some(expected) = sample.expect.get(key).filter(|_| !unchecked) else { continue };
        if collapsed(expected.as_str().unwrap_or("")) != collapsed(&text) {
            return Some(format!("{}: {key} {text:?}", sample.id));
        }
    }
    None
}

#[test]
fn every_family_has_samples_and_every_sample_a_family() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for sample in samples() {
        assert!(find_format(&sample.format).is_some(), "{}", sample.id);
        *counts.entry(sample.format).or_default() += 1;
    }
    for format in FORMATS {
        assert!(counts.get(format.id).is_some_and(|&n| n >= 10), "{}", format.id);
    }
    assert_eq!(FORMATS.len(), 52);
}

#[test]
fn every_sample_gives_the_calls_the_content_and_the_reasoning_it_declares() {
    let wrong: Vec<_> = samples()
        .iter()
        .filter_map(|sample| complaint(sample, &parse(&sample.text, &sample.catalog)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_real_chat_templates_write_is_read_whole_and_in_pieces() {
    for line in fixture("templates.jsonl").lines() {
        let sample: Value = serde_json::from_str(line).unwrap();
        let (text, catalog) = (sample["text"].as_str().unwrap(), catalog(&sample["tools"]));
        let whole = parse(text, &catalog);
        let found: Vec<_> =
            whole.calls().map(|call| json!({"name": call.name, "input": call.input})).collect();
        assert_eq!(json!(found), sample["calls"], "{}", sample["id"]);
        assert_eq!(whole.problems().count(), 0, "{}", sample["id"]);
        assert_eq!(fed(text, &catalog, places(text)), whole, "{} by one character", sample["id"]);
    }
}

#[test]
fn a_text_means_the_same_however_it_is_cut_into_pieces() {
    for sample in samples() {
        let whole = parse(&sample.text, &sample.catalog);
        let places = places(&sample.text);
        let feed = |cuts: Vec<usize>| fed(&sample.text, &sample.catalog, cuts);
        assert_eq!(feed(places.clone()), whole, "{} by one character", sample.id);
        let fives = places.iter().copied().skip(4).step_by(5).collect();
        assert_eq!(feed(fives), whole, "{} by five characters", sample.id);
        for cut in places {
            assert_eq!(feed(vec![cut]), whole, "{} cut at {cut}", sample.id);
        }
    }
}

#[test]
fn a_call_comes_with_the_piece_that_completes_it() {
    for sample in samples() {
        let calls = |events: Vec<Event>| {
            events.iter().filter(|event| matches!(event, Event::Part(TextPart::Call(_)))).count()
        };
        let mut parser = Parser::new(&sample.catalog, Options::default());
        let (mut last, mut found) = (0, 0);
        for place in places(&sample.text) {
            found += calls(parser.push(&sample.text[last..place]));
            last = place;
            let mut at_once = Parser::new(&sample.catalog, Options::default());
            assert_eq!(calls(at_once.push(&sample.text[..place])), found, "{} {place}", sample.id);
        }
    }
}

#[test]
fn a_text_that_is_cut_short_never_holds_half_a_call() {
    // A call in reasoning that is closed later is none, but it is a whole one until then.
    for sample in samples().iter().filter(|sample| !sample.tags.contains(&"reasoning".to_owned())) {
        let whole = calls(&parse(&sample.text, &sample.catalog));
        for place in places(&sample.text) {
            for call in calls(&parse(&sample.text[..place], &sample.catalog)) {
                assert!(whole.contains(&call), "{} cut at {place}: {call}", sample.id);
            }
        }
    }
}

#[test]
fn each_family_is_told_from_the_others() {
    let mut matrix: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for sample in samples() {
        for call in parse(&sample.text, &sample.catalog).calls() {
            let shares = [&[call.family], call.ties.as_slice()].concat();
            let own = find_format(&sample.format).map(|format| format.id);
            let named = own.filter(|own| shares.contains(own)).unwrap_or(call.family);
            let row = matrix.entry(sample.format.clone()).or_default();
            *row.entry(named.to_owned()).or_default() += 1;
        }
    }
    insta::assert_json_snapshot!(matrix);
}

#[test]
fn a_hint_breaks_a_tie_and_no_more() {
    let none = Catalog::default();
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    let family = |hint: &str| {
        let options = Options { hint: find_format(hint), ..Options::default() };
        let parsed = parse_with(text, &none, options);
        parsed.calls().next().map(|call| (call.family, call.ties.clone()))
    };
    assert_eq!(family("hermes"), Some(("hermes", vec!["ernie45"])));
    assert_eq!(family("ernie45"), Some(("ernie45", vec!["hermes"])));
    assert_eq!(family("gpt-oss"), Some(("hermes", vec!["ernie45"])));
}

#[test]
fn a_forced_family_reads_nothing_else() {
    let none = Catalog::default();
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    let options = Options { only: find_format("gpt-oss"), ..Options::default() };
    let parsed = parse_with(text, &none, options);
    assert_eq!((parsed.calls().count(), parsed.content().as_str()), (0, text));
}

#[test]
fn nesting_without_end_is_refused_and_does_no_harm() {
    let none = Catalog::default();
    for open in ["[", "{\"a\":", "(", "{'a':["] {
        let deep = open.repeat(50_000);
        for opener in [
            "<tool_call>{\"name\":\"f\",\"arguments\":",
            "[TOOL_CALLS]f[ARGS]",
            "<|python_start|>[f(a=",
            "<|tool_call>call:f{a:",
        ] {
            assert_eq!(parse(&format!("{opener}{deep}"), &none).calls().count(), 0);
        }
    }
}

#[test]
fn text_is_handed_on_before_the_next_marker_comes() {
    let none = Catalog::default();
    let mut parser = Parser::new(&none, Options::default());
    let mut parsed = Parsed::default();
    parser.push("The answer is 4").into_iter().for_each(|event| parsed.absorb(event));
    assert_eq!(parsed.parts, [TextPart::Text("The answer is 4".to_owned())]);
}

#[test]
fn what_once_went_wrong_stays_right() {
    let catalog = catalog(&json!("harbour"));
    for line in fixture("regressions.txt").lines() {
        let text: String = serde_json::from_str(line).unwrap();
        let whole = parse(&text, &catalog);
        assert_eq!(fed(&text, &catalog, places(&text)), whole, "{text:?}");
    }
}

/// One way of spoiling a text.
#[derive(Debug, Clone)]
enum Damage {
    Delete(prop::sample::Index, usize),
    Double(prop::sample::Index, usize),
    Insert(prop::sample::Index, &'static str),
    Splice(prop::sample::Index, prop::sample::Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let scraps = prop::sample::select(vec![
        "\"",
        "'",
        "{",
        "}",
        "]",
        "\\",
        "<",
        "`",
        "```",
        "\n",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<|channel|>",
        "Action:",
        "[TOOL_CALLS]",
        "é",
        "\u{1F680}",
        "\0",
    ]);
    prop_oneof![
        (any::<prop::sample::Index>(), 1..12_usize).prop_map(|(at, n)| Damage::Delete(at, n)),
        (any::<prop::sample::Index>(), 1..40_usize).prop_map(|(at, n)| Damage::Double(at, n)),
        (any::<prop::sample::Index>(), scraps).prop_map(|(at, scrap)| Damage::Insert(at, scrap)),
        any::<(prop::sample::Index, prop::sample::Index)>()
            .prop_map(|(at, other)| Damage::Splice(at, other)),
    ]
}

fn spoiled(text: &str, damage: &[Damage], others: &[Sample]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for step in damage.iter().filter(|_| !text.is_empty()) {
        let length = chars.len().max(1);
        match step {
            Damage::Delete(at, n) => {
                let at = at.index(length).min(chars.len());
                chars.drain(at..(at + n).min(chars.len()));
            }
            Damage::Double(at, n) => {
                let at = at.index(length).min(chars.len());
                let copy = chars[at..(at + n).min(chars.len())].to_vec();
                chars.splice(at..at, copy);
            }
            Damage::Insert(at, scrap) => {
                let at = at.index(length).min(chars.len());
                chars.splice(at..at, scrap.chars());
            }
            Damage::Splice(at, other) => {
                let at = at.index(length).min(chars.len());
                let other = &others[other.index(others.len())].text;
                chars.splice(at.., other.chars().skip(other.chars().count() / 2));
            }
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(1500),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_texts_do_no_harm_and_mean_the_same_in_pieces(
        pick in any::<prop::sample::Index>(),
        damage in prop::collection::vec(damage(), 1..5),
        piece in 1..7_usize,
        forced in prop::bool::weighted(0.2),
    ) {
        let samples = CORPUS.with(|corpus| *corpus);
        let sample = &samples[pick.index(samples.len())];
        let text = spoiled(&sample.text, &damage, samples);
        let options = Options { only: find_format(&sample.format).filter(|_| forced), hint: None };
        let whole = parse_with(&text, &sample.catalog, options);
        let cuts = places(&text).into_iter().skip(piece - 1).step_by(piece);
        let cut = fed_with(&text, &sample.catalog, options, cuts);
        prop_assert_eq!(&cut, &whole, "{}", json!(text));
        for call in whole.calls() {
            prop_assert!(call.input.is_object() && !call.name.is_empty());
            prop_assert_eq!(text.get(call.span.clone()), Some(call.raw.as_str()));
        }
    }

    #[test]
    fn markers_without_anything_to_call_are_no_calls(
        words in prop::collection::vec(prop_oneof![opener(), scrap()], 1..12),
        piece in 1..7_usize,
    ) {
        let (text, catalog) = (words.concat(), catalog(&json!("harbour")));
        let whole = parse(&text, &catalog);
        prop_assert_eq!(whole.calls().count(), 0, "{}", json!(text));
        let cuts = places(&text).into_iter().skip(piece - 1).step_by(piece);
        prop_assert_eq!(&fed(&text, &catalog, cuts), &whole, "{}", json!(text));
    }
}

fn opener() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        FORMATS.iter().flat_map(|format| format.openers).copied().collect::<Vec<_>>(),
    )
}

/// What stands round markers in prose, in code and in reasoning.
fn scrap() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " and then ",
        "tide_table",
        "\n",
        "\n\n",
        "`",
        "```",
        "```json\n",
        "~~~",
        "\"",
        "'",
        "<",
        ">",
        "[",
        "]",
        "}",
        ":",
        "<think>",
        "</think>",
        "<|message|>",
        "<|end|>",
        "analysis",
        "é",
        "\\",
    ])
}

thread_local! {
    static CORPUS: &'static [Sample] = Box::leak(samples().into_boxed_slice());
}
