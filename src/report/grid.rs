//! A grid of plain rows for a terminal, in the style of all tables.

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};

use super::{TerminalStyle, for_terminal};

/// No lines but one below the head: what they would take is needed for words.
pub(super) const LINES: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A table of texts; what is in them is escaped.
pub(crate) fn grid(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(LINES).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width() == Some(0) {
        // Some pseudo terminals say so.
        table.set_width(TerminalStyle::PLAIN.width);
    }
    table.set_header(header);
    for row in rows {
        table.add_row(row.iter().map(|cell| for_terminal(cell)));
    }
    tighten(&mut table, 1);
    table.trim_fmt()
}

/// Columns start at the margin; a table with lines has one space between them already.
pub(super) fn tighten(table: &mut Table, gap: u16) {
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { gap }));
    }
}
