//! The tools on offer in a trial: built in, declared by the probe file, or beside the point.

use serde_json::{Value, json};

use super::{Probe, Seed};
use crate::ir::{Object, ToolSpec};
use crate::tools::probes;
use crate::tools::{Effect, Nonces, Registry, RegistryError, Tool, ToolFuture};

/// Which tools are on offer.
pub(crate) struct Offer<'a> {
    /// The probe whose own tools count beside the built-in ones.
    pub(crate) probe: &'a Probe,
    /// The tools that the calls need.
    pub(crate) names: Vec<&'a str>,
    /// How many others stand beside them.
    pub(crate) among: u32,
    /// Characters of filler round each result.
    pub(crate) filler: u32,
    /// Whether every result carries a receipt, also that of a tool that gives none by itself.
    pub(crate) receipts: bool,
}

impl<'a> Offer<'a> {
    pub(crate) fn new(probe: &'a Probe, names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { probe, names: names.into_iter().collect(), among: 0, filler: 0, receipts: false }
    }

    /// The tools of one trial.
    pub(crate) fn tools(&self, seed: &Seed) -> Result<Registry, RegistryError> {
        let nonces = Nonces::seeded(seed.nonce());
        let is_asked_for = |name: &str| self.names.contains(&name);
        let own: Vec<ToolSpec> =
            self.probe.own_tools().filter(|spec| is_asked_for(&spec.name)).collect();
        // A probe's own tool wins over a built-in one of the same name.
        let is_own = |name: &str| own.iter().any(|spec| spec.name == name);
        let built_in = probes::named(&nonces, |name| is_asked_for(name) && !is_own(name));
        let mut registry = Registry::default();
        let declared = own.iter().map(|spec| Declared::box_tool(spec.clone(), &nonces));
        for tool in declared.chain(built_in) {
            let receipts = self.receipts.then(|| nonces.clone());
            registry.register(Box::new(Extended { tool, filler: self.filler, receipts }))?;
        }
        for number in 0..self.among {
            registry.register(Declared::box_tool(other(number), &nonces))?;
        }
        Ok(registry)
    }
}

/// A tool that a probe file declares: it takes what its schema allows and confirms it.
struct Declared {
    spec: ToolSpec,
    nonces: Nonces,
}

impl Declared {
    fn box_tool(spec: ToolSpec, nonces: &Nonces) -> Box<dyn Tool> {
        Box::new(Self { spec, nonces: nonces.clone() })
    }
}

impl Tool for Declared {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        let receipt = self.nonces.word(&format!("{} {input}", self.spec.name));
        Box::pin(std::future::ready(Ok(json!({"ok": true, "receipt": receipt}))))
    }
}

/// A tool that nobody asks for.
fn other(number: u32) -> ToolSpec {
    ToolSpec {
        name: format!("probe_other_{number}"),
        description: format!("Look up entry {number} of a register that nobody needs now."),
        input_schema: json!({
            "type": "object",
            "properties": {"entry": {"type": "string"}},
            "required": ["entry"]
        }),
        strict: None,
    }
}

/// A tool whose result carries more than it gives by itself.
struct Extended {
    tool: Box<dyn Tool>,
    /// Characters of filler round the result.
    filler: u32,
    /// Where a receipt comes from that the tool does not give.
    receipts: Option<Nonces>,
}

impl Tool for Extended {
    fn spec(&self) -> ToolSpec {
        self.tool.spec()
    }

    fn effect(&self) -> Effect {
        self.tool.effect()
    }

    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let mut map = match self.tool.run(input).await? {
                Value::Object(map) => map,
                other => return Ok(other),
            };
            if let Some(nonces) = &self.receipts {
                let receipt =
                    || Value::String(nonces.word(&format!("{} {input}", self.spec().name)));
                map.entry("receipt").or_insert_with(receipt);
            }
            Ok(if self.filler > 0 { self.pad_arguments(map) } else { Value::Object(map) })
        })
    }
}

impl Extended {
    fn pad_arguments(&self, map: Object) -> Value {
        let line = "This entry of the log says nothing that matters. ";
        let half = line.chars().cycle().take(self.filler as usize / 2).collect::<String>();
        let mut padded = Object::new();
        padded.insert("log".to_owned(), Value::String(half.clone()));
        padded.extend(map);
        padded.insert("moreLog".to_owned(), Value::String(half));
        Value::Object(padded)
    }
}
