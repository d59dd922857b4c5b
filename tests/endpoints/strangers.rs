//! What is found out about servers that behave like those out there, in words of their own?

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use serde_json::{Value, json};

use crate::chat::{good, hermes, mind, word, written};
use crate::mind::{Heard, Says, obey};
use crate::places::{PLACES, SPEAKERS};
use crate::server::{Asked, Script, Server};
use crate::{Verdict, chat, probe};

const CHAT: &str = "/v1/chat/completions";

async fn met(path: &str, behaviour: impl Fn(&Asked) -> Script + Send + Sync + 'static) -> Verdict {
    let server = Server::start(behaviour).await;
    let verdict = probe(&server.at(path), &["--trials", "2", "--timeout", "20s"]).await;
    assert_eq!(verdict.code, Some(0), "{}{:#}", verdict.errors, verdict.profile);
    verdict
}

impl Verdict {
    #[track_caller]
    fn is(&self, expected: &Value) -> &Self {
        for (field, expected) in expected.as_object().unwrap() {
            let found = &self.profile[field];
            assert_eq!(found, expected, "{field}, {:#?}", self.reasons());
        }
        self
    }

    fn reasons(&self) -> Vec<String> {
        let results = self.profile["results"].as_object().unwrap().keys();
        results.map(|name| format!("{name} {:?}", self.result(name))).collect()
    }

    #[track_caller]
    fn says(&self, result: &str, status: &str, words: &str) -> &Self {
        let (found, reason) = self.result(result);
        assert!(found == status && reason.contains(words), "{result} is {found}: {reason}");
        self
    }
}

/// What everything does that works.
fn all_right(format: &str) -> Value {
    json!({
        "toolCallFormat": format, "toolDelivery": "native", "schemaLevel": "strict-json-schema",
        "supportsParallelToolUse": true, "supportsStreamingToolUse": true, "errorRepair": "reliable"
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn single_bytes_and_carriage_returns_are_no_trouble_but_numbers_as_ids_break_clients() {
    let verdict = met(CHAT, |asked| {
        let message = chat::message(&mind(asked), |index| json!(7000 + index));
        if !chat::is_streamed(asked) {
            return chat::reply(&message);
        }
        let finish = if message["tool_calls"].is_array() { "tool_calls" } else { "stop" };
        let text = chat::events(&chat::deltas(&message, 1), finish, "\r\n");
        let bytes = text.into_bytes().into_iter().map(|byte| vec![byte]);
        Script::stream("text/event-stream; charset=utf-8", bytes.collect())
    })
    .await;
    let mut expected = all_right("openai");
    for field in ["supportsStreamingToolUse", "supportsPlainToolUse", "supportsParallelToolUse"] {
        expected[field] = json!(false);
    }
    verdict.is(&expected).says("closedLoop", "pass", "").says("parallelTool", "pass", "");
    verdict.says("singleTool", "partial", "id-not-string breaks ai-sdk, langchain, openai");
    verdict.says("streaming", "partial", "id-not-string breaks ai-sdk, langchain, openai");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyword_that_is_refused_every_time_makes_the_schema_partial_in_any_dialect() {
    for (path, healthy) in PLACES {
        let server = Server::start(move |asked| {
            let tools = asked.body["tools"].to_string();
            if tools.contains("\"pattern\"") {
                return chat::refusal(400, "no pattern here");
            }
            healthy(asked)
        })
        .await;
        let args = ["--trials", "1", "--timeout", "20s", "--require", "schema"];
        let verdict = probe(&server.at(path), &args).await;
        verdict.says("schema", "partial", "no pattern here");
        assert_eq!(verdict.code, Some(1), "{path}: {}", verdict.errors);
    }
}

/// Writes the arguments of every call as a string that holds JSON.
fn as_strings(says: Says) -> Says {
    match says {
        Says::Calls(calls) => Says::Calls(
            calls.into_iter().map(|(name, input)| (name, json!(input.to_string()))).collect(),
        ),
        says @ Says::Words(_) => says,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_arrive_as_a_string_break_ordinary_clients_in_any_dialect() {
    for ((path, _), speak) in PLACES.into_iter().zip(SPEAKERS) {
        let verdict = met(path, move |asked| speak(asked, as_strings)).await;
        for (result, field) in
            [("singleTool", "supportsPlainToolUse"), ("streaming", "supportsStreamingToolUse")]
        {
            verdict.says(result, "partial", " breaks ");
            assert_eq!(verdict.profile[field], false, "{path}");
            let breaks = &verdict.profile["results"][result]["breaks"][0]["clients"];
            assert!(breaks.as_array().is_some_and(|it| it.len() >= 2), "{path}: {breaks}");
        }
        // Who loses one call loses two, however many our decoder reads.
        verdict.says("closedLoop", "pass", "").says("parallelTool", "pass", "");
        assert_eq!(verdict.profile["supportsParallelToolUse"], false, "{path}");
    }
}

/// Calls with a value that nobody asked for.
fn with_other_values(says: Says) -> Says {
    let spoil = |input: Value| match input {
        Value::Object(fields) => {
            let spoil = |value: Value| match value {
                Value::String(text) if text.len() > 6 => json!(format!("{text}-or-so")),
                other => other,
            };
            fields.into_iter().map(|(key, value)| (key, spoil(value))).collect()
        }
        other => other,
    };
    match says {
        Says::Calls(calls) => {
            Says::Calls(calls.into_iter().map(|(name, input)| (name, spoil(input))).collect())
        }
        says @ Says::Words(_) => says,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_with_other_values_is_not_no_call_in_any_dialect() {
    for ((path, _), speak) in PLACES.into_iter().zip(SPEAKERS) {
        let verdict = met(path, move |asked| speak(asked, with_other_values)).await;
        verdict.says("singleTool", "fail", "a call with other values than asked for");
        // The model is to blame, and not how its calls arrive.
        verdict.is(&json!({
            "toolDelivery": "native", "supportsPlainToolUse": null, "supportsStreamingToolUse": true
        }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hermes_calls_between_prose_are_the_models_and_the_server_left_them_there() {
    let verdict = met(CHAT, |asked| {
        let mut message = written(&mind(asked), hermes);
        if let Some(text) = message["content"].as_str().filter(|text| text.contains("<tool_call>"))
        {
            message["content"] = json!(format!("Certainly! I will use a tool for this.\n\n{text}"));
        }
        chat::answer(asked, &message)
    })
    .await;
    verdict.is(&json!({
        "toolCallFormat": "json-text", "parser": "hermes", "toolDelivery": "native",
        "supportsParallelToolUse": true, "supportsStreamingToolUse": true,
        "errorRepair": "reliable"
    }));
    verdict.says("singleTool", "pass", "the model wrote it, the server left it there");
    assert_eq!(verdict.profile["results"]["singleTool"]["layer"], "content");
}

#[tokio::test(flavor = "multi_thread")]
async fn xml_calls_in_the_text_are_read_by_the_declared_types() {
    let verdict = met(CHAT, |asked| {
        let message = written(&mind(asked), |name, arguments| {
            let parameter = |(key, value): (&String, &Value)| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("<parameter={key}>\n{text}\n</parameter>\n")
            };
            let parameters: String = arguments.as_object().unwrap().iter().map(parameter).collect();
            format!("<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>")
        });
        chat::answer(asked, &message)
    })
    .await;
    let expected =
        json!({"toolCallFormat": "xml", "parser": "qwen3-coder", "errorRepair": "reliable"});
    verdict.is(&expected).says("closedLoop", "pass", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_stays_in_the_reasoning_is_found_there() {
    let verdict = met(CHAT, |asked| {
        let says = mind(asked);
        let mut message = written(&says, hermes);
        if !says.calls().is_empty() {
            message["reasoning_content"] = message["content"].take();
            message["content"] = json!("");
        }
        chat::answer(asked, &message)
    })
    .await;
    verdict.says("singleTool", "pass", "in the reasoning");
    assert_eq!(verdict.profile["results"]["singleTool"]["layer"], "reasoning");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_without_native_tools_is_taught() {
    let verdict = met(CHAT, |asked| {
        if chat::has_tools(asked) {
            return chat::refusal(400, "registry.example/library/m:latest does not support tools");
        }
        let system = asked.body["messages"][0]["content"].as_str().unwrap_or_default();
        let message = match mind(asked) {
            // It never learnt to write a fence.
            says @ Says::Calls(_) if system.contains("<tool_call>") => written(&says, hermes),
            Says::Calls(_) => {
                json!({"role": "assistant", "content": "I am only a language model."})
            }
            says @ Says::Words(_) => chat::message(&says, word),
        };
        chat::answer(asked, &message)
    })
    .await;
    verdict.is(&json!({
        "toolCallFormat": "json-text", "toolDelivery": "prompted:tool-call", "parser": "hermes",
        "errorRepair": "reliable"
    }));
    let native = verdict.profile["results"]["singleTool"]["rungs"]["native"].to_string();
    assert!(native.contains("does not support tools"), "{native}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_parser_and_a_model_that_only_talks_have_no_calls() {
    let verdict = met(CHAT, |asked| {
        if chat::has_tools(asked) {
            let words = "\"auto\" tool choice requires --enable-auto-tool-choice and \
                         --tool-call-parser to be set";
            let body = json!({"object": "error", "message": words, "type": "BadRequestError", "code": 400});
            return Script::json(400, &body);
        }
        chat::answer(asked, &json!({"role": "assistant", "content": "What a lovely day."}))
    })
    .await;
    verdict.is(&json!({
        "toolCallFormat": "none", "schemaLevel": "none", "supportsParallelToolUse": null,
        "supportsStreamingToolUse": null, "errorRepair": null
    }));
    verdict.says("singleTool", "fail", "--enable-auto-tool-choice");
    assert_eq!(verdict.profile["results"]["singleTool"]["control"], "a reply without tools");
    verdict.says("closedLoop", "skipped", "no call works");
}

#[tokio::test(flavor = "multi_thread")]
async fn reasoning_that_must_come_back_is_required_however_the_server_says_so() {
    let verdict = met(CHAT, |asked| {
        let messages = asked.body["messages"].as_array().unwrap();
        let lost = messages.iter().position(|message| {
            message["tool_calls"].is_array() && message["reasoning_content"].as_str().is_none()
        });
        if let Some(index) = lost {
            let words = format!("turn #{index} was produced with thinking; its trace is gone");
            return chat::refusal(422, &words);
        }
        let mut message = good(asked);
        message["reasoning_content"] = json!("The user wants something. I do it.");
        chat::answer(asked, &message)
    })
    .await;
    verdict.is(&json!({
        "toolCallFormat": "openai", "requiresReasoningReplay": true,
        "reasoningReplay": {"mode": "required", "field": "reasoning_content"},
        "supportsParallelToolUse": true, "errorRepair": "reliable"
    }));
    verdict.says("reasoningReplay", "pass", "its trace is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_is_ignored_is_not_one_that_is_refused() {
    let ignored = met(CHAT, |asked| chat::answer(asked, &good(asked))).await;
    assert_eq!(ignored.profile["results"]["parallelTool"]["offSwitch"], "ignored");
    let refused = met(CHAT, |asked| {
        if asked.body.get("parallel_tool_calls").is_some() {
            return chat::refusal(400, "extra inputs are not permitted: parallel_tool_calls");
        }
        chat::answer(asked, &good(asked))
    })
    .await;
    refused.is(&all_right("openai"));
    assert_eq!(refused.profile["results"]["parallelTool"]["offSwitch"], "rejected");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_calls_once_at_a_time_does_all_else() {
    let verdict = met(CHAT, |asked| {
        let says = match mind(asked) {
            Says::Calls(calls) => Says::Calls(calls.into_iter().take(1).collect()),
            says @ Says::Words(_) => says,
        };
        chat::answer(asked, &chat::message(&says, word))
    })
    .await;
    verdict.is(&json!({
        "toolCallFormat": "openai", "supportsParallelToolUse": false,
        "supportsStreamingToolUse": true, "errorRepair": "reliable"
    }));
    verdict.says("parallelTool", "fail", "one call of 2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_loses_arguments_is_to_blame_and_the_plain_reply_is_its_control() {
    let verdict = met(CHAT, |asked| {
        let message = good(asked);
        if !chat::is_streamed(asked) || !message["tool_calls"].is_array() {
            return chat::answer(asked, &message);
        }
        let mut deltas = chat::deltas(&message, 9);
        deltas.retain(|delta| delta["tool_calls"][0].get("id").is_some());
        let text = chat::events(&deltas, "tool_calls", "\n");
        Script::stream("text/event-stream", vec![text.into_bytes()])
    })
    .await;
    verdict.is(&json!({"toolCallFormat": "openai", "supportsStreamingToolUse": false}));
    verdict.says("streaming", "fail", "streamed: ");
    assert_eq!(verdict.profile["results"]["streaming"]["control"], "the plain twin");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_may_be_repaired_in_two_turns() {
    let verdict = met(CHAT, |asked| {
        let failures = chat::heard(&asked.body)
            .iter()
            .filter(|turn| matches!(turn, Heard::Result(text) if text.contains("is_error")))
            .count();
        let says = match mind(asked) {
            Says::Calls(calls) if failures == 1 => {
                let again = calls.into_iter().map(|(name, _)| (name, json!({"path": "./a.txt"})));
                Says::Calls(again.collect())
            }
            says => says,
        };
        chat::answer(asked, &chat::message(&says, word))
    })
    .await;
    verdict.is(&json!({"errorRepair": "reliable"})).says("errorRepair", "pass", "in 2 turns");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_that_is_only_explained_is_not_repaired() {
    let verdict = met(CHAT, |asked| {
        let failed = asked.body["messages"].to_string().contains("is_error");
        let sorry = Says::Words("I am afraid that the path has to be absolute.".to_owned());
        let says = if failed { sorry } else { mind(asked) };
        chat::answer(asked, &chat::message(&says, word))
    })
    .await;
    verdict.is(&json!({"errorRepair": "none"})).says("errorRepair", "fail", "explains instead");
}

#[tokio::test(flavor = "multi_thread")]
async fn preambles_repeated_calls_and_bold_type_change_nothing() {
    let verdict = met(CHAT, |asked| {
        let says = match mind(asked) {
            Says::Words(words) => Says::Words(words.replace("Receipt: ", "Receipt: **") + "**"),
            Says::Calls(calls) if calls.len() == 1 => Says::Calls([calls.clone(), calls].concat()),
            says @ Says::Calls(_) => says,
        };
        let mut message = chat::message(&says, word);
        if message["tool_calls"].is_array() {
            message["content"] = json!("Let me look that up for you.");
        }
        chat::answer(asked, &message)
    })
    .await;
    verdict.is(&json!({
        "toolCallFormat": "openai", "toolDelivery": "native", "supportsStreamingToolUse": true,
        "supportsParallelToolUse": true, "errorRepair": "reliable"
    }));
    verdict.says("closedLoop", "pass", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_all_become_strings_are_a_matter_of_the_schema_alone() {
    let verdict = met(CHAT, |asked| {
        let strung = |value: Value| match value {
            Value::String(text) => Value::String(text),
            other => Value::String(other.to_string()),
        };
        let says = match mind(asked) {
            Says::Calls(calls) => Says::Calls(
                calls
                    .into_iter()
                    .map(|(name, arguments)| {
                        let map = arguments.as_object().unwrap().clone().into_iter();
                        (name, map.map(|(key, value)| (key, strung(value))).collect())
                    })
                    .collect(),
            ),
            says @ Says::Words(_) => says,
        };
        chat::answer(asked, &chat::message(&says, word))
    })
    .await;
    verdict.is(&json!({
        "toolCallFormat": "openai", "schemaLevel": "string-only", "supportsParallelToolUse": true
    }));
    let failures = verdict.profile["results"]["schema"]["failures"].to_string();
    assert!(failures.contains("integer") && !failures.contains("enum"), "{failures}");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_that_never_reach_the_model_are_told_by_the_call_that_comes_again() {
    let verdict = met(CHAT, |asked| {
        let heard: Vec<Heard> = chat::heard(&asked.body)
            .into_iter()
            .filter(|turn| matches!(turn, Heard::User(_)))
            .collect();
        chat::answer(asked, &chat::message(&obey(&heard), word))
    })
    .await;
    verdict.says("singleTool", "pass", "").says("closedLoop", "fail", "called again");
    verdict.is(&json!({"errorRepair": "none"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_messages_server_that_wants_turns_to_alternate_gets_them() {
    let verdict = met(PLACES[1].0, PLACES[1].1).await;
    verdict.is(&all_right("anthropic")).says("closedLoop", "pass", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_of_json_without_ids_are_enough() {
    let verdict = met(PLACES[4].0, PLACES[4].1).await;
    verdict.is(&all_right("openai")).says("closedLoop", "pass", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn function_calls_without_ids_are_paired_by_name_and_order() {
    let verdict = met("/v1beta", PLACES[3].1).await;
    verdict.is(&all_right("gemini")).says("closedLoop", "pass", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_enough_without_names_numbers_and_deltas() {
    let verdict = met(PLACES[2].0, PLACES[2].1).await;
    verdict.is(&all_right("openai")).says("closedLoop", "pass", "");
}

/// How each history is taken, by shape.
fn taken(verdict: &Verdict) -> Value {
    let shapes = verdict.profile["results"]["history"]["shapes"].as_object().unwrap();
    shapes.iter().map(|(shape, it)| (shape.clone(), it["taken"].clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_any_history_and_reads_it_ignores_none() {
    for (path, behaviour) in PLACES {
        // Without the call between them, a question and results are two turns of one speaker.
        let orphan = if path == "/v1/messages" { "rejected" } else { "accepted" };
        assert_eq!(
            taken(&met(path, behaviour).await),
            json!({
                "dangling-call": "accepted", "missing-result": "accepted",
                "orphan-result": orphan, "results-out-of-order": "accepted",
                "tools-omitted": "accepted", "text-before-results": "accepted",
                "text-after-results": "accepted"
            }),
            "{path}"
        );
    }
}

/// What is wrong with the order of a chat, in words of no provider.
fn complaint(asked: &Asked) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for message in asked.body["messages"].as_array()? {
        match (message["role"].as_str()?, &message["tool_calls"]) {
            ("tool", _) => {
                let id = message["tool_call_id"].as_str()?;
                let Some(place) = open.iter().position(|it| *it == id) else {
                    return Some(format!("Antwort {id} ohne Frage"));
                };
                open.remove(place);
            }
            ("assistant", Value::Array(calls)) => {
                open.extend(calls.iter().filter_map(|call| call["id"].as_str()));
            }
            _ if open.is_empty() => {}
            _ => return Some("dazwischengeredet".to_owned()),
        }
    }
    (!open.is_empty()).then(|| format!("unbeantwortet: {open:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strict_server_refuses_what_it_does_not_pair_in_any_language() {
    let verdict = met(CHAT, |asked| match complaint(asked) {
        Some(words) => Script::json(422, &json!({ "detail": words })),
        None => chat::answer(asked, &good(asked)),
    })
    .await;
    assert_eq!(
        taken(&verdict),
        json!({
            "dangling-call": "rejected", "missing-result": "rejected", "orphan-result": "rejected",
            "results-out-of-order": "accepted", "tools-omitted": "accepted",
            "text-before-results": "rejected", "text-after-results": "accepted"
        })
    );
    let said = &verdict.profile["results"]["history"]["shapes"]["orphan-result"]["said"];
    assert!(said.as_str().unwrap().contains("ohne Frage"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_refuses_its_own_reasoning_is_asked_about_histories_without_it() {
    let verdict = met(CHAT, |asked| {
        if asked.body["messages"].to_string().contains("reasoning_content") {
            return chat::refusal(400, "unknown field");
        }
        let mut message = good(asked);
        message["reasoning_content"] = json!("Hm.");
        chat::answer(asked, &message)
    })
    .await;
    let replay = json!({"mode": "rejected", "field": "reasoning_content"});
    verdict.is(&json!({"reasoningReplay": replay, "errorRepair": "reliable"}));
    assert_eq!(taken(&verdict)["tools-omitted"], "accepted");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_that_are_never_read_are_not_blamed_on_a_wrong_history() {
    let verdict = met(CHAT, |asked| {
        let mut message = good(asked);
        if message["content"].is_string() {
            message["content"] = json!("All done.");
        }
        chat::answer(asked, &message)
    })
    .await;
    verdict.says("closedLoop", "fail", "answered without the result");
    assert!(!taken(&verdict).to_string().contains("ignored"), "{}", taken(&verdict));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_of_tokens_that_is_made_up_shows_nothing() {
    let verdict = met(CHAT, |asked| {
        let mut message = good(asked);
        message["reasoning_content"] = json!("Let me think about that.");
        chat::answer(asked, &message)
    })
    .await;
    verdict.is(&json!({"reasoningReplay": {"mode": "accepted", "field": "reasoning_content"}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_may_be_spelt_out() {
    let verdict = met(CHAT, |asked| {
        let mut message = good(asked);
        if let Some(words) = message["content"].as_str() {
            let spelt: Vec<String> = words.to_uppercase().chars().map(String::from).collect();
            message["content"] = json!(spelt.join(" - "));
        }
        chat::answer(asked, &message)
    })
    .await;
    verdict.says("closedLoop", "pass", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streak_of_prose_does_not_send_a_model_down_the_ladder() {
    let streak = AtomicUsize::new(2);
    let verdict = met(CHAT, move |asked| {
        let is_single = asked.body["tools"].as_array().is_some_and(|tools| tools.len() == 1)
            && asked.body["tools"][0]["function"]["name"] == "probe_echo";
        let is_prose = is_single
            && !chat::is_streamed(asked)
            && streak.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok();
        let prose = json!({"role": "assistant", "content": "Well, well."});
        chat::answer(asked, &if is_prose { prose } else { good(asked) })
    })
    .await;
    verdict.is(&json!({"toolCallFormat": "openai", "toolDelivery": "native"}));
    let single = &verdict.profile["results"]["singleTool"];
    assert_eq!((&single["passes"], &single["trials"]), (&json!(2), &json!(4)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialect_without_a_choice_of_tools_is_not_blamed_for_ignoring_it() {
    let server = Server::start(PLACES[4].1).await;
    let args = ["--suite", "full", "--trials", "1", "--timeout", "20s"];
    let verdict = probe(&server.at("/api/chat"), &args).await;
    let choices = &verdict.profile["results"]["extended"]["tool-choice"]["cases"];
    for (choice, expected) in [
        ("auto", "accepted-valid"),
        ("required", "skipped"),
        ("named", "skipped"),
        ("none", "skipped"),
    ] {
        assert_eq!(choices[choice]["verdict"], expected, "{choice}");
    }
}
