//! Agent loop: turns with tools until the model answers in words, or cannot go on.
//!
//! Bounded in turns, and stopped when the same call comes three times in a row. [`Conversation`]
//! does the work; here is only what is decided between two turns.

use super::{Conversation, Miss};
use crate::ir::{ToolCall, ToolResult};

/// How an agent loop ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With an answer in words.
    Answered(String),
    /// With the same call, again and again; the last one was not run.
    Loop(ToolCall),
    /// With calls still coming when the turns were used up.
    OutOfTurns,
    /// With a tool error that the model may not try to correct once more, by its plan.
    Unrepaired(ToolResult),
    /// Without a reply to act on, and why.
    NoReply(Miss),
}

/// What one step gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The model called: these are the results that the next step sends back.
    Called(Vec<ToolResult>),
    /// There is nothing to send back.
    Ended(Ending),
}

/// A conversation that goes on by itself.
pub struct AgentLoop<'a> {
    conversation: Conversation<'a>,
    max_turns: usize,
    turns: usize,
    /// Turns in a row with a tool error.
    failures: u32,
}

impl<'a> AgentLoop<'a> {
    /// At most so many turns are taken for one ask of the user.
    pub fn new(conversation: Conversation<'a>, max_turns: usize) -> Self {
        Self { conversation, max_turns, turns: 0, failures: 0 }
    }

    /// The conversation so far, with its evidence and telemetry.
    pub fn conversation(&self) -> &Conversation<'a> {
        &self.conversation
    }

    /// Adds the user's next words.
    pub fn say(&mut self, words: &str) {
        self.conversation.say(words);
        self.turns = 0;
    }

    /// Takes one turn and runs its calls.
    ///
    /// A step that is dropped half-way does no harm: calls that were not run, here or in a history
    /// that was resumed, are answered with an error before the next request.
    pub async fn step(&mut self) -> Step {
        if self.turns == self.max_turns {
            return Step::Ended(Ending::OutOfTurns);
        }
        self.turns += 1;
        self.conversation.repair_history().await;
        let turn = self.conversation.turn().await;
        if let Some(ending) = self.conversation.ending(&turn) {
            return Step::Ended(ending);
        }
        let results = self.conversation.run_tools(&turn).await;
        match self.exhausted(&results) {
            Some(failed) => Step::Ended(Ending::Unrepaired(failed)),
            None => Step::Called(results),
        }
    }

    /// The error after which the plan allows no further try.
    fn exhausted(&mut self, results: &[ToolResult]) -> Option<ToolResult> {
        let failed = results.iter().find(|result| result.is_error);
        self.failures = if failed.is_some() { self.failures + 1 } else { 0 };
        let is_over = self.conversation.retries().is_some_and(|most| self.failures > most);
        failed.filter(|_| is_over).cloned()
    }

    /// Takes steps until the model answers in words, or cannot go on.
    pub async fn run(&mut self) -> Ending {
        loop {
            if let Step::Ended(ending) = self.step().await {
                return ending;
            }
        }
    }
}
