//! Arrivals: what the simulator notes of requests, and how others read it.

use super::*;
use crate::ir::Message;

async fn get(server: &Running, path: &str) -> Value {
    let text = format!("GET {path} HTTP/1.1\r\nhost: sim\r\nconnection: close\r\n\r\n");
    let said = connections::until_closed(server, &text).await;
    serde_json::from_str(said.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn a_request_that_arrives_is_noted_with_its_bytes_its_meaning_and_its_answer() {
    let server = connections::start(&[("claude", MESSAGES)]).await;
    let body = connections::streamed("claude");
    let call = connections::closing(&connections::post("/v1/messages", &body));
    let call = call.replacen("host: sim", "host: sim\r\nx-api-key: sk-hidden", 1);
    let received = connections::until_closed(&server, &call).await;

    let arrivals = server.arrivals().after(0);
    let [arrival] = arrivals.as_slice() else { panic!("{arrivals:?}") };
    assert_eq!((arrival.number, arrival.model.as_deref()), (1, Some("claude")));
    assert_eq!(arrival.body, body.to_string());
    assert_eq!(arrival.request().unwrap().messages, [Message::user("hello")]);
    assert_eq!(arrival.answer.status, 200);
    assert_eq!(arrival.answer.delivery, Delivery::Sent);
    assert!(received.contains("message_stop") && arrival.answer.body.contains("message_stop"));
    assert!(!format!("{arrival:?}").contains("sk-hidden"));

    let listed = get(&server, "/toolprobe/arrivals/0").await;
    assert_eq!(listed["latest"], 1);
    assert_eq!(listed["arrivals"][0]["request"]["messages"][0]["role"], "user");
    assert_eq!(get(&server, "/toolprobe/arrivals/1").await["arrivals"], json!([]));
    server.shutdown().await.unwrap();
}

#[test]
fn a_model_of_any_dialect_says_where_it_is_served() {
    let desk = Desk::new(&[("chat", CHAT), ("claude", MESSAGES)]);
    for (path, model) in [("/v1/chat/completions", "chat"), ("/v1/messages", "claude")] {
        let mut body = hello(model);
        body["messages"][0]["content"] = json!(format!("{WHERE_SERVED} (x7)"));
        let answer = desk.post(path, &body);
        let said = String::from_utf8(answer.payload.bytes().into_owned()).unwrap();
        assert_eq!(served_at(&said), Some("http://127.0.0.1:1"), "{said}");
    }
}
