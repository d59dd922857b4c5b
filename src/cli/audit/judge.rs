//! What the policy makes of each field that was sent through a gateway.

use serde_json::Value;

use crate::audit::{
    AuditReport, Catalogue, Fate, FateKind, Field, FieldRow, ModelAudit, Passage, fate_of,
    find_added,
};
use crate::campaign::FieldPassages;
use crate::cli::args::policy::InForce;
use crate::regress::{
    AdapterEffect, ChangeClass, FIELD_ADDED, FIELD_CHANGED, FIELD_DROPPED, FIELD_REFUSED, Level,
    PolicyInput, Severity, rule_on,
};

/// Whether the policy denies what became of a field.
pub(in crate::cli) fn is_denied(report: &AuditReport) -> bool {
    let mut rows = report.models.iter().flat_map(|model| &model.rows);
    rows.any(|row| row.level == Level::Deny.to_string())
}

/// What became of the fields on their way to one model, and what the policy makes of it.
pub(in crate::cli) fn judge(
    model: &str,
    catalogue: &Catalogue,
    passages: &FieldPassages,
    in_force: &InForce,
) -> ModelAudit {
    let FieldPassages { access, baseline, fields } = passages;
    let known = catalogue.of(access.dialect);
    let judged =
        known.iter().zip(fields).map(|(field, passage)| (field, passage, fate_of(field, passage)));
    let (mut kept, mut rows) = (0, added_fields(model, baseline, in_force));
    for (field, passage, fate) in judged {
        if fate.kind == FateKind::Kept {
            kept += 1;
        } else {
            rows.push(row(model, field, passage, fate, in_force));
        }
    }
    rows.sort_by_key(|row| row.fate);
    let upstream = baseline.arrived.as_ref().ok().map(|(upstream, _)| *upstream);
    let (model, dialect) = (model.to_owned(), access.dialect);
    ModelAudit { model, dialect, upstream, fields: known.len(), kept, rows }
}

fn row(model: &str, field: &Field, passage: &Passage, fate: Fate, in_force: &InForce) -> FieldRow {
    let level = level(model, fate.kind, fate.has_equivalent, in_force);
    FieldRow {
        field: field.name.clone(),
        concerns: Some(field.concerns),
        fate: fate.kind,
        because: fate.because,
        has_equivalent: fate.has_equivalent,
        lost: field.lost.clone(),
        source: field.source.clone(),
        level,
        sent: passage.sent.clone(),
        arrived: arrived_body(passage),
    }
}

/// What the adapter adds to every request.
fn added_fields(model: &str, baseline: &Passage, in_force: &InForce) -> Vec<FieldRow> {
    let one = |(field, value): (String, Value)| FieldRow {
        field,
        concerns: None,
        fate: FateKind::Added,
        because: format!("came as {value}"),
        has_equivalent: None,
        lost: String::new(),
        source: String::new(),
        level: level(model, FateKind::Added, None, in_force),
        sent: baseline.sent.clone(),
        arrived: arrived_body(baseline),
    };
    find_added(baseline).into_iter().map(one).collect()
}

fn arrived_body(passage: &Passage) -> Value {
    passage.arrived.as_ref().map_or(Value::Null, |(_, body)| body.clone())
}

/// What the policy makes of a fate. What could have been translated is broken; what could not is only
/// hidden.
fn level(model: &str, fate: FateKind, has_equivalent: Option<bool>, in_force: &InForce) -> String {
    let lost = if has_equivalent == Some(true) {
        (ChangeClass::Regression, Severity::Major, AdapterEffect::Breaks)
    } else {
        (ChangeClass::Missing, Severity::Minor, AdapterEffect::Hides)
    };
    let alters = (ChangeClass::Drift, Severity::Info, AdapterEffect::Alters);
    let (rule, (class, severity, effect)) = match fate {
        FateKind::Dropped => (&FIELD_DROPPED, lost),
        FateKind::Changed => (&FIELD_CHANGED, lost),
        FateKind::Refused => (&FIELD_REFUSED, alters),
        FateKind::Added => (&FIELD_ADDED, alters),
        FateKind::Translated | FateKind::Kept => return Level::Allow.to_string(),
    };
    let target = &format!("adapter/{model}");
    let about = PolicyInput { code: rule.into(), class, severity, target, effect: Some(effect) };
    let InForce { policy, built_in, today, .. } = in_force;
    rule_on(about, policy, built_in, *today).0.to_string()
}
