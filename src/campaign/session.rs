//! Session: an agent's use of one target, as the eleven steps of a compatibility layer.
//!
//! Each step can fail into a [`Caution`] that is more careful than the one before; none of them can
//! make a session less careful. What every step did is kept in a trace.

use std::fmt;

use super::{ProbeTargetError, RunSettings, probe_target};
use crate::adapt::plan::Plan;
use crate::adapt::rollout::TierGate;
use crate::conversation::{AgentLoop, Client, Conversation, Ending, ExchangeLog, Step};
use crate::profile::{CorrectionKind, Profile, Setting, Staleness, Tier, ToolOffer, staleness};
use crate::prompted::ToolDelivery;
use crate::target::Connection;
use crate::telemetry::TurnEvent;
use crate::tools::Registry;

/// A step of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionStep {
    /// Looks for a profile that is kept.
    LoadProfile,
    /// Probes, where there is none or it is stale.
    Probe,
    /// Chooses the plan, and so how tools are offered and calls are read.
    ChooseAdapter,
    /// Writes the request as the target needs it.
    Encode,
    /// Sends it and waits for the reply.
    Receive,
    /// Reads the calls in the reply.
    Parse,
    /// Holds calls against the original schemas and the tier.
    Validate,
    /// Runs what may run; everything else becomes a structured error.
    Execute,
    /// Writes the results as the target needs them.
    EncodeResult,
    /// Keeps reasoning and calls for the next request.
    PreserveState,
    /// Counts what happened.
    RecordTelemetry,
}

impl SessionStep {
    /// All of them, in order.
    pub const ALL: [Self; 11] = [
        Self::LoadProfile,
        Self::Probe,
        Self::ChooseAdapter,
        Self::Encode,
        Self::Receive,
        Self::Parse,
        Self::Validate,
        Self::Execute,
        Self::EncodeResult,
        Self::PreserveState,
        Self::RecordTelemetry,
    ];

    /// The steps of a turn, in which calls came or not.
    const TURN: [Self; 3] = [Self::Encode, Self::Receive, Self::Parse];
    const CALLS: [Self; 4] =
        [Self::Validate, Self::Execute, Self::EncodeResult, Self::PreserveState];
}

/// How careful a session is, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Caution {
    /// As the tier of the target allows.
    AsTrusted,
    /// Only tools that look run.
    ReadOnlyTools,
    /// No tools: the model plans and explains.
    NoTools,
    /// Nothing goes on without somebody being asked.
    AskSomebody,
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsTrusted => "as trusted",
            Self::ReadOnlyTools => "read-only tools",
            Self::NoTools => "no tools",
            Self::AskSomebody => "ask somebody",
        })
    }
}

/// What one step did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Which of the eleven it was.
    pub step: SessionStep,
    /// What came of it, in words.
    pub outcome: String,
    /// How careful the session was after it.
    pub caution: Caution,
}

/// An agent's use of one target.
pub struct Session {
    client: Client,
    profile: Profile,
    tier: Tier,
    caution: Caution,
    trace: Vec<Visit>,
    telemetry: Vec<TurnEvent>,
}

impl Session {
    /// The first three steps: a profile that still holds, from those kept or by probing, and the
    /// plan that follows from it. `tier` is how far the target is trusted; see
    /// [`crate::adapt::rollout`].
    pub async fn open(
        connection: &Connection,
        settings: &RunSettings,
        kept: Option<Profile>,
        tier: Tier,
    ) -> Result<Self, ProbeTargetError> {
        let mut trace = Vec::new();
        let mut visit = |step, outcome: &str, caution| {
            trace.push(Visit { step, outcome: outcome.to_owned(), caution });
        };
        let fresh = kept.filter(|profile| is_fresh(profile, connection, settings));
        let loaded = if fresh.is_some() { "fresh" } else { "missing or stale" };
        visit(SessionStep::LoadProfile, loaded, Caution::AsTrusted);
        let (profile, probed) = if let Some(profile) = fresh {
            (profile, "not needed")
        } else {
            (probe_target(connection, settings, &()).await?.profile, "probed")
        };
        visit(SessionStep::Probe, probed, Caution::AsTrusted);
        let plan = Plan::of(&profile);
        let caution = first_caution(&profile, &plan, tier);
        let kinds: Vec<&str> = plan.kinds().map(CorrectionKind::as_str).collect();
        visit(SessionStep::ChooseAdapter, &format!("corrections: {}", kinds.join(", ")), caution);
        let access = connection.target.endpoint.accesses.iter();
        let access =
            access.clone().find(|it| it.dialect == profile.dialect).or(access.clone().next());
        let access = access.ok_or(ProbeTargetError::NoAccess)?;
        let client = connection.client(access, ExchangeLog::default())?.with_plan(plan);
        Ok(Self { client, profile, tier, caution, trace, telemetry: Vec::new() })
    }

    /// The profile that it works by.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// How careful it is by now.
    pub fn caution(&self) -> Caution {
        self.caution
    }

    /// What each step did so far.
    pub fn trace(&self) -> &[Visit] {
        &self.trace
    }

    /// The turns so far, for regression and for [`crate::adapt::rollout`].
    pub fn telemetry(&self) -> &[TurnEvent] {
        &self.telemetry
    }

    /// Keeps tools from running that the tier, or the session's caution, does not allow.
    pub fn guard(&self, tools: &mut Registry) {
        let careful = match self.caution {
            Caution::AsTrusted => Tier::Full,
            Caution::ReadOnlyTools => Tier::ReadOnly,
            Caution::NoTools | Caution::AskSomebody => Tier::Blocked,
        };
        tools.add_hook(Box::new(TierGate(self.tier.min(careful))));
    }

    /// Asks, and takes steps until the model answers in words or cannot go on. `tools` are those
    /// that [`Self::guard`] has seen.
    pub async fn ask(&mut self, tools: &Registry, words: &str, max_turns: usize) -> Ending {
        let no_tools = Registry::default();
        let offered = if self.caution >= Caution::NoTools { &no_tools } else { tools };
        let client = self.client.clone();
        let conversation = Conversation::new(&client, ToolDelivery::Native, offered, words);
        let mut agent = AgentLoop::new(conversation, max_turns);
        let ending = loop {
            let taken = agent.step().await;
            for step in SessionStep::TURN {
                self.visit(step, "done");
            }
            match taken {
                Step::Called(results) => {
                    let failed = results.iter().filter(|result| result.is_error).count();
                    let outcome = format!("{} calls, {failed} refused or failed", results.len());
                    for step in SessionStep::CALLS {
                        self.visit(step, &outcome);
                    }
                }
                Step::Ended(ending) => break ending,
            }
        };
        self.telemetry.extend(agent.conversation().telemetry().iter().cloned());
        self.caution = self.caution.max(caution_after(&ending));
        self.visit(SessionStep::RecordTelemetry, &format!("{} turns", self.telemetry.len()));
        ending
    }

    fn visit(&mut self, step: SessionStep, outcome: &str) {
        self.trace.push(Visit { step, outcome: outcome.to_owned(), caution: self.caution });
    }
}

/// How careful a session begins.
fn first_caution(profile: &Profile, plan: &Plan, tier: Tier) -> Caution {
    let offers_none = matches!(
        plan.setting(CorrectionKind::Delivery),
        Some(Setting::Delivery { tools: ToolOffer::None })
    );
    if offers_none || profile.capabilities.tool_call_format.is_none() {
        return Caution::NoTools;
    }
    match tier {
        Tier::Full => Caution::AsTrusted,
        Tier::ReadOnly => Caution::ReadOnlyTools,
        Tier::Shadow | Tier::Blocked => Caution::NoTools,
    }
}

/// How careful it is after an ending.
fn caution_after(ending: &Ending) -> Caution {
    match ending {
        Ending::Answered(_) => Caution::AsTrusted,
        Ending::OutOfTurns | Ending::Loop(_) => Caution::ReadOnlyTools,
        Ending::NoReply(_) | Ending::Unrepaired(_) => Caution::AskSomebody,
    }
}

fn is_fresh(profile: &Profile, connection: &Connection, settings: &RunSettings) -> bool {
    let (version, now) = (settings.suite.version(), settings.verified_at);
    let ttl = connection.target.endpoint.ttl;
    let state = staleness(Some(profile), &profile.subject, version, now, ttl);
    profile.subject.model == connection.target.model && matches!(state, Staleness::Fresh { .. })
}
