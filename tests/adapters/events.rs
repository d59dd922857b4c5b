//! The events of a stream on their way through the proxy: changed, dropped, repeated, swapped.

use axum::body::Bytes;
use futures_util::{Stream, StreamExt as _, stream};

use crate::edit::Counter;
use crate::mutation::Edit;
use crate::proxy::edited;

/// The events of a stream, each changed.
pub(crate) fn edited_events(
    answer: reqwest::Response,
    edits: Vec<Edit>,
) -> impl Stream<Item = Result<Bytes, reqwest::Error>> {
    let mut events = Events { edits, ..Events::default() };
    let pieces = answer.bytes_stream().map(Some).chain(stream::iter([None]));
    pieces.map(move |piece| {
        let text = match piece {
            Some(piece) => events.push(&String::from_utf8_lossy(&piece?)),
            None => events.finish(),
        };
        Ok(Bytes::from(text))
    })
}

#[derive(Default)]
struct Events {
    edits: Vec<Edit>,
    rest: String,
    counter: Counter,
    /// How many events held the text of each edit.
    seen: Vec<usize>,
    /// An event that waits for its neighbour.
    held: Option<String>,
}

impl Events {
    fn push(&mut self, piece: &str) -> String {
        self.rest.push_str(piece);
        let mut out = String::new();
        while let Some(end) = end_of_event(&self.rest) {
            let event: String = self.rest.drain(..end).collect();
            out.push_str(&self.pass(&event));
        }
        out
    }

    fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.rest);
        let last = if rest.is_empty() { rest } else { self.pass(&rest) };
        format!("{}{last}", self.held.take().unwrap_or_default())
    }

    fn pass(&mut self, event: &str) -> String {
        let (edits, mut out) = (self.edits.clone(), self.change(event));
        self.seen.resize(edits.len(), 0);
        for (edit, seen) in edits.iter().zip(&mut self.seen) {
            match edit {
                Edit::DropEvents(text) if out.contains(text) => return String::new(),
                Edit::DropEvent(text, place) if event.contains(text) => {
                    *seen += 1;
                    if *seen == *place {
                        return String::new();
                    }
                }
                Edit::RepeatEvents(text) if event.contains(text) => out = out.repeat(2),
                Edit::SwapEvents(text) => match (self.held.take(), event.contains(text)) {
                    (Some(held), true) => out.push_str(&held),
                    (None, true) => self.held = Some(std::mem::take(&mut out)),
                    (held, false) => out = held.unwrap_or_default() + &out,
                },
                Edit::Comments => out = format!(": keep-alive\n\n{out}"),
                Edit::CarriageReturns => out = out.replace('\n', "\r\n"),
                _ => {}
            }
        }
        out
    }

    /// The event with its data changed.
    fn change(&mut self, event: &str) -> String {
        let dropped = |line: &str| {
            self.edits
                .iter()
                .any(|it| matches!(it, Edit::DropLines(start) if line.starts_with(start.as_str())))
        };
        let kept: Vec<&str> = event.split_inclusive('\n').filter(|line| !dropped(line)).collect();
        kept.into_iter().map(|line| self.change_line(line)).collect()
    }

    fn change_line(&mut self, line: &str) -> String {
        let bare = line.trim_end_matches(['\r', '\n']);
        let end = &line[bare.len()..];
        let (prefix, data) = bare.split_at(if bare.starts_with("data: ") { 6 } else { 0 });
        format!("{prefix}{}{end}", edited(data.as_bytes(), &self.edits, &mut self.counter))
    }
}

/// Where the first event ends: after a blank line, or after its line where lines are JSON.
fn end_of_event(text: &str) -> Option<usize> {
    let breaks: &[&str] = if text.starts_with('{') { &["\n"] } else { &["\n\n", "\r\n\r\n"] };
    breaks.iter().filter_map(|end| Some(text.find(end)? + end.len())).min()
}
