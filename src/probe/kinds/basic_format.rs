//! `[ask.basic-format]`: in which form does a call arrive, if one does?
//!
//! One call is asked for on the rung that the bench names; which rung works is found out by
//! [`Ladder`](crate::probe::ladder::Ladder).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, CallAsk, Case, Costing, Estimate, Fit, Known, Offer, ProbeKind, Seed, SettledCase,
    Trial, ask_for, best_fit, count, describe_missing_call, layer_words, missing_reply, outcome,
};
use crate::conversation::Reading;
use crate::ir::{CallFormat, Defect, Layer};
use crate::profile::{
    Finding, JsonText, Observation, ProbeResult, ReplyMode, SingleTool, Strictness,
};
use crate::prompted::{Force, Protocol, ToolDelivery};
use crate::tools::RegistryError;

/// The ladder: native tools, calls in text, taught protocols.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BasicFormat {
    /// The call to ask for.
    call: CallAsk,
    /// The text protocols to teach where native tools do not work, best first.
    pub(crate) protocols: Vec<Protocol>,
}

/// What was heard in a trial.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard {
    /// Whether there was a reply at all.
    pub(crate) is_answered: bool,
    /// Which kind of reply was asked for.
    pub(crate) replies: ReplyMode,
    /// The form of its call, if there was one, and how the tools had been made known.
    pub(crate) form: Option<(CallForm, ToolDelivery)>,
}

/// The form that a call arrived in.
#[derive(Debug, Clone)]
pub(crate) struct CallForm {
    layer: Layer,
    format: CallFormat,
    parser: Option<String>,
    repairs: Vec<String>,
    broken: bool,
}

impl ProbeKind for BasicFormat {
    const NAME: &'static str = "basic-format";
    type Facts = Heard;

    fn calls(&self) -> Vec<&CallAsk> {
        vec![&self.call]
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<Heard>> {
        vec![self.hold(asking, "").await]
    }

    fn revise(cases: &mut [Case<Heard>], _known: &Known) {
        cases.iter_mut().for_each(mark_other_layers);
    }

    fn result(probe: &str, cases: &[SettledCase<Heard>]) -> ProbeResult {
        ProbeResult::SingleTool(single_tool(probe, cases))
    }

    fn turns(&self) -> u32 {
        // What else is asked depends on it.
        4
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let once = costing.talk(self.calls(), "").turns(1);
        if costing.is_twin {
            return Estimate::exactly(once);
        }
        // The native rung is asked once more before another one counts, and a call is demanded in each
        // way. The control that asks for a word without tools costs less than a trial.
        let rungs = 4 + count(Force::ALL.len()) + count(self.protocols.len());
        Estimate { likely: once, most: once * rungs }
    }

    fn ladder(&self) -> Option<&BasicFormat> {
        Some(self)
    }
}

impl BasicFormat {
    /// Holds the trials of one rung, with values of their own for each case.
    pub(crate) async fn hold(&self, asking: Asking<'_>, case: &str) -> Case<Heard> {
        asking.hold(case, |seed| self.trial(asking, seed)).await
    }

    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<Heard>, RegistryError> {
        let wanted = self.call.fill(&seed);
        let tools = Offer::new(asking.probe, [wanted.tool.as_str()]).tools(&seed)?;
        let words = ask_for(std::slice::from_ref(&wanted));
        let mut conversation = asking.conversation(&tools, &words);
        let turn = conversation.turn().await;
        let shown = missing_reply(&turn.answer).unwrap_or_else(|| {
            match best_fit(&turn.reading, &wanted, &tools) {
                None => Observation::Negative(describe_missing_call(&turn.reading)),
                Some((_, fit)) => judge(&fit, &turn.reading),
            }
        });
        let form = form(&turn.reading).map(|form| (form, asking.bench.delivery));
        let (is_answered, replies) = (turn.reply().is_some(), asking.bench.replies);
        let heard = Heard { is_answered, replies, form };
        Ok(Trial::of(&conversation, shown, heard))
    }
}

fn judge(fit: &Fit, reading: &Reading) -> Observation {
    match (fit, reading.layer) {
        (Fit::Exact, layer) => {
            Finding::pass(format!("one call, {}", layer_words(layer.unwrap_or(Layer::Structured))))
                .into()
        }
        (Fit::Valid, _) => Observation::Negative("a call with other values than asked for".into()),
        (Fit::Invalid(problem), _) => {
            Observation::Negative(format!("a call whose arguments break its schema: {problem}"))
        }
        (Fit::OtherTool(name), _) => {
            Observation::Negative(format!("a call of '{name}', which was not asked for"))
        }
    }
}

fn form(reading: &Reading) -> Option<CallForm> {
    Some(CallForm {
        layer: reading.layer?,
        format: reading.calls.first()?.format,
        parser: reading.parser.clone(),
        repairs: reading.repairs.clone(),
        broken: !reading.broken.is_empty(),
    })
}

/// A call that arrived in another layer than most is one that a parser set up for most will miss.
pub(crate) fn mark_other_layers(case: &mut Case<Heard>) {
    let Some(most) = prevailing(&forms(&case.trials)).map(|form| form.layer) else { return };
    for trial in &mut case.trials {
        if let Some((form, _)) = &trial.facts.form
            && form.layer != most
        {
            let reason = format!("unlike in other trials, {}", layer_words(form.layer));
            trial.shown = Observation::Negative(reason);
        }
    }
}

fn forms<S>(trials: &[Trial<Heard, S>]) -> Vec<CallForm> {
    trials.iter().filter_map(|trial| Some(trial.facts.form.as_ref()?.0.clone())).collect()
}

/// The result of settled trials.
pub(crate) fn single_tool(probe: &str, cases: &[SettledCase<Heard>]) -> SingleTool {
    let forms: Vec<CallForm> = cases.iter().flat_map(|case| forms(&case.trials)).collect();
    let form = prevailing(&forms);
    let trials = || cases.iter().flat_map(|case| &case.trials);
    let defects: BTreeSet<Defect> = trials().flat_map(|trial| trial.defects.clone()).collect();
    let delivery = trials().find_map(|trial| Some(trial.facts.form.as_ref()?.1));
    SingleTool {
        outcome: outcome(probe, cases),
        format: form.as_ref().map(|form| form.format),
        parser: form.as_ref().and_then(|form| form.parser.clone()),
        delivery,
        force: match delivery {
            Some(ToolDelivery::Forced(force)) => Some(force),
            _ => None,
        },
        replies: trials().map(|trial| trial.facts.replies).max().unwrap_or_default(),
        plain: None,
        layer: form.as_ref().map(|form| form.layer),
        json_text: json_text(&forms),
        defects: defects.into_iter().collect(),
        rungs: BTreeMap::new(),
        schema_field: None,
    }
}

/// The form that most calls arrived in; the better kept one where it is a tie.
fn prevailing(forms: &[CallForm]) -> Option<CallForm> {
    let count = |layer: Layer| forms.iter().filter(|form| form.layer == layer).count();
    forms.iter().max_by_key(|form| (count(form.layer), std::cmp::Reverse(form.layer))).cloned()
}

fn json_text(forms: &[CallForm]) -> Option<JsonText> {
    let mut in_text = forms.iter().filter(|form| form.format == CallFormat::JsonText).peekable();
    in_text.peek()?;
    let mut repairs = Vec::new();
    let mut strictness = Strictness::Strict;
    for form in in_text {
        repairs.extend(form.repairs.iter().cloned());
        strictness = strictness.max(match (form.broken, form.repairs.is_empty()) {
            (true, _) => Strictness::Broken,
            (false, false) => Strictness::Repaired,
            (false, true) => Strictness::Strict,
        });
    }
    repairs.sort();
    repairs.dedup();
    Some(JsonText { strictness, repairs })
}
