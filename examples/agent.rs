//! An agent with one tool, on three simulated models that call tools in three different ways.
//!
//! Nothing here is about a model: each is probed, its plan is followed, and its tier decides what runs.
//! `cargo run --example agent` needs no key and no network: the models are served over loopback HTTP.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::Arc;

use chrono::DateTime;
use serde_json::{Value, json};
use toolprobe::campaign::{RunSettings, Session};
use toolprobe::ir::ToolSpec;
use toolprobe::probe::{Suite, SuiteName};
use toolprobe::profile::Tier;
use toolprobe::sim::{Fleet, Options, Sim};
use toolprobe::target::{Defaults, Target, connect, simulated_fleet};
use toolprobe::tools::{Registry, Tool, ToolFuture};
use toolprobe::transport::Budget;

/// One must get its reasoning back, one writes XML into the text, one must be taught.
const MODELS: [&str; 3] = ["deepseek-v4-thinking", "qwen3-coder-xml", "taught-tool-use"];

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
    let fleet = Fleet::embedded()?;
    let sim = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await?;
    let targets = simulated_fleet(&fleet, &sim.base_url(), &Defaults::default())?;
    for target in targets.into_iter().filter(|target| MODELS.contains(&target.name.as_str())) {
        ask(target).await?;
    }
    Ok(())
}

/// The same dozen lines for every model.
async fn ask(target: Target) -> Result<(), Box<dyn Error>> {
    let (suite, name) = (Suite::embedded()?, SuiteName::Standard);
    let settings =
        RunSettings { suite, name, trials: 1, seed: 1, verified_at: DateTime::UNIX_EPOCH };
    let connection = connect(target, &|_| None, &Arc::new(Budget::unlimited()))?;
    let mut session = Session::open(&connection, &settings, None, Tier::ReadOnly).await?;
    let mut tools = Registry::default();
    tools.register_mcp("harbour", Box::new(Tide))?;
    let words = "Call the tool `mcp__harbour__tide` once, with:\n- port = \"Brest\"";
    let ending = session.ask(&tools, words, 8).await;
    println!("{}: {ending:?}", connection.target.name);
    for visit in session.trace() {
        println!("  {:?}: {} ({})", visit.step, visit.outcome, visit.caution);
    }
    Ok(())
}
