//! Test servers that answer by path, and connections to them.

use std::sync::Arc;

use serde_json::Value;

use super::{Connection, Credentials, Endpoint, Target};
use crate::ir::Object;
use crate::transport::testing::scripted::{Scripted, Step, response};
use crate::transport::{Budget, HttpTransport, Scrubber, SizeLimits, Timeouts};

/// What a path is answered with.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// JSON of this status.
    Json(u16, Value),
    /// Any other text of this status.
    Text(u16, &'static str, &'static str),
    /// Nothing, ever.
    Hang,
}

/// A request line, such as `POST /v1/messages`, and its answer. Everything else is a bare 404.
pub(super) type Routes = Vec<(&'static str, Reply)>;

/// A server that answers by request line.
pub(super) async fn serve(routes: Routes) -> Scripted {
    Scripted::answering_by(move |request| {
        let line = request.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1");
        let is_meant = |route: &str| line == route || line.starts_with(&format!("{route}?"));
        match routes.iter().find(|(route, _)| is_meant(route)).map(|(_, reply)| reply) {
            Some(Reply::Json(status, value)) => write(*status, "application/json", value),
            Some(Reply::Text(status, kind, text)) => write(*status, kind, text),
            Some(Reply::Hang) => vec![Step::Hang],
            None => write(404, "text/plain", &"404 page not found"),
        }
    })
    .await
}

fn write(status: u16, content_type: &str, body: &impl ToString) -> Vec<Step> {
    let headers = format!("content-type: {content_type}\r\nconnection: close\r\n");
    vec![Step::Write(response(&format!("{status} X"), &headers, body.to_string()))]
}

/// A transport with the usual limits.
pub(super) fn transport() -> HttpTransport {
    HttpTransport::new(Timeouts::default(), SizeLimits::default(), Scrubber::default()).unwrap()
}

/// A connection to a model at this endpoint, without a key.
pub(super) fn connection(endpoint: &Endpoint, model: &str) -> Connection {
    let target = Target {
        name: model.to_owned(),
        model: model.to_owned(),
        variant: None,
        extra_body: Object::new(),
        require: Vec::new(),
        subject: None,
        endpoint: endpoint.clone(),
    };
    Connection {
        target,
        transport: Arc::new(transport()),
        credentials: Credentials::default(),
        budget: Arc::new(Budget::unlimited()),
        gate: crate::transport::SendGate::default(),
        endpoint_number: 0,
    }
}
