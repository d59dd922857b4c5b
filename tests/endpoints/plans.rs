//! Does a plan regain what endpoints written apart from the simulator lose, and lose nothing itself?

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::chat::{self, good, hermes, mind, word, written};
use crate::forced::reluctant;
use crate::mind::Says;
use crate::places::PLACES;
use crate::probe;
use crate::server::{Asked, Script, Server};

const CHAT: &str = "/v1/chat/completions";

/// Findings that no adapter can bring back: the plan makes them safe instead. As in `ci/plan_check.py`.
const SAFE_INSTEAD: [&str; 6] = [
    "results.parallelTool",
    "results.history.shapes.trimmed-reasoning",
    "results.errorRepair",
    "results.closedLoop",
    "results.singleTool",
    "results.schema",
];

/// The minds of these endpoints follow the words of a probe and hear neither a choice nor other words.
const UNHEARD: &str = "results.extended.tool-choice.";

/// The endpoint without its plan and with it.
async fn compare(behaviour: fn(&Asked) -> Script, path: &str, suite: &str) -> Value {
    let server = Server::start(behaviour).await;
    let args = ["--with-plan", "--suite", suite, "--trials", "1", "--timeout", "20s"];
    let verdict = probe(&server.at(path), &args).await;
    assert_eq!(verdict.code, Some(0), "{}", verdict.errors);
    verdict.profile
}

/// What got worse, and what is still lacking though it could be corrected.
pub(crate) fn problems(compared: &Value) -> Vec<String> {
    let gains = compared["gains"].as_array().unwrap().iter();
    let has_plan = !compared["plan"]["corrections"].as_array().unwrap().is_empty();
    let is_problem = |gain: &&Value| match gain["change"].as_str().unwrap() {
        "lost" => true,
        "lacking" => {
            let finding = gain["finding"].as_str().unwrap();
            has_plan && !SAFE_INSTEAD.contains(&finding) && !finding.starts_with(UNHEARD)
        }
        _ => false,
    };
    gains.filter(is_problem).map(ToString::to_string).collect()
}

fn regained(compared: &Value) -> Vec<&str> {
    let gains = compared["gains"].as_array().unwrap().iter();
    let regained = gains.filter(|gain| gain["change"] == "regained");
    regained.map(|gain| gain["finding"].as_str().unwrap()).collect()
}

fn calls_in_text(asked: &Asked) -> Script {
    chat::answer(asked, &written(&mind(asked), hermes))
}

fn only_taught(asked: &Asked) -> Script {
    if chat::has_tools(asked) {
        return chat::refusal(400, "this model does not support tools");
    }
    let system = asked.body["messages"][0]["content"].as_str().unwrap_or_default();
    let message = match mind(asked) {
        says @ Says::Calls(_) if system.contains("<tool_call>") => written(&says, hermes),
        Says::Calls(_) => json!({"role": "assistant", "content": "I only talk."}),
        says @ Says::Words(_) => chat::message(&says, word),
    };
    chat::answer(asked, &message)
}

fn streams_lose_arguments(asked: &Asked) -> Script {
    let message = good(asked);
    if !chat::is_streamed(asked) || !message["tool_calls"].is_array() {
        return chat::answer(asked, &message);
    }
    let mut deltas = chat::deltas(&message, 9);
    deltas.retain(|delta| delta["tool_calls"][0].get("id").is_some());
    let text = chat::events(&deltas, "tool_calls", "\n");
    Script::stream("text/event-stream", vec![text.into_bytes()])
}

fn numbers_become_text(asked: &Asked) -> Script {
    let text = |value: Value| if value.is_string() { value } else { json!(value.to_string()) };
    let texts = |(name, arguments): (String, Value)| {
        let map = arguments.as_object().unwrap().clone().into_iter();
        (name, map.map(|(key, value)| (key, text(value))).collect())
    };
    let says = match mind(asked) {
        Says::Calls(calls) => Says::Calls(calls.into_iter().map(texts).collect()),
        says @ Says::Words(_) => says,
    };
    chat::answer(asked, &chat::message(&says, word))
}

/// Ids of 70 letters, which are refused when they come back; and words of the user right after results, which are too.
fn refuses_its_own_ids(asked: &Asked) -> Script {
    let messages = asked.body["messages"].as_array().unwrap();
    let ids = messages.iter().flat_map(|it| it["tool_calls"].as_array().into_iter().flatten());
    if ids.into_iter().any(|call| call["id"].as_str().unwrap().len() > 40) {
        return chat::refusal(400, "tool_calls[0].id: string too long, at most 40 characters");
    }
    if messages.windows(2).any(|it| it[0]["role"] == "tool" && it[1]["role"] == "user") {
        return chat::refusal(400, "Unexpected role 'user' after role 'tool'");
    }
    let long = |index: usize| json!(format!("call_{index}_{}", "x".repeat(64)));
    chat::answer(asked, &chat::message(&mind(asked), long))
}

/// An endpoint that nobody here wrote the simulator for.
type Stranger = fn(&Asked) -> Script;

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_regains_what_strangers_lose_and_makes_nothing_worse() {
    let strangers: [(Stranger, &str); 5] = [
        (refuses_its_own_ids, "results.closedLoop"),
        (calls_in_text, "results.singleTool.layer"),
        (only_taught, "results.singleTool.layer"),
        (streams_lose_arguments, "results.streaming"),
        (numbers_become_text, "results.schema"),
    ];
    let compared = stream::iter(strangers).map(async |(behaviour, finding)| {
        let compared = compare(behaviour, CHAT, "standard").await;
        assert_eq!(problems(&compared), Vec::<String>::new(), "{:#}", compared["plan"]);
        assert!(regained(&compared).contains(&finding), "{finding}: {:#}", compared["gains"]);
    });
    compared.buffer_unordered(5).collect::<Vec<()>>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_defect_hides_of_another_is_corrected_too() {
    let compared = compare(refuses_its_own_ids, CHAT, "standard").await;
    let corrections = compared["plan"]["corrections"].as_array().unwrap();
    let kinds: Vec<&str> = corrections.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["result-placement", "ids"], "{:#}", compared["plan"]);
    let shape = &compared["after"]["results"]["history"]["shapes"]["text-after-results"]["taken"];
    assert_ne!(shape, "rejected", "{:#}", compared["after"]["results"]["history"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_calls_only_under_force_calls_by_itself_with_its_plan() {
    let [(path, _), ..] = PLACES;
    let compared = compare(|asked| reluctant(asked, PLACES[0].1), path, "standard").await;
    assert_eq!(compared["before"]["toolDelivery"], "forced");
    assert_eq!(compared["plan"]["corrections"][0]["set"]["tools"], "forced");
    assert_eq!(compared["after"]["toolDelivery"], "native", "{:#}", compared["gains"]);
    assert_eq!(compared["after"]["results"]["closedLoop"]["status"], "pass");
    assert_eq!(problems(&compared), Vec::<String>::new());
}
