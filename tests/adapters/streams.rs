//! Many streams at once: one pair that is mixed up is found, and an honest proxy is left in peace.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use tokio::sync::oneshot;

use crate::gate::{Asked, gate};
use crate::proxy::{Proxy, Sim, client};

/// A stream that waits for another to take its place.
type Waiting = Arc<Mutex<SwapState>>;

#[derive(Default)]
enum SwapState {
    #[default]
    Before,
    Waits(String, oneshot::Sender<String>),
    Done,
}

/// Gives two of the streams each other's reply.
async fn forward(
    client: reqwest::Client,
    upstream: String,
    state: Waiting,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let crowded = String::from_utf8_lossy(&body).contains("slowly") && {
        let text = String::from_utf8_lossy(&body).into_owned();
        text.contains("of17x") || text.contains("of120x")
    };
    let call = client
        .request(parts.method, format!("{upstream}{}", parts.uri))
        .header(CONTENT_TYPE, "application/json")
        .body(body);
    let answer = call.send().await.unwrap();
    let status = answer.status();
    let kind = answer.headers().get(CONTENT_TYPE).cloned().unwrap();
    let response = Response::builder().status(status).header(CONTENT_TYPE, kind);
    if !crowded {
        return response.body(Body::from_stream(answer.bytes_stream())).unwrap();
    }
    let own = answer.text().await.unwrap();
    let other = swap(&state, own).await;
    response.body(Body::from(other)).unwrap()
}

async fn swap(state: &Waiting, own: String) -> String {
    let (sender, receiver) = oneshot::channel();
    let before = {
        let mut state = state.lock().unwrap();
        match std::mem::take(&mut *state) {
            SwapState::Before => {
                *state = SwapState::Waits(own, sender);
                None
            }
            other => {
                *state = SwapState::Done;
                Some((other, own))
            }
        }
    };
    match before {
        None => receiver.await.unwrap(),
        Some((SwapState::Waits(theirs, sender), own)) => {
            sender.send(own).ok();
            theirs
        }
        Some((_, own)) => own,
    }
}

fn asked(models: &[String]) -> Asked<'_> {
    Asked { dialect: "openai-chat", models, suite: "light", streams: 200, incomplete: false }
}

#[test]
fn two_of_two_hundred_streams_that_are_swapped_are_found() {
    let sim = Sim::start();
    let (client, state) = (client(), Waiting::default());
    let upstream = sim.url.clone();
    let app = Router::new().fallback(move |request| {
        forward(client.clone(), upstream.clone(), Arc::clone(&state), request)
    });
    let proxy = Proxy::serve(app);
    let models = ["openai-native".to_owned()];
    let found = gate(&proxy.url, &asked(&models));
    assert!(found.codes().contains(&"replies-mixed-up".to_owned()), "{}", found.text());
}

#[test]
fn two_hundred_streams_through_an_honest_proxy_are_silence() {
    let sim = Sim::start();
    let proxy = Proxy::before(&sim.url, None);
    let models = ["openai-native".to_owned()];
    let found = gate(&proxy.url, &asked(&models));
    assert_eq!(found.codes(), [""; 0], "{}", found.text());
}
