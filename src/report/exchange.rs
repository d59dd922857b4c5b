//! One exchange: readably for people, and as a command that repeats it.

use std::fmt::Write as _;

use serde_json::Value;

use super::for_terminal;
use crate::transport::{Body, Exchange, HttpOutcome, Response, SECRET_MARK, TimedFrame};
use crate::wire::Frame;

/// What was sent and what came back: headers, bodies as indented JSON, frames with their times.
pub(crate) fn exchange_text(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let mut text = format!("> {} {}\n", request.method, for_terminal(&request.url));
    headers(&mut text, "> ", &request.headers);
    if let Some(body) = &request.body {
        lines(&mut text, &pretty(body));
    }
    if let [_, _, ..] = exchange.attempts.as_slice() {
        let _ = writeln!(text, "< {} attempts; the last one:", exchange.attempts.len());
    }
    let first = exchange.timing.first_byte_ms.map(|ms| format!(", the first byte after {ms} ms"));
    let times = format!("{} ms{}", exchange.timing.total_ms, first.unwrap_or_default());
    match &exchange.outcome {
        HttpOutcome::Answered(response) => {
            let _ = writeln!(text, "< {} after {times}", response.status);
            answer(&mut text, response);
        }
        HttpOutcome::Failed { error, partial } => {
            let error = for_terminal(&error.to_string());
            let _ = writeln!(text, "< no answer after {times}: {error}");
            if let Some(response) = partial {
                let _ = writeln!(text, "< {}, of which came:", response.status);
                answer(&mut text, response);
            }
        }
    }
    text
}

fn answer(text: &mut String, response: &Response) {
    headers(text, "< ", &response.headers);
    match &response.body {
        Body::Whole(body) => match serde_json::from_str::<Value>(body) {
            Ok(json) => lines(text, &pretty(&json)),
            Err(_) => lines(text, body),
        },
        Body::Frames(frames) => frames.iter().for_each(|timed| frame(text, timed)),
    }
}

fn headers(text: &mut String, mark: &str, headers: &[(String, String)]) {
    for (name, value) in headers {
        let _ = writeln!(text, "{mark}{}: {}", for_terminal(name), for_terminal(value));
    }
}

fn frame(text: &mut String, TimedFrame { at_ms, frame }: &TimedFrame) {
    let shown = match frame {
        Frame::Event { event: Some(event), data } => format!("{event}: {data}"),
        Frame::Event { event: None, data } => data.clone(),
        Frame::Comment(comment) => format!(": {comment}"),
    };
    let _ = writeln!(text, "  {at_ms:>6} ms  {}", for_terminal(&shown));
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn lines(text: &mut String, body: &str) {
    for line in body.lines() {
        let _ = writeln!(text, "  {}", for_terminal(line));
    }
}

/// The command that sends the request again. Where a credential stood, the shell variable stands
/// that `variable` names for the header (`None` for the address).
pub(crate) fn curl(
    exchange: &Exchange,
    url: &str,
    variable: impl Fn(Option<&str>) -> String,
) -> String {
    let request = &exchange.request;
    let stream = if request.framing.is_some() { " --no-buffer" } else { "" };
    let mut words = vec![format!(
        "curl -sS{stream} -X {} {}",
        request.method,
        quote_word(url, &variable(None))
    )];
    let is_typed = request.headers.iter().any(|(name, _)| name == "content-type");
    if request.body.is_some() && !is_typed {
        words.push("-H 'content-type: application/json'".to_owned());
    }
    for (name, value) in &request.headers {
        words
            .push(format!("-H {}", quote_word(&format!("{name}: {value}"), &variable(Some(name)))));
    }
    if let Some(body) = &request.body {
        words.push(format!("--data-raw {}", quote_word(&body.to_string(), &variable(None))));
    }
    words.join(" \\\n  ")
}

/// A text as one word of a POSIX shell, with a variable in the place of each credential.
fn quote_word(text: &str, variable: &str) -> String {
    let plain = |part: &str| match part {
        "" => String::new(),
        part => format!("'{}'", part.replace('\'', r"'\''")),
    };
    let parts: Vec<String> = text.split(SECRET_MARK).map(plain).collect();
    match parts.join(&format!("\"${variable}\"")) {
        word if word.is_empty() => "''".to_owned(),
        word => word,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::transport::{HttpCall, Scrubber, Secret, SentRequest, Timing};
    use crate::wire::Framing;

    fn exchange(body: Body) -> Exchange {
        let url = "http://127.0.0.1:1/v1/chat?key=hushhush".parse().unwrap();
        let call = HttpCall::post(url, json!({"say": "it's \u{1b}[2J"}))
            .credential("authorization", "Bearer ", Secret::new("hushhush"))
            .streamed(Framing::Sse);
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        Exchange::single(
            SentRequest::redacted(&call, &Scrubber::default()),
            HttpOutcome::Answered(Response { status: 200, headers, body }),
            Timing { first_byte_ms: Some(3), total_ms: 9 },
        )
    }

    #[test]
    fn an_exchange_is_shown_with_headers_indented_bodies_and_times() {
        let frames = [Frame::named("delta", "{\"a\":1}"), Frame::Comment("wait".into())];
        let frames = frames.map(|frame| TimedFrame { at_ms: 5, frame }).to_vec();
        let shown = exchange_text(&exchange(Body::Frames(frames)));
        let expected = "> POST http://127.0.0.1:1/v1/chat?key=[secret]\n\
                        > authorization: Bearer [secret]\n  {\n    \"say\": \"it's \\u001b[2J\"\n  }\n\
                        < 200 after 9 ms, the first byte after 3 ms\n\
                        < content-type: text/event-stream\n\
                        \x20      5 ms  delta: {\"a\":1}\n       5 ms  : wait\n";
        assert_eq!(shown, expected);
        let whole = exchange_text(&exchange(Body::Whole("{\"a\":{\"b\":1}}".to_owned())));
        assert!(whole.ends_with("  {\n    \"a\": {\n      \"b\": 1\n    }\n  }\n"), "{whole}");
        let page = exchange_text(&exchange(Body::Whole("<a>\n\u{1b}[2J".to_owned())));
        assert!(page.ends_with("  <a>\n  \u{fffd}[2J\n"), "{page}");
    }

    #[test]
    fn the_command_has_variables_for_credentials_and_one_word_per_value() {
        let shown = exchange(Body::Whole(String::new()));
        let variable = |header: Option<&str>| header.map_or("URL_KEY", |_| "MY_KEY").to_owned();
        let expected = "curl -sS --no-buffer -X POST 'http://h/v1?key='\"$URL_KEY\" \\\n  \
                        -H 'content-type: application/json' \\\n  \
                        -H 'authorization: Bearer '\"$MY_KEY\" \\\n  \
                        --data-raw '{\"say\":\"it'\\''s \\u001b[2J\"}'";
        assert_eq!(curl(&shown, "http://h/v1?key=[secret]", variable), expected);
    }
}
