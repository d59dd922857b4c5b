//! Session: an agent's use of one target, as the eleven steps of a compatibility layer.
//!
//! - `step`: the steps by name, and the trace of what each did
//! - `caution`: the states that a step can fail into, each more careful than the one before
//! - `open`: the first three steps, which find the profile and choose the plan
//! - `turn`: the seven steps of a turn, and the one that counts
//!
//! A step never makes a session less careful, and no step lets a failure pass on to the next one: what
//! cannot be read, is not valid or is not allowed becomes a structured error for the model.

mod caution;
mod open;
mod step;
mod turn;

pub use caution::Caution;
pub use step::SessionStep;

use step::{Trace, Visit};

use crate::conversation::{Client, Conversation, Ending};
use crate::profile::{Profile, Tier};
use crate::prompted::ToolDelivery;
use crate::telemetry::TurnEvent;
use crate::tools::Registry;

/// An agent's use of one target.
pub struct Session {
    client: Client,
    profile: Profile,
    tier: Tier,
    trace: Trace,
    /// Turns in a row with a tool error.
    failures: u32,
    telemetry: Vec<TurnEvent>,
}

impl Session {
    /// The profile that it works by.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The client that follows its plan, for a conversation whose steps the caller takes.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// How careful it is by now.
    pub fn caution(&self) -> Caution {
        self.trace.caution
    }

    /// What each step did so far.
    pub fn trace(&self) -> &[Visit] {
        &self.trace.visits
    }

    /// The turns so far, for regression and for `crate::adapt::rollout`.
    pub fn telemetry(&self) -> &[TurnEvent] {
        &self.telemetry
    }

    /// Asks, and takes turns until the model answers in words or cannot go on.
    pub async fn ask(&mut self, tools: &Registry, words: &str, max_turns: usize) -> Ending {
        let client = self.client.clone();
        let mut talk = Conversation::new(&client, ToolDelivery::Native, tools, words);
        let mut ending = Ending::OutOfTurns;
        for _ in 0..max_turns {
            if let Some(ended) = self.turn(&mut talk, tools).await {
                ending = ended;
                break;
            }
        }
        self.record_telemetry(&talk, &ending);
        ending
    }

    /// One turn in seven steps; the ending, where there is nothing to send back.
    async fn turn(&mut self, talk: &mut Conversation<'_>, tools: &Registry) -> Option<Ending> {
        let encoded = self.encode(talk).await;
        let received = self.receive(talk, encoded).await;
        let turn = self.parse(talk, received).await;
        if let Some(ending) = talk.ending(&turn) {
            self.preserve_state(talk, &turn, None);
            return Some(ending);
        }
        let validated = self.validate(talk, tools, &turn);
        let results = self.execute(talk, tools, &turn, validated).await;
        let message = self.encode_result(talk, &turn, &results);
        self.preserve_state(talk, &turn, message);
        self.exhausted(talk, &results).map(Ending::Unrepaired)
    }
}
