//! Changes as SARIF 2.1.0, which code hosts show as findings of a scanner.

use std::collections::BTreeMap;

use percent_encoding::utf8_percent_encode;
use serde_json::{Value, json};

use super::{ChangeEntry, Changes, change_line};
use crate::ir::Digest;
use crate::regress::{Level, explain};
use crate::report::links::UNSAFE;

/// One result per change; the rules are the codes that occur.
pub(crate) fn changes_sarif(changes: &Changes<'_>) -> Value {
    let codes: BTreeMap<&str, Value> =
        changes.entries.iter().map(|it| it.change.code.as_str()).map(|it| (it, rule(it))).collect();
    let results: Vec<Value> = changes.entries.iter().map(|it| result(it, changes)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "toolprobe",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.into_values().collect::<Vec<_>>(),
            }},
            "results": results,
        }],
    })
}

fn rule(code: &str) -> Value {
    let known = explain(code).into_iter().next();
    let (meaning, remedy) = known.map(|it| (it.meaning, it.remedy)).unwrap_or_default();
    json!({"id": code, "shortDescription": {"text": meaning}, "help": {"text": remedy}})
}

fn result(entry: &ChangeEntry<'_>, changes: &Changes<'_>) -> Value {
    let level = match entry.level() {
        Level::Deny => "error",
        Level::Inconclusive | Level::Warn => "warning",
        Level::Allow => "note",
    };
    json!({
        "ruleId": entry.change.code.as_str(),
        "level": level,
        "message": {"text": without_links(&change_line(entry))},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&changes.location(entry.change))},
                "region": {"startLine": 1},
            },
            "logicalLocations": [{"fullyQualifiedName": entry.change.target}],
        }],
        "partialFingerprints": {"toolprobe/v1": fingerprint(entry).hex()},
    })
}

/// A text in which SARIF finds no link: names are made by others.
fn without_links(text: &str) -> String {
    text.replace("](", "\\](")
}

/// A path as a relative URI.
fn uri(path: &str) -> String {
    utf8_percent_encode(&path.replace('\\', "/"), UNSAFE).to_string()
}

/// The same change of the same target is the same finding, in every run.
pub(super) fn fingerprint(entry: &ChangeEntry<'_>) -> Digest {
    let change = entry.change;
    Digest::of(format!("{}\n{}\n{}", change.target, change.code, change.at.field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_names_of_the_users_make_neither_a_broken_uri_nor_a_link() {
        assert_eq!(uri("my profiles/a%b#1.json"), "my%20profiles/a%25b%231.json");
        assert_eq!(uri("profiles\\a.json"), "profiles/a.json");
        assert_eq!(without_links("x[click](http://evil)"), "x[click\\](http://evil)");
    }
}
