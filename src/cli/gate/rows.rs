//! Rows of an adapter's report: one breakage is one row, with the models that it was seen on.

use serde::Serialize;

use crate::campaign::ADAPTER;
use crate::regress::{Gate, Ruling};

/// What an adapter does, and to which models.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    pub(super) ruling: Ruling,
    /// The models that it was seen on, by their names at the gateway.
    pub(super) models: Vec<String>,
}

/// The rulings of a gate with those that say the same of several models as one row. The evidence is
/// that of the first.
pub(super) fn rows(gate: &Gate) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for ruling in &gate.rulings {
        let target = &ruling.change.target;
        let prefix = format!("{ADAPTER}/");
        let model = target.strip_prefix(&prefix).unwrap_or(target).to_owned();
        match rows.iter_mut().find(|row| is_same(&row.ruling, ruling)) {
            Some(row) => row.models.push(model),
            None => rows.push(Row { ruling: ruling.clone(), models: vec![model] }),
        }
    }
    for row in &mut rows {
        row.ruling.change.target = format!("{ADAPTER}/{}", row.models.join(", "));
    }
    rows
}

fn is_same(one: &Ruling, other: &Ruling) -> bool {
    let key = |ruling: &Ruling| {
        let change = &ruling.change;
        (ruling.level, change.effect, change.code, change.at.field.clone())
    };
    key(one) == key(other)
}
