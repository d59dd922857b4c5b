//! Files: written whole or not at all, read where they may be missing.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::StoreError;
use crate::secret::scrub_bytes;

/// How the names of temporary files begin.
pub(super) const TEMPORARY: &str = ".tmp-";

/// The file that is locked in the place of its folder.
pub(super) const LOCK: &str = ".lock";

/// Which end a written file must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// That of this process. Enough for what is checked when it is read, and many times faster.
    Process,
    /// That of the machine.
    Machine,
}

/// Writes a text to a place that the user chose, whole or not at all.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), StoreError> {
    write(path, text.as_bytes(), Durability::Machine)
}

/// Writes a text that comes in pieces, whole or not at all. No secret may reach over the end of a piece.
pub(crate) fn write_pieces(
    path: &Path,
    mut pieces: impl Iterator<Item = io::Result<String>>,
) -> Result<(), StoreError> {
    write_with(path, Durability::Machine, |file| {
        pieces.try_for_each(|piece| file.write_all(&scrub_bytes(piece?.as_bytes())))
    })
}

/// Writes a file under a temporary name in the same folder and renames it into place.
///
/// A reader never sees half of it, and a crash leaves what was there before. No file holds a secret
/// of this process, whatever path it took to get here.
pub(super) fn write(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), StoreError> {
    write_with(path, durability, |file| file.write_all(&scrub_bytes(bytes)))
}

fn write_with(
    path: &Path,
    durability: Durability,
    write_all: impl FnOnce(&mut fs::File) -> io::Result<()>,
) -> Result<(), StoreError> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
    let failed = || StoreError::io("write", path);
    let mut file = temporary().tempfile_in(folder).map_err(failed())?;
    write_all(file.as_file_mut()).map_err(failed())?;
    if durability == Durability::Machine {
        file.as_file().sync_data().map_err(failed())?;
    }
    file.persist(path).map_err(|error| failed()(error.error))?;
    if durability == Durability::Machine {
        sync_folder(folder).map_err(failed())?;
    }
    Ok(())
}

/// Waits until nobody else has locked a folder, and locks it until the file is dropped.
pub(super) fn lock(folder: &Path) -> Result<fs::File, StoreError> {
    fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
    lock_file(&folder.join(LOCK))
}

/// Waits until nobody else has locked a file, which is made if need be, and locks it until it is dropped.
pub(super) fn lock_file(path: &Path) -> Result<fs::File, StoreError> {
    let open = || {
        let options = fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        options.lock()?;
        Ok(options)
    };
    open().map_err(StoreError::io("lock", path))
}

/// The same for a folder that is kept under version control, which a file of its own would show in.
pub(super) fn lock_folder(folder: &Path) -> Result<fs::File, StoreError> {
    // Elsewhere a folder cannot be opened as a file.
    if !cfg!(unix) {
        return lock(folder);
    }
    fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
    let open = || {
        let opened = fs::File::open(folder)?;
        opened.lock()?;
        Ok(opened)
    };
    open().map_err(StoreError::io("lock", folder))
}

/// Makes sure that the names in a folder survive the end of the machine.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    // Elsewhere a folder cannot be opened as a file.
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Deletes the temporary files and folders that a killed process left in a folder.
pub(super) fn remove_leftovers(folder: &Path) -> Result<(), StoreError> {
    for name in list(folder)?.iter().filter(|name| name.starts_with(TEMPORARY)) {
        let path = folder.join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path).map_err(StoreError::io("delete", &path))?;
        } else {
            remove(&path)?;
        }
    }
    Ok(())
}

/// The text of a file; `None` where there is none.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, StoreError> {
    unless_missing(fs::read_to_string(path)).map_err(StoreError::io("read", path))
}

/// Deletes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    unless_missing(fs::remove_file(path)).map_err(StoreError::io("delete", path))?;
    Ok(())
}

/// The names in a folder, in order; none where there is no folder.
pub(super) fn list(folder: &Path) -> Result<Vec<String>, StoreError> {
    let failed = || StoreError::io("list", folder);
    let entries = unless_missing(fs::read_dir(folder)).map_err(failed())?;
    let names = entries.into_iter().flatten().map(|entry| Ok(entry?.file_name()));
    let names: io::Result<Vec<_>> = names.collect();
    let names = names.map_err(failed())?.into_iter();
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn unless_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Temporary files are private by default, and reports are not: the umask decides.
#[cfg(unix)]
fn temporary() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY).permissions(fs::Permissions::from_mode(0o666));
    builder
}

#[cfg(not(unix))]
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/folder/x.json");
        write(&path, b"one", Durability::Machine).unwrap();
        write(&path, b"two", Durability::Machine).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn no_file_holds_a_secret_of_this_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        crate::secret::remember(&crate::secret::Secret::new("sk-kept-out-of-files"));
        write(&path, b"{\"a\":\"SK-kept\\u002dout-of-files\"}", Durability::Process).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"{\"a\":\"[secret]\"}");
    }

    #[test]
    fn what_cannot_be_written_is_named_and_leaves_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir_all(path.join("by-a-folder")).unwrap();
        let shown = write(&path, b"x", Durability::Machine).unwrap_err().to_string();
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
        write(&ours, b"x", Durability::Machine).unwrap();
        fs::write(&plain, b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
