//! `toolprobe sim`

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::{finished, toolprobe};

fn fails(args: &[&str]) -> String {
    let (code, out, err) = finished(toolprobe(args).output().unwrap());
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    err
}

fn start() -> (Child, String) {
    let mut child = toolprobe(&["sim", "--addr", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    (child, url.trim_end().to_owned())
}

#[test]
fn the_first_line_is_the_base_url_and_a_signal_stops_it_cleanly() {
    for signal in ["TERM", "INT"] {
        let (child, url) = start();
        let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.ends_with(r#"{"status":"ok"}"#), "{answer}");

        let signalled = [&format!("-{signal}"), &child.id().to_string()];
        assert!(Command::new("kill").args(signalled).status().unwrap().success());
        let (code, _, err) = finished(child.wait_with_output().unwrap());
        assert_eq!(code, Some(0), "{err}");
        assert!(err.contains("simulated models") && err.ends_with("stopping\n"), "{err}");
    }
}

#[test]
fn listening_beyond_this_machine_is_warned_of_even_where_quiet() {
    for (host, is_open) in [("0.0.0.0", true), ("127.0.0.1", false), ("[::1]", false)] {
        let mut child = toolprobe(&["sim", "--quiet", "--addr", &format!("{host}:0")])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        if url.is_empty() && host == "[::1]" {
            continue; // not every machine has it
        }
        assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
        let (_, _, err) = finished(child.wait_with_output().unwrap());
        assert_eq!(err.contains("is open to other machines"), is_open, "{host}: {err}");
    }
}

#[test]
fn a_port_in_use_is_named_with_a_remedy() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    assert_eq!(
        fails(&["sim", "--addr", &addr]),
        format!(
            "error: cannot listen on {addr}: another program does already; \
             `--addr 127.0.0.1:0` picks a free port\n"
        )
    );
}

#[test]
fn an_address_without_a_port_is_refused() {
    let err = fails(&["sim", "--addr", "nonsense"]);
    assert!(err.starts_with("error: cannot listen on nonsense: "), "{err}");
}

#[test]
fn a_malformed_model_file_is_named_with_line_and_field() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("odd.toml");
    fs::write(&file, "about = \"An odd one.\"\nprovenance = \"heard\"\n").unwrap();
    let err = fails(&["sim", "--models", dir.path().to_str().unwrap()]);
    let place = format!("error: {}:2:14: field `provenance`: ", file.display());
    assert!(err.starts_with(&place), "{err}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let err = fails(&["sim", "--models", "no/such/folder"]);
    assert!(err.starts_with("error: cannot read no/such/folder"), "{err}");
}
