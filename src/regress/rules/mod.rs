//! The classification table: what each difference is called.
//!
//! `defect_weight` says how much a new defect matters: as much as the clients that it breaks.
//!
//! The first row that takes a difference names it. The order is also that of cause and effect: a row
//! can explain what later rows would report.

mod calls;
mod cost;
mod defect_weight;
mod extended;
mod history;
mod metrics;
mod parallel;
mod passage;
mod rates;
mod reasoning;
mod results;
mod schema;
mod seen;
mod streaming;
mod subject;
mod verdicts;

pub(super) use defect_weight::weigh_defect;

use super::Rule;

/// Every row, gravest causes first.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        subject::RULES,
        passage::FIRST,
        passage::REQUESTS,
        seen::ERRORS,
        verdicts::FIRST_CALL,
        calls::RULES,
        schema::TYPES,
        seen::RULES,
        results::LOOP,
        reasoning::MODES,
        verdicts::STATUSES,
        parallel::RULES,
        schema::RULES,
        results::REPAIR,
        streaming::RULES,
        history::RULES,
        reasoning::DETAILS,
        extended::RULES,
        passage::REPLIES,
        rates::RULES,
        cost::RULES,
        metrics::RULES,
        verdicts::CASES,
        verdicts::CAPABILITIES,
    ]
    .into_iter()
    .flatten()
}
