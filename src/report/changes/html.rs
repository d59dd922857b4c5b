//! Changes as a part of a page.

use maud::{Markup, html};

use super::{Changes, change_line, details};
use crate::report::audit::audit_section;
use crate::report::for_terminal;

/// The verdict, and each change with its details folded.
pub(in crate::report) fn section(changes: &Changes<'_>) -> Markup {
    html! {
        section #gate {
            h2 { (for_terminal(&changes.heading)) }
            @for note in changes.notes { p { (for_terminal(note)) } }
            @for entry in &changes.entries {
                details.change {
                    summary { (change_line(entry)) }
                    ul { @for line in details(entry, changes) { li { (line) } } }
                }
            }
        }
        @if let Some(audit) = changes.audit { (audit_section(audit)) }
    }
}
