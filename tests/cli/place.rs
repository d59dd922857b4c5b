//! A folder with models, runs and snapshots of its own, and the program in it

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{finished, toolprobe};

/// The quickest run of the models in a [`Place`].
pub(crate) const LIGHT: [&str; 5] = ["run", "--models", "models", "--suite", "light"];

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with models, runs and snapshots of its own.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    /// With the files of these models.
    pub(crate) fn with(models: &[&str]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path("models")).unwrap();
        for model in models {
            let file = format!("{model}.toml");
            let from = root().join("fixtures/models").join(&file);
            fs::copy(from, place.path("models").join(file)).unwrap();
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the program here.
    pub(crate) fn does(&self, args: &[&str]) -> (Option<i32>, String, String) {
        finished(toolprobe(args).current_dir(self.0.path()).output().unwrap())
    }

    /// Runs the program here, which must come to this exit code.
    pub(crate) fn exits(&self, code: i32, args: &[&str]) -> String {
        let (found, out, err) = self.does(args);
        assert_eq!(found, Some(code), "{out}{err}");
        out + &err
    }

    /// Gives a model another quirk, as its file would say it.
    pub(crate) fn spoil(&self, model: &str, quirk: &str) {
        let path = self.path("models").join(format!("{model}.toml"));
        let text = fs::read_to_string(&path).unwrap();
        let quirks = format!("\n{quirk}\n\n[profile]");
        fs::write(path, text.replacen("\n[profile]", &quirks, 1)).unwrap();
    }

    /// The files of the snapshots.
    pub(crate) fn snapshots(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.path("profiles")).unwrap();
        files.map(|file| file.unwrap().path()).collect()
    }
}

/// Changes a JSON file.
pub(crate) fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}
