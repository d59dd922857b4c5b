//! Messages with a header that says who they are for: a tool, the user, or the model itself.

use super::{Block, Family, MessageKind, Next, Step, braced, head, is_name};
use crate::textcall::parsed::ProblemCode;
use crate::textcall::view::{Read, Stop, View};

/// `HEADER <|message|> BODY END`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Channels {
    /// What ends a header.
    pub(crate) message: &'static str,
    /// What ends a message.
    pub(crate) close: &'static [&'static str],
}

/// Whom a message is for.
enum To {
    Tool(String),
    Other(MessageKind),
}

impl Family for Channels {
    fn next(&self, view: &View<'_>, block: &mut Block) -> Read<Next> {
        if block.marks.found {
            return Ok(Next::end(view.past(block.at, self.close)?));
        }
        let (to, body) = self.header(view, block.opener, block.at)?;
        let name = match to {
            To::Tool(name) => name,
            To::Other(kind) => return Ok(Next::Step(Step::Message { kind, body })),
        };
        let end = view.skip_space(body);
        let detail = format!("the message to {name} is not a JSON object");
        block.call.name = name;
        let next = braced(view, end, self.close)?;
        next.ok_or(Stop::Broken { code: ProblemCode::InvalidJson, detail, end })
    }

    fn closers(&self) -> Vec<&'static str> {
        self.close.to_vec()
    }
}

impl Channels {
    fn header(&self, view: &View<'_>, opener: &str, from: usize) -> Read<(To, usize)> {
        let end = |rest: &str| {
            let addressed = |&at: &usize| {
                opener.contains("to=") || rest.get(..at).is_some_and(|head| head.contains("to="))
            };
            let brace = rest.find('{').filter(addressed);
            rest.find(self.message).into_iter().chain(brace).min()
        };
        let (rest, after) = if opener.ends_with(self.message) {
            ("", from)
        } else {
            let rest = head(view, from, end, |_| !view.is_final())?;
            let after = from + rest.len();
            (rest, view.any(after, &[self.message])?.map_or(after, |length| after + length))
        };
        let to = address(&format!("{opener}{rest}"), view);
        Ok((to.filter(|_| !rest.contains('\n')).ok_or(Stop::Reject)?, after))
    }
}

/// Whom a header addresses: its recipient decides, then its channel.
fn address(header: &str, view: &View<'_>) -> Option<To> {
    let recipient = header.split_once("to=").map(|(_, to)| {
        let end = to.find(|c: char| c.is_whitespace() || c == '<' || c == '{');
        to.get(..end.unwrap_or(to.len())).unwrap_or(to)
    });
    let thinks = header.contains("analysis");
    let silent = if thinks { MessageKind::Reasoning } else { MessageKind::Text };
    match recipient {
        None => Some(To::Other(silent)),
        Some("self") => Some(To::Other(MessageKind::Reasoning)),
        Some("user" | "functions" | "all" | "assistant") => Some(To::Other(MessageKind::Text)),
        Some(name) => match name.strip_prefix("functions.") {
            Some(tool) if is_name(tool) => Some(To::Tool(tool.to_owned())),
            Some(_) => None,
            None if view.catalog.offers(name) => Some(To::Tool(name.to_owned())),
            None => Some(To::Other(silent)),
        },
    }
}
