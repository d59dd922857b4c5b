//! One simulator serves one gate at a time: a second one is refused in words, and may come afterwards.

use std::process::{Command, Output};

use crate::proxy::{Sim, client};

async fn tell(sim: &str, path: &str) -> u16 {
    let url = format!("{sim}/toolprobe/watchers/{path}");
    client().get(url).send().await.unwrap().status().as_u16()
}

/// The gate, while another one says again and again that it watches.
fn gate_beside(sim: &str) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolprobe"));
    child
        .args(["gate", "--adapter", sim, "--dialect", "openai-chat", "--model", "openai-native"])
        .args(["--suite", "light", "--trials", "1", "--confirm", "off", "--streams", "2"])
        .env_clear()
        .current_dir(dir.path());
    let gate = std::thread::spawn(move || child.output().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    while !gate.is_finished() {
        assert_eq!(runtime.block_on(tell(sim, "other")), 200);
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    gate.join().unwrap()
}

#[test]
fn a_second_gate_on_one_simulator_is_refused() {
    let sim = Sim::start();
    let refused = gate_beside(&sim.url);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("another gate uses the simulator"), "{said}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let status = |path: &str| runtime.block_on(tell(&sim.url, path));
    assert_eq!((status("third"), status("other/end"), status("third")), (409, 200, 200));
}
