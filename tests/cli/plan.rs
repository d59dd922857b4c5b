//! `toolprobe plan`

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::Sim;
use crate::place::{LIGHT, Place, edit};

fn plan_of(place: &Place, name: &str) -> Value {
    let (code, out, err) = place.does(&["plan", name, "--format", "json"]);
    assert_eq!(code, Some(0), "{err}");
    serde_json::from_str(&out).unwrap()
}

fn kinds(plan: &Value) -> Vec<&str> {
    let corrections = plan["corrections"].as_array().unwrap();
    corrections.iter().map(|it| it["kind"].as_str().unwrap()).collect()
}

/// A place with a run of two models that became the snapshots.
fn probed() -> Place {
    let place = Place::with(&["openai-native", "qwen3-coder-xml"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    place
}

#[test]
fn a_plan_is_made_of_a_file_a_target_and_a_run() {
    let place = probed();
    let run = crate::only_run(&place.path("reports"));
    let by_target = plan_of(&place, "qwen3-coder-xml");
    assert_eq!(kinds(&by_target), ["parsing"]);
    assert_eq!(by_target["corrections"][0]["set"]["format"], "qwen3-coder");
    assert_eq!(by_target["corrections"][0]["because"][0], "results.singleTool");
    assert_eq!(plan_of(&place, "sim/qwen3-coder-xml"), by_target);
    let file =
        place.snapshots().into_iter().find(|it| it.to_str().unwrap().contains("qwen3")).unwrap();
    assert_eq!(plan_of(&place, file.to_str().unwrap()), by_target);
    let of_run = plan_of(&place, run.file_name().unwrap().to_str().unwrap());
    let models: Vec<&str> =
        of_run.as_array().unwrap().iter().map(|it| it["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["openai-native", "qwen3-coder-xml"]);
    assert_eq!(kinds(&of_run[0]), [""; 0]);
}

#[test]
fn a_plan_follows_from_the_results_whatever_the_profile_stores() {
    let place = probed();
    for file in place.snapshots() {
        edit(&file, |profile| profile["corrections"] = Value::Array(Vec::new()));
    }
    assert_eq!(kinds(&plan_of(&place, "qwen3-coder-xml")), ["parsing"]);
    let (_, table, _) = place.does(&["plan", "qwen3-coder-xml"]);
    assert!(table.contains("parsing  read qwen3-coder from the text"), "{table}");
    let (_, table, _) = place.does(&["plan", "openai-native"]);
    assert_eq!(table, "sim/openai-native: nothing to correct\n");
}

#[test]
fn a_target_goes_by_the_name_that_its_user_gave_it() {
    let (one, two, place) = (Sim::start(), Sim::start(), Place::with(&[]));
    let target = |(name, sim): (&str, &Sim)| {
        let url = &sim.url;
        format!("[[targets]]\nname = '{name}'\nbase_url = '{url}'\nmodel = 'qwen3-coder-xml'\n")
    };
    let targets = [("house", &one), ("mansion", &two)].map(target);
    fs::write(place.path("toolprobe.toml"), targets.concat()).unwrap();
    place.exits(0, &["run", "--suite", "light"]);
    place.exits(0, &["accept"]);
    let of_house = |it: &PathBuf| it.to_str().unwrap().contains("house");
    let healthy = place.snapshots().into_iter().find(of_house).unwrap();
    edit(&healthy, |profile| profile["results"] = json!({}));
    assert_eq!(kinds(&plan_of(&place, "house")), [""; 0]);
    assert_eq!(kinds(&plan_of(&place, "mansion")), ["parsing"]);
}

#[test]
fn what_is_neither_a_profile_nor_a_run_is_named() {
    let place = Place::with(&[]);
    fs::create_dir(place.path("nothing")).unwrap();
    assert!(place.exits(2, &["plan", "nothing"]).contains("there is no profile in 'nothing'"));
    let said = place.exits(2, &["plan", "no-such-thing"]);
    assert!(said.contains("'no-such-thing' is neither a profile"), "{said}");
}

#[test]
fn plans_keep_to_their_published_schema() {
    let place = probed();
    let schema: Value = serde_json::from_str(&place.does(&["schema", "plan"]).1).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&plan_of(&place, "qwen3-coder-xml")));
    assert!(!validator.is_valid(&Value::from(1)));
}
