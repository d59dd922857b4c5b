//! Budgets: what a run may spend, whatever servers say of what it spent

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use crate::place::Place;
use crate::{Sim, only_run};

/// A server that answers every chat with a word, and says that it cost this.
fn server_that_tells(usage: &Value) -> String {
    let message = json!({"role": "assistant", "content": "hi"});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    let body = json!({"id": "c", "model": "m", "choices": [choice], "usage": usage}).to_string();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let body = body.clone();
            thread::spawn(move || answer(stream, &body));
        }
    });
    url
}

fn answer(mut stream: TcpStream, body: &str) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut line, mut length) = (String::new(), 0);
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).ok()
}

fn manifest(place: &Place) -> Value {
    let path = only_run(&place.path("reports")).join("manifest.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn target(name: &str, url: &str, model: &str) -> String {
    format!(
        "[[targets]]\nname = '{name}'\nbase_url = '{url}'\nmodel = '{model}'\n\
         dialect = 'openai-chat'\n"
    )
}

#[test]
fn what_one_server_says_it_cost_does_not_end_the_run_of_another() {
    let place = Place::with(&["openai-native"]);
    let sim = Sim::of_folder(&place.path("models"));
    for usage in [
        json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX}),
        json!({"prompt_tokens": -5, "completion_tokens": 1e30}),
        json!({"prompt_tokens": 100_000_000, "completion_tokens": 7}),
        json!("a lot"),
    ] {
        let liar = target("liar", &server_that_tells(&usage), "m");
        let honest = target("honest", &format!("{}/v1", sim.url), "openai-native");
        fs::write(place.path("toolprobe.toml"), format!("{liar}{honest}")).unwrap();
        let light = ["run", "--suite", "light", "--trials", "1", "--jobs", "1"];
        place.exits(0, &[&light[..], &["--max-tokens-total", "500000"]].concat());
        let totals = &manifest(&place)["totals"];
        let spent =
            totals["promptTokens"].as_u64().unwrap() + totals["completionTokens"].as_u64().unwrap();
        assert!((1..500_000).contains(&spent), "{usage}: {totals}");
        fs::remove_dir_all(place.path("reports")).unwrap();
    }
}

#[test]
fn a_count_that_cannot_be_is_noted_as_a_defect() {
    let place = Place::with(&[]);
    for (usage, defect) in [
        (json!({"prompt_tokens": u64::MAX, "completion_tokens": 3}), "usage-implausible"),
        (Value::Null, "usage-missing"),
    ] {
        let url = server_that_tells(&usage);
        let args = ["probe", &url, "--model", "m", "--dialect", "openai-chat", "--suite", "light"];
        let said = place.exits(0, &[&args[..], &["--trials", "1", "--format", "json"]].concat());
        assert!(said.contains(defect), "{said}");
    }
}

#[test]
fn money_is_counted_by_the_prices_of_the_models_and_ends_a_run() {
    let place = Place::with(&["openai-native"]);
    let light = |code, more: &[&str]| {
        let light = ["run", "--models", "models", "--suite", "light", "--trials", "1"];
        place.exits(code, &[&light[..], more].concat())
    };
    let said = light(2, &["--max-cost", "1"]);
    assert!(said.contains("the price of 'openai-native' is not known"), "{said}");
    let said = light(2, &["--max-cost=-1"]);
    assert!(said.contains("is not an amount such as 2.50"), "{said}");

    let prices = "[models.openai-native]\nprompt = 1000\ncompletion = 1000\n";
    fs::write(place.path("prices.toml"), prices).unwrap();
    let said = light(3, &["--max-cost", "0.5", "--prices", "prices.toml"]);
    assert!(said.contains("the budget of 0.5000 is used up"), "{said}");
    assert!(said.contains("raise it with --max-cost"), "{said}");
    assert_eq!(manifest(&place)["cost"], 0.0);

    let more = ["run", "--resume", "--models", "models", "--prices", "prices.toml"];
    place.exits(0, &[&more[..], &["--max-cost", "50"]].concat());
    let manifest = manifest(&place);
    let tokens = ["promptTokens", "completionTokens"].map(|it| manifest["totals"][it].as_f64());
    let cost = tokens.iter().flatten().sum::<f64>() / 1000.0;
    assert!((manifest["cost"].as_f64().unwrap() - cost).abs() < 1e-9, "{manifest}");
    assert_eq!(manifest["budget"]["maxCost"], 50.0);
}

#[test]
fn a_trial_that_the_budget_refused_is_asked_when_the_run_goes_on() {
    let light = ["run", "--models", "models", "--suite", "light", "--trials", "3"];
    let whole = Place::with(&["openai-native"]);
    whole.exits(0, &light);
    let requests = manifest(&whole)["totals"]["requests"].as_u64().unwrap();

    // Enough for a verdict on everything, and too little for the last trial.
    let place = Place::with(&["openai-native"]);
    let budget = (requests - 1).to_string();
    let said = place.exits(3, &[&light[..], &["--max-requests", &budget]].concat());
    assert!(said.contains("the budget is used up: not every trial was asked"), "{said}");
    place.exits(0, &["run", "--resume", "--models", "models", "--max-requests", "1000"]);
    let counts = |place: &Place| {
        let folder = only_run(&place.path("reports")).join("profiles");
        let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let profile: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let results = ["singleTool", "closedLoop"].map(|name| profile["results"][name].clone());
        results.map(|it| (it["status"].clone(), it["passes"].clone(), it["trials"].clone()))
    };
    assert_eq!(counts(&place), counts(&whole));
}
