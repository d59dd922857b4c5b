//! Is every fault that servers were seen with recognised, and where does a profile say so?
//!
//! One row per fault: a chat server that has it and is healthy otherwise, and the place in the
//! profile that tells. The table in `docs/faults.md` has these rows.

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::chat::{self, answer, deltas, events, good, hermes, is_streamed, mind, word, written};
use crate::mind::{Heard, Says};
use crate::plans;
use crate::probe;
use crate::server::{Asked, Script, Server};

#[derive(Clone, Copy)]
struct Fault {
    /// What is seen, in the words of `docs/faults.md`.
    symptom: &'static str,
    /// Where it was seen: an issue as `owner/repo#number`, or a program with its version, tried.
    seen: &'static str,
    behaviour: fn(&Asked) -> Script,
    suite: &'static str,
    /// Where a profile tells, and what stands there.
    place: &'static str,
    told: &'static str,
}

const fn fault(
    symptom: &'static str,
    seen: &'static str,
    place: &'static str,
    told: &'static str,
    behaviour: fn(&Asked) -> Script,
) -> Fault {
    Fault { symptom, seen, behaviour, suite: "standard", place, told }
}

const fn in_full(fault: Fault) -> Fault {
    Fault { suite: "full", ..fault }
}

const SINGLE_DEFECTS: &str = "results.singleTool.defects";
const STREAM_DEFECTS: &str = "results.streaming.defects";

const FAULTS: &[Fault] = &[
    fault(
        "a call is left in the visible text",
        "ollama/ollama#18530",
        "results.singleTool.layer",
        "content",
        |asked| answer(asked, &written(&mind(asked), hermes)),
    ),
    fault(
        "a call is left in the reasoning",
        "ggml-org/llama.cpp#24202",
        "results.singleTool.layer",
        "reasoning",
        |asked| {
            let mut message = written(&mind(asked), hermes);
            if !mind(asked).calls().is_empty() {
                message["reasoning_content"] = message["content"].take();
            }
            answer(asked, &message)
        },
    ),
    fault(
        "the opening tag of a call is lost",
        "ollama/ollama#17742",
        "toolCallFormat",
        "xml",
        |asked| answer(asked, &written(&mind(asked), without_opener)),
    ),
    fault(
        "the reply says that it calls, and holds no call",
        "sgl-project/sglang#26790",
        SINGLE_DEFECTS,
        "finish-without-calls",
        |asked| {
            let message = json!({"role": "assistant", "content": "One moment.", "tool_calls": []});
            let finish = if chat::has_tools(asked) { "tool_calls" } else { "stop" };
            if is_streamed(asked) {
                return sse(&deltas(&json!({"content": "One moment."}), 4), finish);
            }
            let mut body = chat::completion(&message);
            body["choices"][0]["finish_reason"] = json!(finish);
            Script::json(200, &body)
        },
    ),
    fault(
        "calls come under another finish label",
        "anomalyco/opencode#14973",
        SINGLE_DEFECTS,
        "stop-with-calls",
        |asked| {
            let message = good(asked);
            if is_streamed(asked) {
                return sse(&deltas(&message, 7), "stop");
            }
            let mut body = chat::completion(&message);
            body["choices"][0]["finish_reason"] = json!("stop");
            Script::json(200, &body)
        },
    ),
    fault(
        "a call without a name comes along",
        "lmstudio-ai/lmstudio-bug-tracker#830",
        SINGLE_DEFECTS,
        "phantom-call",
        |asked| {
            changed(asked, |calls| {
                calls.push(
                json!({"id": "", "type": "function", "function": {"name": "", "arguments": ""}}),
            );
            })
        },
    ),
    fault(
        "ids are numbers",
        "diegosouzapw/OmniRoute#8316",
        SINGLE_DEFECTS,
        "id-not-string",
        |asked| answer(asked, &chat::message(&mind(asked), |index| json!(7 + index))),
    ),
    fault("calls carry no id", "anomalyco/opencode#25925", SINGLE_DEFECTS, "id-missing", |asked| {
        each_call(asked, |call| {
            call.as_object_mut().unwrap().remove("id");
        })
    }),
    fault(
        "arguments are encoded twice",
        "quarkiverse/quarkus-langchain4j#2642",
        SINGLE_DEFECTS,
        "arguments-double-encoded",
        |asked| {
            each_call(asked, |call| {
                let arguments = call["function"]["arguments"].to_string();
                call["function"]["arguments"] = json!(arguments);
            })
        },
    ),
    fault(
        "a tool's name carries control tokens",
        "vllm-project/vllm#32587",
        "results.singleTool.status",
        "fail",
        |asked| {
            each_call(asked, |call| {
                let name = call["function"]["name"].as_str().unwrap();
                call["function"]["name"] = json!(format!("{name}<|channel|>commentary"));
            })
        },
    ),
    fault(
        "a stream loses the arguments",
        "vllm-project/vllm#9693",
        "supportsStreamingToolUse",
        "false",
        |asked| restreamed(asked, |deltas| deltas.retain(|it| !is_tail(it))),
    ),
    fault(
        "a stream loses the end of the arguments",
        "vllm-project/vllm#10781",
        STREAM_DEFECTS,
        "arguments-invalid",
        |asked| {
            restreamed(asked, |deltas| {
                deltas.pop();
            })
        },
    ),
    fault(
        "a stream loses the calls",
        "lmstudio-ai/lmstudio-bug-tracker#1066",
        "supportsStreamingToolUse",
        "false",
        |asked| restreamed(asked, |deltas| deltas.retain(|it| it.get("tool_calls").is_none())),
    ),
    fault(
        "a stream leaves calls in the text",
        "raullenchai/Rapid-MLX#444",
        "results.streaming.reason",
        "visible text",
        |asked| {
            let leaks = is_streamed(asked);
            answer(asked, &if leaks { written(&mind(asked), hermes) } else { good(asked) })
        },
    ),
    fault(
        "a stream ends before the reply does",
        "vercel/ai#19165",
        STREAM_DEFECTS,
        "truncated",
        |asked| {
            if !is_streamed(asked) {
                return answer(asked, &good(asked));
            }
            let text = events(&deltas(&good(asked), 7), "stop", "\n");
            let cut = text.len() / 2;
            Script::stream("text/event-stream", vec![text.as_bytes()[..cut].to_vec()])
        },
    ),
    fault(
        "a stream is asked for and one body comes",
        "sgl-project/sglang#2810",
        "supportsStreamingToolUse",
        "false",
        |asked| chat::reply(&good(asked)),
    ),
    fault(
        "streamed calls share one index",
        "vercel/ai#14277",
        STREAM_DEFECTS,
        "index-reused",
        |asked| each_delta(asked, |call| call["index"] = json!(0)),
    ),
    fault(
        "streamed calls carry no index",
        "openai/openai-python#3246",
        STREAM_DEFECTS,
        "index-missing",
        |asked| {
            each_delta(asked, |call| {
                call.as_object_mut().unwrap().remove("index");
            })
        },
    ),
    fault(
        "arguments stream under another index",
        "danny-avila/LibreChat#13987",
        STREAM_DEFECTS,
        "index-split",
        |asked| {
            each_delta(asked, |call| {
                if call.get("id").is_none() {
                    call["index"] = json!(call["index"].as_u64().unwrap() + 10);
                }
            })
        },
    ),
    fault(
        "every delta repeats the name",
        "llama-cpp-python 0.3.36",
        STREAM_DEFECTS,
        "name-repeated",
        |asked| {
            let name = mind(asked).calls().first().map(|(name, _)| name.clone());
            let Some(name) = name.filter(|_| mind(asked).calls().len() == 1) else {
                return answer(asked, &good(asked));
            };
            restreamed(asked, |deltas| {
                for delta in deltas.iter_mut().filter(|it| it.get("tool_calls").is_some()) {
                    delta["tool_calls"][0]["function"]["name"] = json!(name);
                }
            })
        },
    ),
    fault(
        "later deltas carry empty ids",
        "anomalyco/opencode#37841",
        STREAM_DEFECTS,
        "id-empty",
        |asked| {
            each_delta(asked, |call| {
                if call.get("id").is_none() {
                    call["id"] = json!("");
                }
            })
        },
    ),
    fault(
        "every value becomes a string",
        "antirez/ds4#569",
        "schemaLevel",
        "string-only",
        |asked| {
            each_input(asked, |value| match value {
                Value::String(text) => json!(text),
                other => json!(other.to_string()),
            })
        },
    ),
    fault(
        "two calls at once end up in the reasoning",
        "ai-dynamo/dynamo#8636",
        "supportsParallelToolUse",
        "false",
        |asked| {
            let says = mind(asked);
            if says.calls().len() < 2 {
                return answer(asked, &good(asked));
            }
            let mut message = written(&says, hermes);
            message["reasoning_content"] = message["content"].take();
            answer(asked, &message)
        },
    ),
    fault(
        "parallel calls cannot be switched off",
        "vllm-project/vllm#26233",
        "results.parallelTool.offSwitch",
        "ignored",
        |asked| answer(asked, &good(asked)),
    ),
    fault(
        "results never reach the model",
        "jundot/omlx#789",
        "results.closedLoop.reason",
        "called again",
        |asked| {
            let heard: Vec<Heard> = chat::heard(&asked.body)
                .into_iter()
                .filter(|turn| matches!(turn, Heard::User(_)))
                .collect();
            answer(asked, &chat::message(&crate::mind::obey(&heard), word))
        },
    ),
    fault(
        "the server refuses its own ids",
        "jundot/omlx#1997",
        "results.closedLoop.status",
        "fail",
        |asked| {
            if has_role(asked, "tool") {
                return chat::refusal(400, "Tool call id must be 9 characters");
            }
            answer(asked, &good(asked))
        },
    ),
    fault(
        "history with calls but no tools is refused",
        "BerriAI/litellm#4689",
        "results.history.shapes.tools-omitted.taken",
        "rejected",
        |asked| {
            if has_role(asked, "tool") && !chat::has_tools(asked) {
                return chat::refusal(400, "where are the tools of this conversation?");
            }
            answer(asked, &good(asked))
        },
    ),
    fault(
        "a person may not speak after results",
        "charmbracelet/crush#279",
        "results.history.shapes.text-after-results.taken",
        "rejected",
        |asked| {
            let messages = asked.body["messages"].as_array().unwrap();
            let roles: Vec<&str> = messages.iter().filter_map(|it| it["role"].as_str()).collect();
            if roles.windows(2).any(|pair| pair == ["tool", "user"]) {
                return chat::refusal(400, "Unexpected role 'user' after role 'tool'");
            }
            answer(asked, &good(asked))
        },
    ),
    fault(
        "the reasoning may not come back in another field",
        "anomalyco/models.dev#979",
        "results.reasoningReplay.variants.wrong-field.taken",
        "rejected",
        |asked| {
            if asked.body["messages"]
                .as_array()
                .unwrap()
                .iter()
                .any(|it| it.get("reasoning").is_some())
            {
                return chat::refusal(422, "extra inputs are not permitted");
            }
            let mut message = good(asked);
            message["reasoning_content"] = json!("Let me see.");
            answer(asked, &message)
        },
    ),
    fault(
        "a schema keyword is refused",
        "promptfoo/promptfoo#6902",
        "results.schema.cases.additionalProperties.verdict",
        "rejected",
        |asked| {
            if asked.body["tools"].to_string().contains("\"additionalProperties\":") {
                return chat::refusal(400, "Unknown name \"additionalProperties\"");
            }
            answer(asked, &good(asked))
        },
    ),
    fault(
        "the server cannot read the model's own call",
        "huggingface/smolagents#1119",
        "results.singleTool.reason",
        "could not read the model's output",
        |asked| {
            if mind(asked).calls().is_empty() {
                return answer(asked, &good(asked));
            }
            let error = json!({
                "message": "try again", "code": "tool_use_failed", "failed_generation": "<function="
            });
            Script::json(400, &json!({ "error": error }))
        },
    ),
    in_full(fault(
        "strings that look like numbers become numbers",
        "JustVugg/colibri#118",
        "results.extended.adversarial-echo.cases.zero-padded-number.verdict",
        "accepted-invalid",
        |asked| {
            each_input(asked, |value| match value.as_str().map(str::parse::<u64>) {
                Some(Ok(number)) => json!(number),
                _ => value,
            })
        },
    )),
    in_full(fault(
        "arguments are escaped as HTML",
        "openclaw/openclaw#35276",
        "results.extended.adversarial-echo.cases.ampersands.verdict",
        "accepted-invalid",
        |asked| {
            each_input(asked, |value| match value {
                Value::String(text) => json!(text.replace('&', "&amp;")),
                other => other,
            })
        },
    )),
    in_full(fault(
        "`required` is not enforced",
        "vllm-project/vllm#53363",
        "results.extended.tool-choice.cases.required.verdict",
        "ignored",
        |asked| answer(asked, &good(asked)),
    )),
];

fn without_opener(name: &str, arguments: &Value) -> String {
    let parameter = |(key, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("<parameter={key}>\n{text}\n</parameter>\n")
    };
    let parameters: String = arguments.as_object().unwrap().iter().map(parameter).collect();
    format!("<function={name}>\n{parameters}</function>\n</tool_call>")
}

fn has_role(asked: &Asked, role: &str) -> bool {
    asked.body["messages"].as_array().unwrap().iter().any(|message| message["role"] == role)
}

fn sse(deltas: &[Value], finish: &str) -> Script {
    Script::stream("text/event-stream", vec![events(deltas, finish, "\n").into_bytes()])
}

/// A healthy answer whose list of calls, if it has one, is changed.
fn changed(asked: &Asked, change: impl Fn(&mut Vec<Value>)) -> Script {
    let mut message = good(asked);
    if let Some(calls) = message["tool_calls"].as_array_mut() {
        change(calls);
    }
    answer(asked, &message)
}

fn each_call(asked: &Asked, change: impl Fn(&mut Value)) -> Script {
    changed(asked, |calls| calls.iter_mut().for_each(&change))
}

/// A healthy answer with every top-level argument changed.
fn each_input(asked: &Asked, change: impl Fn(Value) -> Value) -> Script {
    let says = match mind(asked) {
        Says::Calls(calls) => Says::Calls(
            calls
                .into_iter()
                .map(|(name, arguments)| {
                    let map = arguments.as_object().unwrap().clone().into_iter();
                    (name, map.map(|(key, value)| (key, change(value))).collect())
                })
                .collect(),
        ),
        says @ Says::Words(_) => says,
    };
    answer(asked, &chat::message(&says, word))
}

/// A healthy answer but for the deltas of a stream with calls.
fn restreamed(asked: &Asked, change: impl Fn(&mut Vec<Value>)) -> Script {
    let message = good(asked);
    if !is_streamed(asked) || !message["tool_calls"].is_array() {
        return answer(asked, &message);
    }
    let mut deltas = deltas(&message, 7);
    change(&mut deltas);
    sse(&deltas, "tool_calls")
}

fn each_delta(asked: &Asked, change: impl Fn(&mut Value)) -> Script {
    restreamed(asked, |deltas| {
        for delta in deltas.iter_mut().filter(|delta| delta.get("tool_calls").is_some()) {
            change(&mut delta["tool_calls"][0]);
        }
    })
}

fn is_tail(delta: &Value) -> bool {
    delta.get("tool_calls").is_some() && delta["tool_calls"][0].get("id").is_none()
}

/// What is wrong with how a fault was told and corrected; nothing, if it is right.
async fn mistold(fault: &Fault) -> Option<String> {
    let server = Server::start(fault.behaviour).await;
    let args = ["--with-plan", "--suite", fault.suite, "--trials", "1", "--timeout", "20s"];
    let verdict = probe(&server.at("/v1/chat/completions"), &args).await;
    let found = fault.place.split('.').fold(&verdict.profile["before"], |at, key| &at[key]);
    let right = verdict.code == Some(0) && found.to_string().contains(fault.told);
    if !right {
        return Some(format!("{}: {} is {found}\n{}", fault.symptom, fault.place, verdict.errors));
    }
    let wrong = plans::problems(&verdict.profile);
    (!wrong.is_empty()).then(|| format!("{}: {}", fault.symptom, wrong.join("\n  ")))
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_seen_in_the_wild_are_told_where_the_table_says_and_no_plan_makes_them_worse() {
    let wrong: Vec<String> = stream::iter(FAULTS)
        .map(mistold)
        .buffer_unordered(4)
        .filter_map(|it| async { it })
        .collect()
        .await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An issue as a link to it; a program as it is.
fn source(seen: &str) -> String {
    match seen.split_once('#') {
        Some((repository, number)) => {
            format!("[{seen}](https://github.com/{repository}/issues/{number})")
        }
        None => seen.to_owned(),
    }
}

#[test]
fn the_page_lists_these_faults_and_where_they_were_seen() {
    let page = include_str!("../../docs/faults.md");
    let row = |it: &Fault| {
        format!("| {} | `{}` | `{}` | {} |", it.symptom, it.place, it.told, source(it.seen))
    };
    let rows: Vec<String> = FAULTS.iter().map(row).collect();
    assert!(
        page.contains(&rows.join("\n")),
        "docs/faults.md wants these rows:\n{}",
        rows.join("\n")
    );
}

#[test]
fn every_fault_names_an_issue_or_a_program_with_its_version() {
    for fault in FAULTS {
        let is_issue = fault.seen.split_once('#').is_some_and(|(repository, number)| {
            repository.split('/').filter(|part| !part.is_empty()).count() == 2
                && number.parse::<u32>().is_ok()
        });
        let is_release = fault.seen.split_once(' ').is_some_and(|(program, version)| {
            !program.is_empty() && version.starts_with(|first: char| first.is_ascii_digit())
        });
        assert!(is_issue || is_release, "{}: seen at {:?}", fault.symptom, fault.seen);
    }
}
