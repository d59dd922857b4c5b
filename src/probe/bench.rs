//! What does a probe work with?

use serde_json::{Value, json};

use super::suite::CallAsk;
use super::{Probe, Seed, Wanted, fill};
use crate::conversation::{Answer, Client, Conversation, Miss};
use crate::ir::{Defect, Digest, Layer, Object, ToolSpec};
use crate::profile::{Finding, Observation, Taken, ThinkingSwitch, Variant};
use crate::prompted::ToolDelivery;
use crate::telemetry::TurnEvent;
use crate::tools::probes;
use crate::tools::{Effect, Nonces, Registry, RegistryError, Tool, ToolFuture};

/// An endpoint to be probed, and how.
#[derive(Clone)]
pub struct Bench {
    /// The endpoint.
    pub client: Client,
    /// How tools are made known.
    pub delivery: ToolDelivery,
    /// Whether replies are streamed.
    pub stream: bool,
    /// Where the trials' values come from.
    pub seed: Seed,
    /// How many trials each case gets.
    pub trials: u32,
    /// How thinking is switched, where that is known.
    pub thinking: Option<ThinkingSwitch>,
}

impl Bench {
    /// The seeds of a case's trials. A streamed twin gets those of its plain one.
    pub(super) fn seeds(&self, probe: &str, case: &str) -> Vec<Seed> {
        let case = self.seed.child(probe).child(case);
        (0..self.trials).map(|trial| case.child(&trial.to_string())).collect()
    }

    /// A conversation that asks for something.
    pub(super) fn conversation<'a>(&'a self, tools: &'a Registry, ask: &str) -> Conversation<'a> {
        let mut conversation = Conversation::new(&self.client, self.delivery, tools, ask);
        conversation.request().stream = self.stream;
        conversation
    }
}

/// What is known of single calls, which the other probes are compared with.
pub(super) struct Known {
    /// Whether they arrive: the control of negatives.
    pub(super) control: Finding,
    /// Where they stand.
    pub(super) layer: Option<Layer>,
}

/// One trial: what it showed, the exchanges that show it, and what else it told.
#[derive(Debug, Clone)]
pub(super) struct Trial<F> {
    pub(super) observation: Observation,
    pub(super) evidence: Vec<Digest>,
    pub(super) defects: Vec<Defect>,
    pub(super) telemetry: Vec<TurnEvent>,
    /// Where its calls stood.
    pub(super) layer: Option<Layer>,
    /// Whether it showed its calls to have the very values asked for.
    pub(super) is_exact: bool,
    pub(super) facts: F,
}

impl<F> Trial<F> {
    /// A trial that was not held.
    pub(super) fn skipped(why: impl Into<String>, facts: F) -> Self {
        Self::settled(Finding::Skipped(why.into()), facts)
    }

    /// A trial whose outcome was known without holding it.
    pub(super) fn settled(finding: Finding, facts: F) -> Self {
        let (evidence, defects, telemetry, layer, is_exact) = Default::default();
        let observation = finding.into();
        Self { observation, evidence, defects, telemetry, layer, is_exact, facts }
    }

    /// A trial that was one conversation.
    pub(super) fn of(
        conversation: &Conversation<'_>,
        observation: impl Into<Observation>,
        facts: F,
    ) -> Self {
        Self {
            observation: observation.into(),
            evidence: conversation.evidence().to_vec(),
            defects: conversation.defects().to_vec(),
            telemetry: conversation.telemetry().to_vec(),
            layer: conversation.layer(),
            is_exact: false,
            facts,
        }
    }

    /// The same, now that its calls were compared with those asked for.
    pub(super) fn exactly(self, is_exact: bool) -> Self {
        Self { is_exact, ..self }
    }

    /// Without what else it told.
    pub(super) fn bare(self) -> Trial<()> {
        let Self { observation, evidence, defects, telemetry, layer, is_exact, .. } = self;
        Trial { observation, evidence, defects, telemetry, layer, is_exact, facts: () }
    }

    /// Whether it passed with calls that stood where a client that reads those of `usual` does not
    /// look: the model called, and the server lost it on the way.
    pub(super) fn is_displaced(&self, usual: Option<Layer>) -> bool {
        matches!(self.observation, Observation::Settled(Finding::Pass(_)))
            && usual.is_some_and(|usual| self.layer > Some(usual))
    }
}

/// What a request without a reply shows; `None` where there is a reply to judge.
pub(super) fn unanswered(answer: &Answer) -> Option<Observation> {
    Some(match answer.miss()? {
        Miss::Open(words) => Finding::Inconclusive(words).into(),
        Miss::Clear(words) => Observation::Negative(words),
    })
}

/// What is left of a trial whose first request got no reply; `what` names what was needed of it.
pub(super) fn blocked(answer: &Answer, what: &str) -> Option<Finding> {
    Some(match answer.miss()? {
        Miss::Open(words) => Finding::Inconclusive(words),
        Miss::Clear(words) => Finding::Skipped(format!("{what}: {words}")),
    })
}

/// How a follow-up was taken.
pub(super) fn variant(answer: &Answer) -> Variant {
    let taken = match answer {
        Answer::Reply(_) => Taken::Accepted,
        Answer::Refused(_) => Taken::Rejected,
        Answer::CutShort(_) | Answer::OutputRejected(_) | Answer::Nothing(_) => Taken::Inconclusive,
    };
    let said = match answer {
        Answer::Refused(error) | Answer::OutputRejected(error) => Some(error.message.clone()),
        Answer::Nothing(words) => Some(words.clone()),
        Answer::Reply(_) | Answer::CutShort(_) => None,
    };
    Variant { taken, said, prompt_tokens: answer.reply().and_then(|reply| reply.usage.input) }
}

/// The call that a probe file asks for, with this trial's values.
pub(super) fn wanted(ask: &CallAsk, seed: &Seed) -> Wanted {
    Wanted { tool: ask.tool.clone(), arguments: fill(&ask.arguments.0, &seed.child(&ask.tool)) }
}

/// Which tools are on offer.
pub(super) struct Offer<'a> {
    /// The probe whose own tools count beside the built-in ones.
    pub(super) probe: &'a Probe,
    /// The tools that the calls need.
    pub(super) names: &'a [&'a str],
    /// How many others stand beside them.
    pub(super) among: u32,
    /// Characters of filler round each result.
    pub(super) filler: u32,
}

impl Offer<'_> {
    /// The tools of one trial.
    pub(super) fn tools(&self, seed: &Seed) -> Result<Registry, RegistryError> {
        let nonces = Nonces::seeded(seed.nonce());
        let is_asked_for = |name: &str| self.names.contains(&name);
        let own: Vec<ToolSpec> =
            self.probe.own_tools().filter(|spec| is_asked_for(&spec.name)).collect();
        // A probe's own tool wins over a built-in one of the same name.
        let is_own = |name: &str| own.iter().any(|spec| spec.name == name);
        let built_in = probes::all(&nonces).into_iter().filter(|tool| {
            let name = tool.spec().name;
            is_asked_for(&name) && !is_own(&name)
        });
        let mut registry = Registry::default();
        let declared = own.iter().map(|spec| Declared::boxed(spec.clone(), &nonces));
        for tool in declared.chain(built_in) {
            registry.register(Box::new(Padded { tool, filler: self.filler }))?;
        }
        for number in 0..self.among {
            registry.register(Declared::boxed(other(number), &nonces))?;
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
    fn boxed(spec: ToolSpec, nonces: &Nonces) -> Box<dyn Tool> {
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

/// A tool whose result stands in the middle of filler.
struct Padded {
    tool: Box<dyn Tool>,
    filler: u32,
}

impl Tool for Padded {
    fn spec(&self) -> ToolSpec {
        self.tool.spec()
    }

    fn effect(&self) -> Effect {
        self.tool.effect()
    }

    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        Box::pin(async {
            let result = self.tool.run(input).await?;
            Ok(match result {
                Value::Object(map) if self.filler > 0 => self.padded(map),
                other => other,
            })
        })
    }
}

impl Padded {
    fn padded(&self, map: Object) -> Value {
        let line = "This entry of the log says nothing that matters. ";
        let half = line.chars().cycle().take(self.filler as usize / 2).collect::<String>();
        let mut padded = Object::new();
        padded.insert("log".to_owned(), Value::String(half.clone()));
        padded.extend(map);
        padded.insert("moreLog".to_owned(), Value::String(half));
        Value::Object(padded)
    }
}
