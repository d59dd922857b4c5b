//! Tables of the pages: do they name everything that is in the registries and schemas?

use std::fs;

use clap::ValueEnum as _;
use serde_json::Value;
use toolprobe::adapt::exports::Export;

use crate::{pages, root, toolprobe};

#[test]
fn the_page_of_probes_names_every_probe_and_its_suite() {
    let page = pages::named("probes").text;
    for entry in fs::read_dir(root().join("probes")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let id = path.file_stem().unwrap().to_str().unwrap();
        assert!(page.contains(&format!("| `{id}` |")), "docs/probes.md lacks {id}");
    }
}

#[test]
fn the_page_of_profiles_names_every_field() {
    let page = pages::named("profile").text;
    let schema = schema("profile");
    for field in names(part(&schema, &[])) {
        assert!(page.contains(&format!("`{field}`")), "docs/profile.md lacks {field}");
    }
    for field in names(part(&schema, &["results"])) {
        assert!(page.contains(&format!("`results.{field}`")), "docs/profile.md lacks {field}");
    }
}

#[test]
fn the_page_of_exports_names_every_program() {
    let page = pages::named("exports").text;
    for export in Export::value_variants() {
        let name = export.to_possible_value().unwrap().get_name().to_owned();
        assert!(page.contains(&format!("`{name}`")), "docs/exports.md lacks {name}");
    }
}

#[test]
fn the_page_of_metrics_names_every_metric() {
    let page = pages::named("metrics").text;
    for metric in names(part(&schema("profile"), &["metrics"])) {
        assert!(page.contains(&format!("`{metric}`")), "docs/metrics.md lacks {metric}");
    }
}

#[test]
fn the_page_of_configuration_names_every_setting() {
    let page = pages::named("configuration").text;
    let schema = schema("config");
    for path in [
        &["defaults"][..],
        &["defaults", "timeouts"],
        &["defaults", "limits"],
        &["targets"],
        &["targets", "variants"],
    ] {
        for setting in names(part(&schema, path)) {
            assert!(
                page.contains(&format!("`{setting}`")),
                "docs/configuration.md lacks {setting}"
            );
        }
    }
}

#[test]
fn the_page_of_policies_names_every_part_of_a_policy() {
    let page = pages::named("policy").text;
    let schema = schema("policy");
    for table in ["rule", "exception"] {
        for setting in names(part(&schema, &[table])) {
            assert!(page.contains(&format!("`{setting}`")), "docs/policy.md lacks {setting}");
        }
    }
    for setting in ["level", "class", "severity", "effect"] {
        for value in part(&schema, &["rule", setting])["oneOf"].as_array().unwrap() {
            let value = value["const"].as_str().unwrap();
            assert!(page.contains(&format!("`{value}`")), "docs/policy.md lacks {value}");
        }
    }
}

#[test]
fn the_front_page_is_short_and_names_the_rust_version() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let version = env!("CARGO_PKG_RUST_VERSION");
    assert!(page.contains(&format!("Rust {version}")), "README.md lacks Rust {version}");
    assert!(page.lines().count() <= 150, "move what is not for the first minute to docs/");
}

fn schema(kind: &str) -> Value {
    serde_json::from_str(&toolprobe(root(), &["schema", kind])).unwrap()
}

/// The schema of a property, reached by names; of a list, the schema of its items.
fn part<'a>(schema: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(schema, |at, name| resolved(&at["properties"][name], schema))
}

/// Follows references, optional values and lists to what a reader would write.
fn resolved<'a>(at: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(path) = at["$ref"].as_str() {
        return resolved(schema.pointer(path.trim_start_matches('#')).unwrap(), schema);
    }
    match (at.get("anyOf"), at.get("items")) {
        (Some(choices), _) => resolved(&choices[0], schema),
        (None, Some(items)) => resolved(items, schema),
        (None, None) => at,
    }
}

/// The names of an object's properties; there must be some.
fn names(object: &Value) -> Vec<&String> {
    let names: Vec<&String> = object["properties"].as_object().unwrap().keys().collect();
    assert!(!names.is_empty());
    names
}
