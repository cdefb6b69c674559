//! Files of a source: which ones, how many bytes, and an opened one as UTF-8 text with its position.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use encoding_rs::{Encoding, UTF_8};
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;

use crate::error::LoadError;
use crate::limits::READ_BUFFER_BYTES;
use crate::mapping::Input;

/// One file of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceFile {
    /// Where it is.
    pub(crate) path: Arc<Path>,
    /// Its size on disk.
    pub(crate) bytes: u64,
}

/// The files of a source, sorted by name. A folder gives all files of its top level whose names pass the filter.
pub(crate) fn files(input: &Input, base: &Path, mapping: &Path, at: &str) -> Result<Vec<SourceFile>, LoadError> {
    let path = base.join(&input.path);
    let meta = std::fs::metadata(&path).map_err(|error| LoadError::file("read", &path, error))?;
    if meta.is_file() {
        return Ok(vec![SourceFile { path: path.into(), bytes: meta.len() }]);
    }
    let mut found = Vec::new();
    let entries = std::fs::read_dir(&path).map_err(|error| LoadError::file("read", &path, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| LoadError::file("read", &path, error))?.path();
        let meta = std::fs::metadata(&entry).map_err(|error| LoadError::file("read", &entry, error))?;
        if meta.is_file() && passes(&entry, &input.file_filter.extensions) {
            found.push(SourceFile { path: entry.into(), bytes: meta.len() });
        }
    }
    if found.is_empty() {
        let wanted = input.file_filter.extensions.join(", ");
        let reason = format!("the folder {} has no file with one of the extensions {wanted}", path.display());
        return Err(LoadError::description(mapping, format!("{at}.input.path"), reason));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn passes(path: &Path, extensions: &[String]) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    extensions.iter().any(|extension| {
        let extension = extension.trim_start_matches("*.").trim_start_matches('.').to_lowercase();
        extension == "*" || name.ends_with(&format!(".{extension}"))
    })
}

/// Counts bytes as they are taken from the disk.
struct Counting<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.bytes.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// An opened file: decompressed, and decoded to UTF-8 unless it is UTF-8 already.
pub(crate) struct OpenFile {
    /// The text. Of UTF-8 files the bytes as they are: whether they are valid is checked row by row, so that a bad row
    /// can be rejected. In other character sets a malformed sequence becomes U+FFFD.
    pub(crate) text: Box<dyn BufRead + Send>,
    /// Bytes taken from the disk so far.
    pub(crate) bytes_read: Arc<AtomicU64>,
}

/// Whether the bytes of a source's files are its text: neither compressed nor of another character set. Only then a
/// part of a file can be read.
pub(crate) fn is_plain(input: &Input) -> bool {
    let encoding = input.charset.as_deref().and_then(|name| Encoding::for_label(name.as_bytes())).unwrap_or(UTF_8);
    !is_gzip(input) && encoding == UTF_8
}

fn is_gzip(input: &Input) -> bool {
    input.compression.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("GZIP"))
}

/// Opens a file of a source.
pub(crate) fn open(path: &Path, input: &Input) -> io::Result<OpenFile> {
    open_part(path, input, 0, u64::MAX)
}

/// Opens a part of a file, from byte `start` up to byte `end`.
pub(crate) fn open_part(path: &Path, input: &Input, start: u64, end: u64) -> io::Result<OpenFile> {
    let bytes_read = Arc::new(AtomicU64::new(0));
    let mut file = File::open(path)?;
    if start > 0 {
        file.seek(SeekFrom::Start(start))?;
    }
    let counting = Counting { inner: file.take(end - start), bytes: Arc::clone(&bytes_read) };
    let plain: Box<dyn Read + Send> = if is_gzip(input) {
        Box::new(MultiGzDecoder::new(BufReader::with_capacity(READ_BUFFER_BYTES, counting)))
    } else {
        Box::new(counting)
    };
    let encoding = input.charset.as_deref().and_then(|name| Encoding::for_label(name.as_bytes())).unwrap_or(UTF_8);
    let decoded: Box<dyn Read + Send> = if encoding == UTF_8 {
        plain
    } else {
        Box::new(DecodeReaderBytesBuilder::new().encoding(Some(encoding)).build(plain))
    };
    Ok(OpenFile { text: Box::new(BufReader::with_capacity(READ_BUFFER_BYTES, decoded)), bytes_read })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn input(extra: &str) -> Input {
        serde_json::from_str(&format!(r#"{{"path": "."{extra}}}"#)).unwrap()
    }

    #[test]
    fn a_folder_gives_its_filtered_files_in_order() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv", "c.txt"] {
            std::fs::write(dir.path().join(name), "x").unwrap();
        }
        std::fs::create_dir(dir.path().join("d.csv")).unwrap();
        let input = input(r#", "file_filter": {"extensions": ["csv"]}"#);
        let found = files(&input, dir.path(), Path::new("m.json"), "structs[0]").unwrap();
        let names: Vec<_> = found.iter().map(|file| file.path.file_name().unwrap()).collect();
        assert_eq!(names, ["a.csv", "b.csv"]);
    }

    #[test]
    fn an_empty_folder_is_an_error_that_names_the_filter() {
        let dir = tempfile::tempdir().unwrap();
        let input = input(r#", "file_filter": {"extensions": ["csv"]}"#);
        let text = files(&input, dir.path(), Path::new("m.json"), "structs[0]").unwrap_err().to_string();
        assert!(text.contains("structs[0].input.path") && text.contains("csv"), "{text}");
    }

    #[test]
    fn gzip_and_other_character_sets_are_decoded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.gz");
        let (gbk, _, _) = encoding_rs::GBK.encode("名字\n");
        let mut encoder = GzEncoder::new(File::create(&path).unwrap(), Compression::default());
        encoder.write_all(&gbk).unwrap();
        encoder.finish().unwrap();
        let mut file = open(&path, &input(r#", "compression": "GZIP", "charset": "GBK""#)).unwrap();
        let mut text = String::new();
        file.text.read_to_string(&mut text).unwrap();
        assert_eq!(text, "名字\n");
        assert_eq!(file.bytes_read.load(Ordering::Relaxed), std::fs::metadata(&path).unwrap().len());
    }
}
