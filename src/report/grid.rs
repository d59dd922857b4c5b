//! A grid of plain rows for a terminal.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{ContentArrangement, Table};

use super::for_terminal;

/// A table of texts; what is in them is escaped.
pub fn grid(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    for row in rows {
        table.add_row(row.iter().map(|cell| for_terminal(cell)));
    }
    table.to_string()
}
