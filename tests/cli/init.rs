//! `toolprobe init`

use std::fs;

use crate::{finished, toolprobe};

#[test]
fn a_file_that_is_there_is_left_as_it_is_unless_forced() {
    let dir = tempfile::tempdir().unwrap();
    let init = |args: &[&str]| {
        let args = [&["init"], args].concat();
        finished(toolprobe(&args).current_dir(dir.path()).output().unwrap())
    };
    let (code, out, err) = init(&[]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert!(err.starts_with("wrote toolprobe.toml; "), "{err}");
    let written = fs::read_to_string(dir.path().join("toolprobe.toml")).unwrap();
    assert_eq!(written, toolprobe::target::STARTER);

    fs::write(dir.path().join("toolprobe.toml"), "# mine\n").unwrap();
    let (code, _, err) = init(&[]);
    assert_eq!(code, Some(2));
    assert!(err.contains("toolprobe.toml is there already") && err.contains("--force"), "{err}");
    assert_eq!(fs::read_to_string(dir.path().join("toolprobe.toml")).unwrap(), "# mine\n");

    assert_eq!(init(&["--force"]).0, Some(0));
    assert_eq!(fs::read_to_string(dir.path().join("toolprobe.toml")).unwrap(), written);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let (code, _, err) = finished(toolprobe(&["init", "no/such/x.toml"]).output().unwrap());
    assert_eq!(code, Some(2));
    assert!(err.starts_with("error: cannot write no/such/x.toml: "), "{err}");
}
