//! Text formats: no text brings the parser down, and pieces give what the whole gives.

use std::sync::LazyLock;

use serde_json::Value;
use toolprobe::textcall::{Catalog, Options, Parsed, Parser, parse};
use toolprobe::tools::import_tools;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let tools = include_str!("../../fixtures/text/tools.json");
    let tools = serde_json::from_str::<Value>(tools).unwrap_or_default();
    let tools = tools.get("harbour").and_then(|tools| import_tools(tools).ok());
    Catalog::new(&tools.unwrap_or_default())
});

/// Looks for calls in a text, whole and letter by letter.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let whole = parse(text, &CATALOG, Options::default());
    let mut parser = Parser::new(&CATALOG, Options::default());
    let mut pieces = Parsed::default();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let (piece, after) = rest.split_at(next.len_utf8());
        parser.push(piece).into_iter().for_each(|event| pieces.absorb(event));
        rest = after;
    }
    parser.finish().into_iter().for_each(|event| pieces.absorb(event));
    assert_eq!(pieces, whole);
}
