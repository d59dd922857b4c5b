//! Which replies can a dialect carry?

use proptest::option;
use proptest::prelude::{Strategy, any};
use proptest::sample::Index;
use proptest::strategy::BoxedStrategy;

use super::form::NormalForm;
use super::requests::assistant_parts;
use super::values::word;
use crate::ir::{BrokenCall, CallId, Part, Reply, Usage};

/// Finished replies in the dialect's normal form, without a defect.
pub(in crate::dialect) fn replies(form: &NormalForm) -> BoxedStrategy<Reply> {
    let form = form.clone();
    let names = ("[a-z]{4}-[0-9]{2}", word(), option::of("fp_[a-f0-9]{6}"));
    (parts(&form), usage(), names, any::<Index>())
        .prop_map(move |(parts, usage, (id, model, fingerprint), pick)| {
            let called =
                parts.iter().any(|part| matches!(part, Part::Call(_) | Part::BrokenCall(_)));
            let stops = (form.stops)(called);
            let mut reply = Reply::new(parts, stops[pick.index(stops.len())].clone());
            reply.id = Some(id).filter(|_| form.reply_ids);
            reply.model_echo = Some(model);
            reply.fingerprint = fingerprint.filter(|_| form.fingerprints);
            reply.usage = (form.usage)(usage);
            (form.tidy_reply)(reply)
        })
        .boxed()
}

fn parts(form: &NormalForm) -> impl Strategy<Value = Vec<Part>> + use<> {
    let breakable = form.broken_calls;
    (assistant_parts(form), option::weighted(0.2, broken_arguments())).prop_map(
        move |(mut parts, broken)| {
            for (n, part) in parts.iter_mut().enumerate() {
                if let Part::Call(call) = part {
                    call.id = CallId::new(format!("{}x{n}", call.id));
                }
            }
            if let (true, Some(arguments), Some(Part::Call(call))) =
                (breakable, broken, parts.last())
            {
                let (id, name) = (call.id.clone(), call.name.clone());
                let broken = BrokenCall { id, name, arguments, problem: String::new() };
                parts.pop();
                parts.push(Part::BrokenCall(broken));
            }
            parts
        },
    )
}

/// The beginning of an object, cut before its end.
fn broken_arguments() -> impl Strategy<Value = String> {
    "\\{\"[a-z]{1,4}\": \"[a-z \u{6f22}]{0,8}"
}

/// Counts that add up: the parts are never more than their whole, and none is zero.
fn usage() -> impl Strategy<Value = Usage> {
    (1..900_u64, 1..900_u64, option::of((1..900_u64, 1..900_u64)), option::of(1..900_u64)).prop_map(
        |(input, output, cache, reasoning)| {
            let (cached, written) = cache.unzip();
            Usage {
                input: Some(input + cached.unwrap_or(0) + written.unwrap_or(0)),
                output: Some(output + reasoning.unwrap_or(0)),
                cached,
                cache_write: written,
                reasoning,
            }
        },
    )
}
