//! The bench: the client that is probed, and how its trials are held.

use super::{Probe, Seed};
use crate::conversation::{Client, Conversation};
use crate::profile::{Manner, ThinkingSwitch};
use crate::prompted::ToolDelivery;
use crate::tools::Registry;

/// A client to be probed, and how.
#[derive(Clone)]
pub struct Bench {
    /// Sends the requests.
    pub client: Client,
    /// How tools are made known.
    pub delivery: ToolDelivery,
    /// Whether replies are streamed.
    pub stream: bool,
    /// Where the values of trials come from.
    pub seed: Seed,
    /// Trials of each case.
    pub trials: u32,
    /// How thinking is switched, where that is known.
    pub thinking: Option<ThinkingSwitch>,
    /// What flags change of how it is asked.
    pub manner: Manner,
}

impl Bench {
    /// The seeds of a case's trials. A streamed twin gets those of its plain one.
    pub(super) fn seeds(&self, probe: &str, case: &str) -> Vec<Seed> {
        let case = self.seed.child(probe).child(case);
        (0..self.trials).map(|trial| case.child(&trial.to_string())).collect()
    }

    /// The most tokens that a reply to this probe may have.
    pub(super) fn max_tokens(&self, probe: &Probe) -> u64 {
        self.manner.max_tokens.unwrap_or(probe.file.max_tokens)
    }

    /// A conversation that begins with these words.
    pub(super) fn conversation<'a>(&'a self, tools: &'a Registry, words: &str) -> Conversation<'a> {
        let mut conversation = Conversation::new(&self.client, self.delivery, tools, words);
        conversation.request().stream = self.stream;
        conversation
    }
}
