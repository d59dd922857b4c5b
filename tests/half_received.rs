//! Streams that end inside a call: does anything of them ever run, in any dialect, with a plan or without?
//!
//! The bytes are written by hand from the providers' documentation, apart from the simulator.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use toolprobe::adapt::plan::Plan;
use toolprobe::conversation::{Address, AgentLoop, Client, Conversation, ExchangeLog, Step};
use toolprobe::dialect::DialectId;
use toolprobe::ir::ToolSpec;
use toolprobe::profile::Profile;
use toolprobe::prompted::ToolDelivery;
use toolprobe::telemetry::Counts;
use toolprobe::tools::{Effect, Registry, Tool, ToolFuture, probes};
use toolprobe::transport::{HttpTransport, Scrubber, SizeLimits, Timeouts};

/// How many bytes lie between two cuts.
const STRIDE: usize = 5;

/// A stream with one call, in a dialect.
struct Stream {
    dialect: DialectId,
    content_type: &'static str,
    /// The snapshot of a simulated model whose plan rewrites the calls of this dialect.
    planned_as: &'static str,
    body: &'static str,
    /// Where the arguments begin.
    opens: &'static str,
    /// What only the end of the arguments has.
    closes: &'static str,
    /// What says that the reply is complete.
    ends: &'static str,
    sends: Sends,
}

/// How the arguments of a call arrive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sends {
    /// Piece by piece, so that a call is known before it is complete.
    Pieces,
    /// In one frame, which is there or not.
    WholeCalls,
}

const SSE: &str = "text/event-stream";

const STREAMS: [Stream; 5] = [
    Stream {
        dialect: DialectId::OpenAiChat,
        content_type: SSE,
        planned_as: "double-encoded",
        body: concat!(
            r#"data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"delete","arguments":""}}]},"finish_reason":null}]}"#,
            "\n\n",
            r#"data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"message\": \"a"}}]},"finish_reason":null}]}"#,
            "\n\n",
            r#"data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ll\", \"tag\": \"beta\"}"}}]},"finish_reason":null}]}"#,
            "\n\n",
            r#"data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            "\n\ndata: [DONE]\n\n",
        ),
        opens: r#""arguments":"{"#,
        closes: r#"beta\"}"#,
        ends: r#""finish_reason":"tool_calls""#,
        sends: Sends::Pieces,
    },
    Stream {
        dialect: DialectId::AnthropicMessages,
        content_type: SSE,
        planned_as: "messages-string-input",
        body: concat!(
            "event: message_start\ndata: ",
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#,
            "\n\nevent: content_block_start\ndata: ",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"delete","input":{}}}"#,
            "\n\nevent: content_block_delta\ndata: ",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"message\": \"a"}}"#,
            "\n\nevent: content_block_delta\ndata: ",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"ll\", \"tag\": \"beta\"}"}}"#,
            "\n\nevent: content_block_stop\ndata: ",
            r#"{"type":"content_block_stop","index":0}"#,
            "\n\nevent: message_delta\ndata: ",
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":9}}"#,
            "\n\nevent: message_stop\ndata: ",
            r#"{"type":"message_stop"}"#,
            "\n\n",
        ),
        opens: r#""partial_json":"{"#,
        closes: r#"beta\"}"#,
        ends: r#""stop_reason":"tool_use""#,
        sends: Sends::Pieces,
    },
    Stream {
        dialect: DialectId::OpenAiResponses,
        content_type: SSE,
        planned_as: "responses-double-encoded",
        body: concat!(
            "event: response.created\ndata: ",
            r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}"#,
            "\n\nevent: response.output_item.added\ndata: ",
            r#"{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"delete","arguments":"","status":"in_progress"}}"#,
            "\n\nevent: response.function_call_arguments.delta\ndata: ",
            r#"{"type":"response.function_call_arguments.delta","sequence_number":2,"item_id":"fc_1","output_index":0,"delta":"{\"message\": \"a"}"#,
            "\n\nevent: response.function_call_arguments.delta\ndata: ",
            r#"{"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"fc_1","output_index":0,"delta":"ll\", \"tag\": \"beta\"}"}"#,
            "\n\nevent: response.function_call_arguments.done\ndata: ",
            r#"{"type":"response.function_call_arguments.done","sequence_number":4,"item_id":"fc_1","output_index":0,"name":"delete","arguments":"{\"message\": \"all\", \"tag\": \"beta\"}"}"#,
            "\n\nevent: response.output_item.done\ndata: ",
            r#"{"type":"response.output_item.done","sequence_number":5,"output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"delete","arguments":"{\"message\": \"all\", \"tag\": \"beta\"}","status":"completed"}}"#,
            "\n\nevent: response.completed\ndata: ",
            r#"{"type":"response.completed","sequence_number":6,"response":{"id":"resp_1","object":"response","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"call_1","name":"delete","arguments":"{\"message\": \"all\", \"tag\": \"beta\"}","status":"completed"}]}}"#,
            "\n\n",
        ),
        opens: r#""delta":"{"#,
        closes: r#"beta\"}"#,
        ends: "event: response.completed",
        sends: Sends::Pieces,
    },
    Stream {
        dialect: DialectId::Gemini,
        content_type: SSE,
        planned_as: "gemini-string-args",
        body: concat!(
            r#"data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"delete","args":{"message":"all","tag":"beta"}}}]},"index":0}]}"#,
            "\r\n\r\n",
            r#"data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":9,"totalTokenCount":10}}"#,
            "\r\n\r\n",
        ),
        opens: r#""args":{"#,
        closes: r#""beta"}"#,
        ends: r#""finishReason""#,
        sends: Sends::WholeCalls,
    },
    Stream {
        dialect: DialectId::Ollama,
        content_type: "application/x-ndjson",
        planned_as: "ollama-string-arguments",
        body: concat!(
            r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"delete","arguments":{"message":"all","tag":"beta"}}}]},"done":false}"#,
            "\n",
            r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":9}"#,
            "\n",
        ),
        opens: r#""arguments":{"#,
        closes: r#""beta"}"#,
        ends: r#""done":true"#,
        sends: Sends::WholeCalls,
    },
];

impl Stream {
    fn place(&self, marker: &str) -> usize {
        self.body.find(marker).unwrap()
    }

    /// The places at which the arguments have begun and are not complete.
    fn inside(&self) -> impl Iterator<Item = usize> {
        let opens = self.place(self.opens) + self.opens.len();
        (opens..self.place(self.closes) + self.closes.len()).step_by(STRIDE)
    }

    /// The places at which the arguments are complete, and the reply is not.
    fn after(&self) -> impl Iterator<Item = usize> {
        let closes = self.place(self.closes);
        let frame = closes + self.body.get(closes..).unwrap().find('\n').unwrap();
        (frame + 3..self.place(self.ends)).step_by(STRIDE)
    }

    fn plan(&self) -> Plan {
        let starts = format!("{}-", self.planned_as);
        let mut files = std::fs::read_dir("profiles").unwrap().map(|file| file.unwrap());
        let file = files.find(|file| file.file_name().to_str().unwrap().starts_with(&starts));
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let plan = Plan::of(&serde_json::from_str::<Profile>(&text).unwrap());
        assert!(plan.kinds().next().is_some(), "{}", self.planned_as);
        plan
    }
}

/// A tool that changes something, and counts how often it does.
struct Delete(Arc<AtomicUsize>);

impl Tool for Delete {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "delete".to_owned(), ..probes::ProbeEcho.spec() }
    }
    fn effect(&self) -> Effect {
        Effect::Mutating
    }
    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        self.0.fetch_add(1, SeqCst);
        Box::pin(async move { Ok(input.clone()) })
    }
}

/// A server that answers every request with the first bytes of a stream, and closes.
async fn serve(content_type: &'static str, body: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            answer(connection, content_type, body).await;
        }
    });
    base
}

async fn answer(connection: TcpStream, content_type: &str, body: &[u8]) {
    let mut connection = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        connection.read_line(&mut line).await.unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("content-length: ").map_or(length, |it| it.parse().unwrap());
    }
    connection.read_exact(&mut vec![0; length]).await.unwrap();
    let head =
        format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {content_type}\r\n\r\n");
    connection.write_all(&[head.as_bytes(), body].concat()).await.unwrap();
    connection.shutdown().await.unwrap();
}

/// What the agent loop makes of the first bytes of a stream: how often the tool ran, how the step ended, and
/// what was counted.
async fn step(stream: &Stream, end: usize, plan: Option<Plan>) -> (usize, Step, Counts) {
    let (body, ran) = (stream.body.as_bytes().get(..end).unwrap(), Arc::new(AtomicUsize::new(0)));
    let address = Address {
        dialect: stream.dialect,
        base: serve(stream.content_type, body).await.parse().unwrap(),
        model: "m".to_owned(),
        headers: Vec::new(),
        extra: serde_json::Map::new(),
        max_tokens: 1024,
        limit_field: None,
        limits: SizeLimits::default(),
    };
    let transport =
        HttpTransport::new(Timeouts::default(), SizeLimits::default(), Scrubber::default());
    let client = Client::new(address, Arc::new(transport.unwrap()), ExchangeLog::default());
    let client = match plan {
        Some(plan) => client.unwrap().with_plan(plan),
        None => client.unwrap(),
    };
    let mut tools = Registry::default();
    tools.register(Box::new(Delete(Arc::clone(&ran)))).unwrap();
    let mut talk = Conversation::new(&client, ToolDelivery::Native, &tools, "Delete all.");
    talk.request().stream = true;
    let mut agent = AgentLoop::new(talk, 2);
    let step = agent.step().await;
    let counts = Counts::of(agent.conversation().telemetry());
    (ran.load(SeqCst), step, counts)
}

#[tokio::test]
async fn a_call_that_arrives_whole_runs_once() {
    for stream in &STREAMS {
        for plan in [None, Some(stream.plan())] {
            let (ran, step, counts) = step(stream, stream.body.len(), plan).await;
            let name = stream.dialect;
            assert!(matches!(step, Step::Called(_)), "{name}: {step:?}");
            assert_eq!((ran, counts.calls, counts.blocked), (1, 1, 0), "{name}: {counts:?}");
        }
    }
}

/// Checks that nothing runs of a stream that ends there, and that this many calls are counted as blocked.
async fn check_blocked(stream: &Stream, end: usize, blocked: u64) {
    for plan in [None, Some(stream.plan())] {
        let (ran, step, counts) = step(stream, end, plan).await;
        let found = (ran, counts.calls, counts.blocked);
        assert_eq!(found, (0, 0, blocked), "{}, {end} bytes: {step:?}", stream.dialect);
    }
}

#[tokio::test]
async fn half_received_arguments_never_run_and_are_counted_wherever_the_stream_ends() {
    for stream in &STREAMS {
        for end in stream.inside() {
            // Half a frame is not a frame: nobody knows what it would have been.
            check_blocked(stream, end, u64::from(stream.sends == Sends::Pieces)).await;
        }
    }
}

#[tokio::test]
async fn a_call_of_a_reply_that_was_cut_never_runs_and_is_counted() {
    for stream in &STREAMS {
        for end in stream.after() {
            check_blocked(stream, end, 1).await;
        }
    }
}
