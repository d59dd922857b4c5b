//! Messages with a header that says who they are for: a tool, the user, or the model itself.

use super::{Block, Family, MessageKind, Next, Reader, Step, Who, is_name, json_value};
use crate::textcall::parsed::ProblemCode;
use crate::textcall::payload::Draft;
use crate::textcall::scan;
use crate::textcall::view::{Read, Stop, View};

/// `HEADER <|message|> BODY END`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Channels {
    /// What ends a header.
    pub(crate) message: &'static str,
    /// What ends a message.
    pub(crate) close: &'static [&'static str],
}

impl Channels {
    pub(crate) fn reader(&'static self, opener: &'static str, at: usize) -> Box<dyn Reader> {
        Block::reader(Message { config: self, opener, called: false }, at)
    }
}

#[derive(Debug, Clone)]
struct Message {
    config: &'static Channels,
    opener: &'static str,
    called: bool,
}

/// Whom a message is for.
enum To {
    Tool(String),
    Other(MessageKind),
}

impl Family for Message {
    fn next(&mut self, view: &View<'_>, from: usize) -> Read<Next> {
        if self.called {
            return Ok(Next::end(view.past(from, self.config.close)?));
        }
        let (to, body) = self.header(view, from)?;
        let name = match to {
            To::Tool(name) => name,
            To::Other(kind) => return Ok(Next::Step(Step::Message { kind, body })),
        };
        let at = view.skip_space(body);
        if view.peek(at)? == '{' {
            return Ok(Next::Value(&scan::JSON, Who { name, id: None }, at));
        }
        if view.any(at, self.config.close)?.is_some() {
            return self.decode(view, Who { name, id: None }, "{}", at).map(Next::Step);
        }
        let detail = format!("the message to {name} is not a JSON object");
        Err(Stop::Broken { code: ProblemCode::InvalidJson, detail, end: at })
    }

    fn decode(&mut self, _: &View<'_>, who: Who, text: &str, end: usize) -> Read<Step> {
        let (value, repairs) = json_value(text, end)?;
        self.called = true;
        let input = value.as_object().cloned().unwrap_or_default();
        Ok(Step::call(Draft { name: who.name, id: None, input, repairs }, end))
    }
}

impl Message {
    fn header(&self, view: &View<'_>, from: usize) -> Read<(To, usize)> {
        const MAX_HEADER: usize = 300;
        let rest = view.rest(from);
        let message = rest.find(self.config.message).map(|at| (at, self.config.message.len()));
        let whole = self.opener.ends_with(self.config.message).then_some((0, 0));
        let brace = rest.find('{').map(|at| (at, 0)).filter(|&(at, _)| {
            self.opener.contains("to=") || rest.get(..at).unwrap_or("").contains("to=")
        });
        let Some((length, separator)) = whole.or(message.into_iter().chain(brace).min()) else {
            let hopeless = rest.len() > MAX_HEADER || view.is_final();
            return Err(if hopeless { Stop::Reject } else { Stop::More });
        };
        let header = format!("{}{}", self.opener, rest.get(..length).unwrap_or(""));
        if length > MAX_HEADER || header.contains('\n') {
            return Err(Stop::Reject);
        }
        let to = address(&header, view).ok_or(Stop::Reject)?;
        Ok((to, from + length + separator))
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
