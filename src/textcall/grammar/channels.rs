//! Messages with a header that says who they are for: a tool, the user, or the model itself.

use super::{MessageKind, Reader, Step, is_name};
use crate::textcall::literal;
use crate::textcall::parsed::ProblemCode;
use crate::textcall::payload::Draft;
use crate::textcall::scan::{self, Scan};
use crate::textcall::view::{Read, Stop, View};

/// `HEADER <|message|> BODY END`
#[derive(Debug, PartialEq, Eq)]
pub(in crate::textcall) struct Channels {
    /// What ends a header.
    pub(in crate::textcall) message: &'static str,
    /// What ends a message.
    pub(in crate::textcall) close: &'static [&'static str],
}

impl Channels {
    pub(in crate::textcall) fn reader(
        &'static self,
        opener: &'static str,
        at: usize,
    ) -> Box<dyn Reader> {
        Box::new(Message { config: self, opener, at, stage: Stage::Header, name: String::new() })
    }
}

#[derive(Debug)]
struct Message {
    config: &'static Channels,
    opener: &'static str,
    at: usize,
    stage: Stage,
    name: String,
}

#[derive(Debug)]
enum Stage {
    Header,
    Body,
    Scan(Scan),
    After,
}

/// Whom a message is for.
enum To {
    Tool(String),
    Other(MessageKind),
}

impl Reader for Message {
    fn awaits(&self) -> Option<u8> {
        match self.stage {
            Stage::Scan(_) => Some(b'}'),
            _ => None,
        }
    }

    fn step(&mut self, view: &View<'_>) -> Read<Step> {
        loop {
            match &mut self.stage {
                Stage::Header => match self.header(view)? {
                    To::Tool(name) => {
                        self.name = name;
                        self.stage = Stage::Body;
                    }
                    To::Other(kind) => return Ok(Step::Message { kind, body: self.at }),
                },
                Stage::Body => {
                    if let Some(step) = self.body(view)? {
                        return Ok(step);
                    }
                }
                Stage::Scan(scan) => {
                    let end = scan.run(view)?;
                    return self.called(view.slice(self.at..end), end);
                }
                Stage::After => {
                    let at = view.skip_space(self.at);
                    let closer = view.any(at, self.config.close)?;
                    return Ok(Step::End { end: closer.map_or(self.at, |length| at + length) });
                }
            }
        }
    }
}

impl Message {
    fn header(&mut self, view: &View<'_>) -> Read<To> {
        const MAX_HEADER: usize = 300;
        let rest = view.rest(self.at);
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
        self.at += length + separator;
        address(&header, view).ok_or(Stop::Reject)
    }

    fn body(&mut self, view: &View<'_>) -> Read<Option<Step>> {
        let at = view.skip_space(self.at);
        if view.peek(at)? == '{' {
            self.at = at;
            self.stage = Stage::Scan(Scan::new(&scan::JSON, at));
            return Ok(None);
        }
        if view.any(at, self.config.close)?.is_some() {
            return self.called("{}", at).map(Some);
        }
        let detail = format!("the message to {} is not a JSON object", self.name);
        Err(Stop::Broken { code: ProblemCode::InvalidJson, detail, end: at })
    }

    fn called(&mut self, text: &str, end: usize) -> Read<Step> {
        let (value, repairs) = literal::json(text).map_err(|detail| {
            let detail = format!("invalid JSON: {detail}");
            Stop::Broken { code: ProblemCode::InvalidJson, detail, end }
        })?;
        self.at = end;
        self.stage = Stage::After;
        let input = value.as_object().cloned().unwrap_or_default();
        Ok(Step::call(
            Draft { name: std::mem::take(&mut self.name), id: None, input, repairs },
            end,
        ))
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
