//! How does a file appear whole or not at all?

use std::fs;
use std::io::Write;
use std::path::Path;

use super::StoreError;

/// What a file must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survives {
    /// The end of this program: enough for what is checked when it is read, and many times faster.
    Program,
    /// The end of the machine.
    Machine,
}

/// Writes a file under a temporary name in the same folder and renames it into place.
///
/// A reader never sees half of it, and a crash leaves what was there before.
pub(super) fn write(path: &Path, bytes: &[u8], survives: Survives) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
    let failed = || StoreError::io("write", path);
    let mut file = temporary().tempfile_in(folder).map_err(failed())?;
    file.write_all(bytes).map_err(failed())?;
    if survives == Survives::Machine {
        file.as_file().sync_data().map_err(failed())?;
    }
    file.persist(path).map_err(|error| failed()(error.error))?;
    Ok(())
}

/// Temporary files are private by default, which reports are not: the umask decides.
#[cfg(unix)]
fn temporary() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tmp-").permissions(fs::Permissions::from_mode(0o666));
    builder
}

#[cfg(not(unix))]
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tmp-");
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/folder/x.json");
        write(&path, b"one", Survives::Machine).unwrap();
        write(&path, b"two", Survives::Machine).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_named_and_leaves_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir_all(path.join("by-a-folder")).unwrap();
        let shown = write(&path, b"x", Survives::Machine).unwrap_err().to_string();
        assert_eq!(shown, format!("cannot write {}", path.display()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn written_files_are_as_open_as_the_users_other_files() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let ours = dir.path().join("ours");
        let plain = dir.path().join("plain");
        write(&ours, b"x", Survives::Machine).unwrap();
        fs::write(&plain, b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
