//! Files of sorted rows: what one thread's memory held, on disk until it is merged with the others.
//!
//! A file holds sections (see `key_codec::tables::section_len`) one after the other. A row is: how many bytes its key
//! shares with the one before, how many more it has, the length of its value (LEB128 each), those bytes, the value. The
//! first row of a section shares nothing.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits::RUN_BUFFER_BYTES;

/// Where a section lies in a file, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionMeta {
    /// Number of the table.
    pub table: u8,
    /// What all its keys begin with.
    pub prefix: Vec<u8>,
    /// Where it begins in the file.
    pub offset: u64,
    /// Bytes of the file that it takes.
    pub bytes: u64,
    /// How many rows it has.
    pub rows: u64,
}

/// A finished file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunMeta {
    /// Names the file; later runs have larger numbers.
    pub number: u64,
    /// Its sections, by table and prefix.
    pub sections: Vec<SectionMeta>,
}

impl RunMeta {
    /// The name of the file.
    #[must_use]
    pub fn file_name(number: u64) -> String {
        format!("{number}.run")
    }

    /// Bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.sections.iter().map(|section| section.bytes).sum()
    }
}

/// Writes a file.
pub struct RunWriter {
    file: BufWriter<File>,
    at: u64,
    last_key: Vec<u8>,
    head: Vec<u8>,
    section: SectionMeta,
}

impl RunWriter {
    /// Begins a file.
    ///
    /// # Errors
    /// That it cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(RUN_BUFFER_BYTES, File::create(path)?);
        let section = SectionMeta { table: 0, prefix: Vec::new(), offset: 0, bytes: 0, rows: 0 };
        Ok(Self { file, at: 0, last_key: Vec::new(), head: Vec::new(), section })
    }

    /// Begins a section: rows of a table whose keys all begin with a prefix.
    pub fn begin(&mut self, table: u8, prefix: &[u8]) {
        self.last_key.clear();
        self.section = SectionMeta { table, prefix: prefix.to_vec(), offset: self.at, bytes: 0, rows: 0 };
    }

    /// Appends a row, whose key is larger than the one before.
    ///
    /// # Errors
    /// That it cannot be written.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let shared = key.iter().zip(&self.last_key).take_while(|(a, b)| a == b).count();
        let rest = key.get(shared..).unwrap_or_default();
        self.head.clear();
        for number in [shared, rest.len(), value.len()] {
            put_number(&mut self.head, number);
        }
        self.file.write_all(&self.head)?;
        self.file.write_all(rest)?;
        self.file.write_all(value)?;
        self.at += (self.head.len() + rest.len() + value.len()) as u64;
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(rest);
        self.section.rows += 1;
        Ok(())
    }

    /// Ends a section.
    pub fn end(&mut self) -> SectionMeta {
        self.section.bytes = self.at - self.section.offset;
        self.section.clone()
    }

    /// The file, whole but not yet on the disk for certain.
    ///
    /// # Errors
    /// That it cannot be written.
    pub fn finish(self) -> io::Result<File> {
        self.file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

fn put_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7F).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or_default());
}

/// Reads the rows of one section.
pub struct SectionReader {
    file: Arc<File>,
    /// Where the next bytes are read from, and where the section ends.
    offset: u64,
    end: u64,
    rows_left: u64,
    buffer: Vec<u8>,
    at: usize,
    filled: usize,
    key: Vec<u8>,
    value: (usize, usize),
}

impl SectionReader {
    /// A reader before the first row. Its buffer grows where a row is larger.
    #[must_use]
    pub fn open(file: Arc<File>, section: &SectionMeta, buffer_bytes: usize) -> Self {
        Self {
            file,
            offset: section.offset,
            end: section.offset + section.bytes,
            rows_left: section.rows,
            buffer: vec![0; buffer_bytes.max(64)],
            at: 0,
            filled: 0,
            key: Vec::new(),
            value: (0, 0),
        }
    }

    /// Goes to the next row; false at the end.
    ///
    /// # Errors
    /// That the file cannot be read, or is not what was written.
    pub fn advance(&mut self) -> io::Result<bool> {
        if self.rows_left == 0 {
            return if self.offset == self.end && self.at == self.filled { Ok(false) } else { Err(damaged()) };
        }
        self.rows_left -= 1;
        let (shared, rest, value) = (self.number()?, self.number()?, self.number()?);
        let more = rest.checked_add(value).ok_or_else(damaged)?;
        self.need(more)?;
        if shared > self.key.len() {
            return Err(damaged());
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(self.buffer.get(self.at..self.at + rest).ok_or_else(damaged)?);
        self.value = (self.at + rest, self.at + more);
        self.at += more;
        Ok(true)
    }

    /// The key of the row.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The value of the row.
    #[must_use]
    pub fn value(&self) -> &[u8] {
        self.buffer.get(self.value.0..self.value.1).unwrap_or_default()
    }

    fn number(&mut self) -> io::Result<usize> {
        let mut number = 0;
        for shift in (0..u32::BITS).step_by(7) {
            self.need(1)?;
            let byte = *self.buffer.get(self.at).ok_or_else(damaged)?;
            self.at += 1;
            number |= usize::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    /// Makes this many bytes available after `at`.
    fn need(&mut self, bytes: usize) -> io::Result<()> {
        if self.filled - self.at >= bytes {
            return Ok(());
        }
        self.buffer.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.at = 0;
        let left = usize::try_from(self.end - self.offset).unwrap_or(usize::MAX);
        if bytes - self.filled > left {
            return Err(damaged());
        }
        if self.buffer.len() < bytes {
            self.buffer.resize(bytes, 0);
        }
        while self.filled < bytes {
            let room =
                (self.buffer.len() - self.filled).min(usize::try_from(self.end - self.offset).unwrap_or(usize::MAX));
            let into = self.buffer.get_mut(self.filled..self.filled + room).unwrap_or_default();
            let read = self.file.read_at(into, self.offset)?;
            if read == 0 {
                return Err(damaged());
            }
            self.filled += read;
            self.offset += read as u64;
        }
        Ok(())
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a file of sorted rows is damaged; load again without --resume")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_whatever_the_buffer() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("1.run");
        let rows: Vec<(Vec<u8>, Vec<u8>)> = (0..2_000_u32)
            .map(|n| {
                let key =
                    [b"a common beginning".as_slice(), &(n / 3).to_be_bytes(), &vec![7; n as usize % 90]].concat();
                (key, vec![u8::try_from(n % 251).unwrap(); if n % 500 == 0 { 5_000 } else { n as usize % 11 }])
            })
            .collect();
        let mut writer = RunWriter::create(&path).unwrap();
        let mut sections = Vec::new();
        for part in rows.chunks(700) {
            writer.begin(3, b"a");
            part.iter().for_each(|(key, value)| writer.put(key, value).unwrap());
            sections.push(writer.end());
        }
        writer.finish().unwrap();
        let file = Arc::new(File::open(&path).unwrap());
        for buffer in [1, 100, 1 << 16] {
            let mut read = Vec::new();
            for section in &sections {
                let mut reader = SectionReader::open(Arc::clone(&file), section, buffer);
                while reader.advance().unwrap() {
                    read.push((reader.key().to_vec(), reader.value().to_vec()));
                }
            }
            assert!(read == rows, "buffer {buffer}");
        }
    }

    #[test]
    fn a_cut_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("1.run");
        let mut writer = RunWriter::create(&path).unwrap();
        writer.begin(1, b"");
        writer.put(b"key", &[1; 300]).unwrap();
        let section = writer.end();
        writer.finish().unwrap().set_len(100).unwrap();
        let mut reader = SectionReader::open(Arc::new(File::open(&path).unwrap()), &section, 64);
        assert_eq!(reader.advance().unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
