//! An agent with one tool, on three simulated models that call tools in three different ways.
//!
//! `cargo run --example agent` needs no key and no network: the models are served over loopback HTTP.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::Arc;

use serde_json::{Value, json};
use toolprobe::conversation::{Address, AgentLoop, Client, Conversation, Ending, ExchangeLog};
use toolprobe::dialect::DialectId;
use toolprobe::ir::ToolSpec;
use toolprobe::prompted::{Protocol, ToolDelivery};
use toolprobe::sim::{Fleet, Options, Sim};
use toolprobe::tools::{Registry, Tool, ToolFuture};
use toolprobe::transport::{HttpTransport, Scrubber, SizeLimits, Timeouts};

/// The model, and how it learns of the tools: what `toolprobe probe` reports as `toolDelivery`.
const MODELS: [(&str, ToolDelivery); 3] = [
    ("deepseek-v4-thinking", ToolDelivery::Native),
    ("qwen3-coder-xml", ToolDelivery::Native),
    ("taught-tool-use", ToolDelivery::Prompted(Protocol::ToolUse)),
];

struct Tide;

impl Tool for Tide {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "tide".to_owned(),
            description: "The time of the next high tide in a port.".to_owned(),
            input_schema: json!({
                "type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]
            }),
            strict: None,
        }
    }

    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        Box::pin(async move { Ok(json!({"port": input["port"], "highTide": "04:12"})) })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let sim = Sim::start(Fleet::embedded()?, "127.0.0.1:0", Options::default()).await?;
    for (model, delivery) in MODELS {
        let ending = ask(&sim.base_url(), model, delivery).await?;
        println!("{model}: {ending:?}");
    }
    Ok(())
}

/// The same lines for every model.
async fn ask(url: &str, model: &str, delivery: ToolDelivery) -> Result<Ending, Box<dyn Error>> {
    let address = Address {
        dialect: DialectId::OpenAiChat,
        base: url.parse()?,
        model: model.to_owned(),
        headers: Vec::new(),
        extra: serde_json::Map::new(),
        max_tokens: 1024,
    };
    let transport =
        HttpTransport::new(Timeouts::default(), SizeLimits::default(), Scrubber::default())?;
    let client = Client::new(address, Arc::new(transport), ExchangeLog::default())?;
    let mut tools = Registry::default();
    tools.register_mcp("harbour", Box::new(Tide))?;
    let words = "Call the tool `mcp__harbour__tide` once, with:\n- port = \"Brest\"";
    let mut agent = AgentLoop::new(Conversation::new(&client, delivery, &tools, words), 8);
    Ok(agent.run().await)
}
