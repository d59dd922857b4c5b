//! The agent loop over real HTTP, with simulated models: does it go on, repair, and stop?

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use serde_json::{Value, json};
use toolprobe::conversation::{
    Address, AgentLoop, Client, Conversation, Ending, ExchangeLog, Miss, Step,
};
use toolprobe::ir::{CallFormat, CallId, Message, Part, ToolCall};
use toolprobe::prompted::{Protocol, ToolDelivery};
use toolprobe::sim::{Fleet, Options, Running, Sim};
use toolprobe::tools::{Effect, ErrorCode, Hook, Nonces, Registry, Tool, ToolFailure, probes};
use toolprobe::transport::{HttpTransport, Scrubber, SizeLimits, Timeouts};

const ADD: &str = "Call the tool `probe_add` once, with:\n- a = 20\n- b = 22";
const ADD_AGAIN: &str = "Call the tool `probe_add` once, with:\n- a = 1\n- b = 2";
const MAX_TURNS: usize = 8;

/// A simulated model behind a server of its own.
struct Endpoint {
    client: Client,
    log: ExchangeLog,
    _server: Running,
}

impl Endpoint {
    async fn of(model: &str) -> Self {
        let fleet = Fleet::embedded().unwrap();
        let dialect = fleet.get(model).unwrap().dialect;
        let server = Sim::start(fleet, "127.0.0.1:0", Options::default()).await.unwrap();
        let address = Address {
            dialect,
            base: server.base_url().parse().unwrap(),
            model: model.to_owned(),
            headers: Vec::new(),
            extra: serde_json::Map::new(),
            max_tokens: 1024,
            limit_field: None,
            limits: SizeLimits::default(),
        };
        let transport =
            HttpTransport::new(Timeouts::default(), SizeLimits::default(), Scrubber::default());
        let log = ExchangeLog::default();
        let client = Client::new(address, Arc::new(transport.unwrap()), log.clone()).unwrap();
        Self { client, log, _server: server }
    }

    fn agent<'a>(&'a self, tools: &'a Registry, ask: &str) -> AgentLoop<'a> {
        let native = ToolDelivery::Native;
        AgentLoop::new(Conversation::new(&self.client, native, tools, ask), MAX_TURNS)
    }

    fn resume<'a>(&'a self, tools: &'a Registry, messages: Vec<Message>) -> AgentLoop<'a> {
        let native = ToolDelivery::Native;
        AgentLoop::new(Conversation::resume(&self.client, native, tools, messages), MAX_TURNS)
    }

    /// The messages of every request so far, with its status.
    fn sent(&self) -> Vec<(u16, Value)> {
        let exchanges = self.log.take().exchanges;
        let sent = exchanges.iter().map(|exchange| {
            let body = exchange.request.body.as_ref().unwrap();
            (exchange.response().unwrap().status, body["messages"].clone())
        });
        sent.collect()
    }
}

fn tools() -> Registry {
    probes::registry(&Nonces::seeded("agent")).unwrap()
}

fn answer(ending: Ending) -> String {
    match ending {
        Ending::Answered(text) => text,
        other => panic!("no answer: {other:?}"),
    }
}

fn call(name: &str, input: Value) -> ToolCall {
    let (id, format) = (CallId::new("call_0123456789abcdef01234567"), CallFormat::OpenAi);
    ToolCall::new(id, name, input, format)
}

#[tokio::test]
async fn calls_are_run_until_the_model_answers_from_their_results() {
    let taught = ToolDelivery::Prompted(Protocol::ToolUse);
    let native = ToolDelivery::Native;
    let models = [
        ("deepseek-v4-thinking", native),
        ("qwen3-coder-xml", native),
        ("ollama-native", native),
        ("taught-tool-use", taught),
    ];
    for (model, delivery) in models {
        let (endpoint, tools) = (Endpoint::of(model).await, tools());
        let conversation = Conversation::new(&endpoint.client, delivery, &tools, ADD);
        let mut agent = AgentLoop::new(conversation, MAX_TURNS);
        let Step::Called(results) = agent.step().await else { panic!("{model} does not call") };
        assert_eq!(results[0].content["sum"], 42, "{model}");
        let receipt = results[0].content["receipt"].as_str().unwrap();
        let text = answer(agent.run().await);
        assert!(text.contains(receipt), "{model}: {text}");
    }
}

#[tokio::test]
async fn reasoning_is_kept_and_sent_again_after_a_follow_up_was_refused() {
    let (endpoint, tools) = (Endpoint::of("deepseek-r1").await, tools());
    let mut agent = endpoint.agent(&tools, ADD);
    answer(agent.run().await);
    agent.say(ADD_AGAIN);
    answer(agent.run().await);

    let is_reasoning = |part: &&Part| matches!(part, Part::Reasoning(_));
    let kept = agent.conversation().messages().iter().flat_map(|message| &message.parts);
    assert_eq!(kept.filter(is_reasoning).count(), 4, "one in each of four replies");
    let thoughts = |messages: &Value| {
        let messages = messages.as_array().unwrap().iter();
        messages.filter(|message| message.get("reasoning_content").is_some()).count()
    };
    let sent: Vec<_> = endpoint.sent().iter().map(|(status, it)| (*status, thoughts(it))).collect();
    let refused_then_bare = |thoughts| [(400, thoughts), (200, 0)];
    let expected = [(200, 0)].into_iter().chain((1..=3).flat_map(refused_then_bare));
    assert_eq!(sent, expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_model_that_needs_its_reasoning_gets_it_back_in_every_request() {
    let (endpoint, tools) = (Endpoint::of("deepseek-v4-thinking").await, tools());
    let mut agent = endpoint.agent(&tools, ADD);
    answer(agent.run().await);
    agent.say(ADD_AGAIN);
    answer(agent.run().await);
    assert!(endpoint.sent().iter().all(|(status, _)| *status == 200));
}

#[tokio::test]
async fn a_call_without_a_result_is_answered_with_an_error_before_the_next_request() {
    let (endpoint, tools) = (Endpoint::of("openai-native").await, tools());
    let call = call("probe_add", json!({"a": 20, "b": 22}));
    let history = vec![
        Message::user(ADD),
        Message::assistant(vec![Part::Call(call)]),
        Message::user("Well?"),
    ];
    let mut agent = endpoint.resume(&tools, history);
    answer(agent.run().await);
    let (status, messages) = endpoint.sent().remove(0);
    assert_eq!((status, &messages[2]["role"]), (200, &json!("tool")));
    assert!(messages[2]["content"].as_str().unwrap().contains("RESULT_MISSING"), "{messages}");
    assert_eq!(messages[3]["content"], "Well?");
    assert_eq!(agent.conversation().telemetry()[0].closure_errors, 1);
}

#[tokio::test]
async fn a_call_in_text_without_a_result_is_answered_as_text() {
    let (endpoint, tools) = (Endpoint::of("taught-tool-call").await, tools());
    let text = Protocol::ToolCall.call(&call("probe_add", json!({"a": 20, "b": 22})));
    let history = vec![
        Message::user(ADD),
        Message::assistant(vec![Part::Text(text)]),
        Message::user("Well?"),
    ];
    let taught = ToolDelivery::Prompted(Protocol::ToolCall);
    let conversation = Conversation::resume(&endpoint.client, taught, &tools, history);
    let mut agent = AgentLoop::new(conversation, MAX_TURNS);
    agent.step().await;
    let said = agent.conversation().messages()[2].text();
    assert!(said.starts_with("<tool_response>") && said.contains("RESULT_MISSING"), "{said}");
    assert!(said.ends_with("Well?"), "{said}");
}

#[tokio::test]
async fn a_step_that_was_dropped_does_not_break_the_next_one() {
    struct Never;
    impl Tool for Never {
        fn spec(&self) -> toolprobe::ir::ToolSpec {
            probes::ProbeEcho.spec()
        }
        fn run<'a>(&'a self, _: &'a Value) -> toolprobe::tools::ToolFuture<'a> {
            Box::pin(std::future::pending())
        }
    }
    let endpoint = Endpoint::of("openai-native").await;
    let mut tools = Registry::default();
    tools.register(Box::new(Never)).unwrap();
    let ask = "Call the tool `probe_echo` once, with:\n- message = \"hi\"\n- tag = \"beta\"";
    let mut agent = endpoint.agent(&tools, ask);
    let half_a_second = std::time::Duration::from_millis(500);
    assert!(tokio::time::timeout(half_a_second, agent.step()).await.is_err());
    agent.say("Never mind.");
    assert!(!matches!(agent.step().await, Step::Ended(Ending::NoReply(_))));
    assert!(endpoint.sent().iter().all(|(status, _)| *status == 200));
}

#[tokio::test]
async fn a_call_of_an_unknown_tool_is_fed_back_with_the_names_there_are() {
    let (endpoint, tools) = (Endpoint::of("tokens-in-name").await, tools());
    let mut agent = endpoint.agent(&tools, ADD);
    let Step::Called(results) = agent.step().await else { panic!("no call") };
    assert_eq!(results[0].error_code.as_deref(), Some("UNKNOWN_TOOL"));
    agent.step().await;
    let (_, messages) = endpoint.sent().remove(1);
    let fed_back = messages[2]["content"].as_str().unwrap();
    assert!(fed_back.contains("probe_echo, probe_add"), "{fed_back}");
    assert_eq!(agent.conversation().telemetry()[0].invalid_calls, 1);
}

/// Lets no tool run that changes something.
struct ReadOnly;

impl Hook for ReadOnly {
    fn before(&self, call: &mut ToolCall, effect: Effect) -> Result<(), ToolFailure> {
        match effect {
            Effect::ReadOnly => Ok(()),
            Effect::Mutating => {
                let words = format!("{} changes something, and only reading is allowed", call.name);
                Err(ToolFailure::fatal(ErrorCode::Refused, words))
            }
        }
    }
}

/// A tool that changes something; a test fails when it runs.
struct Delete;

impl Tool for Delete {
    fn spec(&self) -> toolprobe::ir::ToolSpec {
        toolprobe::ir::ToolSpec { name: "delete".to_owned(), ..probes::ProbeEcho.spec() }
    }
    fn effect(&self) -> Effect {
        Effect::Mutating
    }
    fn run<'a>(&'a self, _: &'a Value) -> toolprobe::tools::ToolFuture<'a> {
        panic!("a blocked tool runs")
    }
}

#[tokio::test]
async fn a_hook_blocks_a_call_and_the_model_and_the_telemetry_hear_of_it() {
    let endpoint = Endpoint::of("openai-native").await;
    let mut tools = tools();
    tools.register(Box::new(Delete)).unwrap();
    tools.add_hook(Box::new(ReadOnly));
    let ask = "Call the tool `delete` once, with:\n- message = \"all\"\n- tag = \"beta\"";
    let mut agent = endpoint.agent(&tools, ask);
    let Step::Called(results) = agent.step().await else { panic!("no call") };
    assert_eq!(results[0].error_code.as_deref(), Some("REFUSED"));
    let text = answer(agent.run().await);
    assert!(text.contains("only reading is allowed"), "{text}");
    assert_eq!(agent.conversation().telemetry()[0].refused_calls, 1);
}

#[tokio::test]
async fn a_tool_of_an_mcp_server_is_called_by_its_full_name() {
    let endpoint = Endpoint::of("openai-native").await;
    let mut tools = Registry::default();
    tools.register_mcp("git hub", Box::new(probes::ProbeEcho)).unwrap();
    let name = tools.specs().next().unwrap().name.clone();
    assert!(name.starts_with("mcp__git_hub__probe_echo_"), "{name}");
    let ask = format!("Call the tool `{name}` once, with:\n- message = \"hi\"\n- tag = \"beta\"");
    let mut agent = endpoint.agent(&tools, &ask);
    let Step::Called(results) = agent.step().await else { panic!("no call") };
    assert_eq!((&results[0].name, &results[0].content["message"]), (&name, &json!("hi")));
    answer(agent.run().await);
}

#[tokio::test]
async fn the_same_call_again_and_again_is_stopped_before_it_runs_a_third_time() {
    let (endpoint, tools) = (Endpoint::of("loops").await, tools());
    let mut agent = endpoint.agent(&tools, ADD);
    let Ending::Loop(call) = agent.run().await else { panic!("the loop goes on") };
    assert_eq!(call.name, "probe_add");
    assert_eq!(endpoint.sent().len(), 3);
}

#[tokio::test]
async fn the_turns_are_bounded() {
    let (endpoint, tools) = (Endpoint::of("openai-native").await, tools());
    let native = ToolDelivery::Native;
    let conversation = Conversation::new(&endpoint.client, native, &tools, ADD);
    assert_eq!(AgentLoop::new(conversation, 1).run().await, Ending::OutOfTurns);
}

#[tokio::test]
async fn a_reply_that_only_claims_to_call_is_not_an_answer() {
    let (endpoint, tools) = (Endpoint::of("claims-calls").await, tools());
    let ending = endpoint.agent(&tools, ADD).run().await;
    assert!(matches!(ending, Ending::NoReply(Miss::Clear(_))), "{ending:?}");
}
