//! The bench: the client that is probed, and how its trials are held.

use super::{Probe, Seed};
use crate::conversation::{Client, Conversation};
use crate::profile::{Manner, ReplyMode, ThinkingSwitch};
use crate::prompted::ToolDelivery;
use crate::tools::Registry;

/// A client to be probed, and how.
#[derive(Clone)]
pub(crate) struct Bench {
    /// Sends the requests.
    pub client: Client,
    /// How tools are made known.
    pub delivery: ToolDelivery,
    /// Which replies the suite asks for.
    pub replies: ReplyMode,
    /// Whether this is the streamed twin of what the suite asks for plainly.
    pub is_twin: bool,
    /// Where the values of trials come from.
    pub seed: Seed,
    /// Trials of each case.
    pub trials: u32,
    /// The number of the first of them.
    pub first_trial: u32,
    /// How thinking is switched, where that is known.
    pub thinking: Option<ThinkingSwitch>,
    /// What flags change of how it is asked.
    pub manner: Manner,
}

impl Bench {
    /// The seeds of a case's trials. A streamed twin gets those of its plain one.
    pub(super) fn seeds(&self, probe: &str, case: &str) -> Vec<Seed> {
        let case = self.seed.child(probe).child(case);
        let numbers = self.first_trial..self.first_trial.saturating_add(self.trials);
        numbers.map(|trial| case.child(&trial.to_string())).collect()
    }

    /// The same for this probe, whose conversations are about so long.
    pub(super) fn expecting(&self, probe: &Probe) -> Self {
        Self { client: self.client.expecting(probe.question.turns()), ..self.clone() }
    }

    /// Whether replies are streamed.
    pub(super) fn streams(&self) -> bool {
        self.is_twin || self.replies == ReplyMode::Streamed
    }

    /// The most tokens that a reply to this probe may have.
    pub(super) fn max_tokens(&self, probe: &Probe) -> u64 {
        self.manner.max_tokens.unwrap_or(probe.file.max_tokens)
    }

    /// A conversation that begins with these words.
    pub(super) fn conversation<'a>(&'a self, tools: &'a Registry, words: &str) -> Conversation<'a> {
        let mut conversation = Conversation::new(&self.client, self.delivery, tools, words);
        conversation.request().stream = self.streams();
        conversation
    }
}
