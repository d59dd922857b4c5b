//! The limits of an endpoint hold over all of its targets

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use crate::Sim;
use crate::place::{Place, root};

/// Counts the requests that were read and not answered yet.
#[derive(Default)]
struct InFlight {
    now_and_most: Mutex<(usize, usize)>,
    came: Condvar,
}

impl InFlight {
    /// Holds a request until it is answered. It first waits for one more than is allowed, which must
    /// not come.
    fn hold<T>(&self, allowed: usize, answer: impl FnOnce() -> T) -> T {
        let mut counts = self.now_and_most.lock().unwrap();
        counts.0 += 1;
        counts.1 = counts.1.max(counts.0);
        self.came.notify_all();
        let bound = Duration::from_millis(10);
        let too_few = |counts: &mut (usize, usize)| counts.0 <= allowed;
        drop(self.came.wait_timeout_while(counts, bound, too_few).unwrap());
        let answer = answer();
        self.now_and_most.lock().unwrap().0 -= 1;
        answer
    }

    fn most(&self) -> usize {
        self.now_and_most.lock().unwrap().1
    }
}

/// A gateway before the simulator that counts what it has in hand.
fn serve(sim: &str, allowed: usize) -> (u16, Arc<InFlight>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let in_flight = Arc::new(InFlight::default());
    let (counted, sim) = (Arc::clone(&in_flight), sim.trim_start_matches("http://").to_owned());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (counted, sim) = (Arc::clone(&counted), sim.clone());
            thread::spawn(move || forward(stream, &sim, &counted, allowed));
        }
    });
    (port, in_flight)
}

/// Passes one request on, and its answer back once it is whole.
fn forward(mut stream: TcpStream, sim: &str, counted: &InFlight, allowed: usize) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let answer = counted.hold(allowed, || {
        let mut upstream = TcpStream::connect(sim).ok()?;
        write!(upstream, "{head}connection: close\r\n\r\n").ok()?;
        upstream.write_all(&body).ok()?;
        let mut answer = Vec::new();
        upstream.read_to_end(&mut answer).ok()?;
        Some(answer)
    })?;
    stream.write_all(&answer).ok()
}

/// A run of 24 models at one address, spelled in two ways.
fn run_24(limits: &str, flags: &[&str], allowed: usize) -> usize {
    let place = Place::with(&[]);
    let model = fs::read_to_string(root().join("fixtures/models/openai-native.toml")).unwrap();
    for nth in 0..24 {
        fs::write(place.path(&format!("models/m{nth}.toml")), &model).unwrap();
    }
    let sim = Sim::of_folder(&place.path("models"));
    let (port, in_flight) = serve(&sim.url, allowed);
    let mut text = String::new();
    for (host, from) in [("127.0.0.1", 0), ("localhost", 12)] {
        let models: Vec<String> = (from..from + 12).map(|it| format!("'m{it}'")).collect();
        let _ = writeln!(
            text,
            "[[targets]]\nbase_url = 'http://{host}:{port}/v1'\ndialect = 'openai-chat'\n\
             models = [{}]\n{limits}",
            models.join(", ")
        );
    }
    fs::write(place.path("toolprobe.toml"), text).unwrap();
    let run = ["run", "--suite", "light", "--trials", "1", "--jobs", "24"];
    place.exits(0, &[&run[..], flags].concat());
    in_flight.most()
}

#[test]
fn twenty_four_models_at_one_address_keep_to_its_limit_together() {
    assert_eq!(run_24("limits = { concurrency = 2 }", &[], 2), 2);
    assert_eq!(run_24("", &["--concurrency", "3"], 3), 3);
    assert_eq!(run_24("", &[], 8), 8);
}
