//! `toolprobe completions`

use crate::{finished, toolprobe};

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, out, _) = finished(toolprobe(&["completions", shell]).output().unwrap());
        assert_eq!(code, Some(0), "{shell}");
        for command in ["probe", "doctor", "completions"] {
            assert!(out.contains(command), "{shell}: {command}");
        }
    }
}
