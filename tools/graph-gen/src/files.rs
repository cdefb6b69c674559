//! The 31 CSV files: their names, columns, and the graph element each row is; and the writer for all of them.
//!
//! [`FILES`] is the one table from which headers, schema and mapping are made. [`Tables`] writes rows: a row is built
//! in the file's buffer field by field without allocation, and the buffer goes to disk when it is full. Texts must not
//! hold `|` or line ends; all texts come from this crate's dictionary, which has none.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::GenError;
use crate::limits::BUFFER_BYTES;

/// What one row of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// A vertex; its label is the file's stem.
    Vertex,
    /// An edge between two vertex labels; its label is the file's stem.
    Edge { source: &'static str, target: &'static str },
}

/// How much of each element is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// All columns.
    #[default]
    Everything,
    /// All columns, but texts of messages are empty and their length is 0.
    WithoutText,
    /// The ids of vertices and the two ends of edges.
    IdsOnly,
}

/// One CSV file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileSpec {
    pub(crate) folder: &'static str,
    /// File name without `_0_0.csv`, and the label in the graph.
    pub(crate) stem: &'static str,
    columns: &'static [&'static str],
    pub(crate) element: Element,
}

impl FileSpec {
    /// Whether rows are vertices.
    pub(crate) fn is_vertex(&self) -> bool {
        self.element == Element::Vertex
    }

    /// Path below the output folder, with `/`.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}_0_0.csv", self.folder, self.stem)
    }

    /// The columns that say which element a row is: the id of a vertex, the ends of an edge.
    pub(crate) fn id_columns(&self) -> usize {
        if self.is_vertex() { 1 } else { 2 }
    }

    /// The columns that are written.
    pub(crate) fn columns(&self, content: Content) -> &'static [&'static str] {
        match content {
            Content::Everything | Content::WithoutText => self.columns,
            Content::IdsOnly => self.columns.get(..self.id_columns()).unwrap_or_default(),
        }
    }
}

const fn vertex(folder: &'static str, stem: &'static str, columns: &'static [&'static str]) -> FileSpec {
    FileSpec { folder, stem, columns, element: Element::Vertex }
}

const fn edge(
    folder: &'static str,
    stem: &'static str,
    columns: &'static [&'static str],
    source: &'static str,
    target: &'static str,
) -> FileSpec {
    FileSpec { folder, stem, columns, element: Element::Edge { source, target } }
}

/// Position of a file in [`FILES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Organisation,
    OrganisationIsLocatedIn,
    Place,
    PlaceIsPartOf,
    Tag,
    TagHasType,
    TagClass,
    TagClassIsSubclassOf,
    Comment,
    CommentHasCreator,
    CommentHasTag,
    CommentIsLocatedIn,
    CommentReplyOfComment,
    CommentReplyOfPost,
    Forum,
    ForumContainerOf,
    ForumHasMember,
    ForumHasModerator,
    ForumHasTag,
    Person,
    PersonHasInterest,
    PersonIsLocatedIn,
    PersonKnows,
    PersonLikesComment,
    PersonLikesPost,
    PersonStudyAt,
    PersonWorkAt,
    Post,
    PostHasCreator,
    PostHasTag,
    PostIsLocatedIn,
}

const S: &str = "static";
const D: &str = "dynamic";

/// All files, in the order of [`Table`].
#[rustfmt::skip]
pub(crate) const FILES: [FileSpec; 31] = [
    vertex(S, "organisation", &["id", "type", "name", "url"]),
    edge(S, "organisation_isLocatedIn_place", &["Organisation.id", "Place.id"], "organisation", "place"),
    vertex(S, "place", &["id", "name", "url", "type"]),
    edge(S, "place_isPartOf_place", &["Place.id", "Place.id"], "place", "place"),
    vertex(S, "tag", &["id", "name", "url"]),
    edge(S, "tag_hasType_tagclass", &["Tag.id", "TagClass.id"], "tag", "tagclass"),
    vertex(S, "tagclass", &["id", "name", "url"]),
    edge(S, "tagclass_isSubclassOf_tagclass", &["TagClass.id", "TagClass.id"], "tagclass", "tagclass"),
    vertex(D, "comment", &["id", "creationDate", "locationIP", "browserUsed", "content", "length"]),
    edge(D, "comment_hasCreator_person", &["Comment.id", "Person.id"], "comment", "person"),
    edge(D, "comment_hasTag_tag", &["Comment.id", "Tag.id"], "comment", "tag"),
    edge(D, "comment_isLocatedIn_place", &["Comment.id", "Place.id"], "comment", "place"),
    edge(D, "comment_replyOf_comment", &["Comment.id", "Comment.id"], "comment", "comment"),
    edge(D, "comment_replyOf_post", &["Comment.id", "Post.id"], "comment", "post"),
    vertex(D, "forum", &["id", "title", "creationDate"]),
    edge(D, "forum_containerOf_post", &["Forum.id", "Post.id"], "forum", "post"),
    edge(D, "forum_hasMember_person", &["Forum.id", "Person.id", "joinDate"], "forum", "person"),
    edge(D, "forum_hasModerator_person", &["Forum.id", "Person.id"], "forum", "person"),
    edge(D, "forum_hasTag_tag", &["Forum.id", "Tag.id"], "forum", "tag"),
    vertex(D, "person", &[
        "id", "firstName", "lastName", "gender", "birthday", "creationDate", "locationIP", "browserUsed", "language",
        "email",
    ]),
    edge(D, "person_hasInterest_tag", &["Person.id", "Tag.id"], "person", "tag"),
    edge(D, "person_isLocatedIn_place", &["Person.id", "Place.id"], "person", "place"),
    edge(D, "person_knows_person", &["Person.id", "Person.id", "creationDate"], "person", "person"),
    edge(D, "person_likes_comment", &["Person.id", "Comment.id", "creationDate"], "person", "comment"),
    edge(D, "person_likes_post", &["Person.id", "Post.id", "creationDate"], "person", "post"),
    edge(D, "person_studyAt_organisation", &["Person.id", "Organisation.id", "classYear"], "person", "organisation"),
    edge(D, "person_workAt_organisation", &["Person.id", "Organisation.id", "workFrom"], "person", "organisation"),
    vertex(D, "post", &[
        "id", "imageFile", "creationDate", "locationIP", "browserUsed", "language", "content", "length",
    ]),
    edge(D, "post_hasCreator_person", &["Post.id", "Person.id"], "post", "person"),
    edge(D, "post_hasTag_tag", &["Post.id", "Tag.id"], "post", "tag"),
    edge(D, "post_isLocatedIn_place", &["Post.id", "Place.id"], "post", "place"),
];

/// One row as it is generated, for consumers of rows instead of files: see [`crate::stream`].
#[derive(Debug, Clone, Copy)]
pub struct StreamedRow<'a> {
    /// Label of the vertex or edge: the stem of the file it would be in.
    pub label: &'static str,
    /// Labels of the vertices at both ends of an edge; `None` for a vertex.
    pub ends: Option<(&'static str, &'static str)>,
    /// The id of a vertex, and 0; or those of both ends of an edge.
    pub ids: [u64; 2],
    /// Names of the columns. The first of a vertex, the first two of an edge are ids.
    pub columns: &'static [&'static str],
    /// The fields in the order of the columns, with `|` between them, as in the file.
    pub line: &'a [u8],
}

/// Takes rows; `false` ends the run.
pub(crate) type Taker<'t> = &'t mut dyn FnMut(StreamedRow<'_>) -> bool;

/// One open file, or the place where rows of its kind are made.
struct Output {
    /// Where rows go; `None` where a taker has them.
    file: Option<File>,
    path: PathBuf,
    buffer: Vec<u8>,
    rows: u64,
    /// The columns that are written; further fields of a row are left out.
    columns: &'static [&'static str],
    spec: &'static FileSpec,
}

impl Output {
    fn flush(&mut self) -> Result<(), GenError> {
        if let Some(file) = &mut self.file {
            file.write_all(&self.buffer).map_err(|source| GenError::Write { path: self.path.clone(), source })?;
        }
        self.buffer.clear();
        Ok(())
    }
}

/// All files, open for writing; or what gives every row to a taker.
pub(crate) struct Tables<'t> {
    outputs: Vec<Output>,
    rows: u64,
    taker: Option<Taker<'t>>,
}

impl<'t> Tables<'t> {
    /// Gives every row to `taker` instead of writing files.
    pub(crate) fn streaming(content: Content, taker: Taker<'t>) -> Tables<'t> {
        let outputs = FILES.iter().map(|spec| Output {
            file: None,
            path: PathBuf::new(),
            buffer: Vec::new(),
            rows: 0,
            columns: spec.columns(content),
            spec,
        });
        Tables { outputs: outputs.collect(), rows: 0, taker: Some(taker) }
    }

    /// Creates the folders and files (replacing older ones) and writes the headers.
    pub(crate) fn create(out: &Path, content: Content) -> Result<Tables<'t>, GenError> {
        for folder in [S, D] {
            let path = out.join(folder);
            fs::create_dir_all(&path).map_err(|source| GenError::CreateFolder { path, source })?;
        }
        let mut outputs = Vec::with_capacity(FILES.len());
        for spec in &FILES {
            let path = out.join(spec.path());
            let file = File::create(&path).map_err(|source| GenError::Write { path: path.clone(), source })?;
            let mut buffer = Vec::with_capacity(BUFFER_BYTES + 8 * 1024);
            let columns = spec.columns(content);
            buffer.extend_from_slice(columns.join("|").as_bytes());
            buffer.push(b'\n');
            outputs.push(Output { file: Some(file), path, buffer, rows: 0, columns, spec });
        }
        Ok(Tables { outputs, rows: 0, taker: None })
    }

    /// Starts a row; nothing counts until [`Row::end`].
    #[expect(clippy::indexing_slicing, reason = "`create` opens one output for each `Table`")]
    pub(crate) fn row(&mut self, table: Table) -> Row<'_, 't> {
        let output = &mut self.outputs[table as usize];
        Row { output, rows: &mut self.rows, taker: self.taker.as_mut(), fields: 0, numbers: [0; 2] }
    }

    /// A row of two ids, the most frequent kind.
    pub(crate) fn pair(&mut self, table: Table, source: u64, target: u64) -> Result<(), GenError> {
        self.row(table).number(source).number(target).end()
    }

    /// Rows written so far in all files.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes what is buffered and gives the rows of each file, in the order of [`FILES`].
    pub(crate) fn finish(mut self) -> Result<Vec<u64>, GenError> {
        for output in &mut self.outputs {
            output.flush()?;
        }
        Ok(self.outputs.iter().map(|output| output.rows).collect())
    }
}

/// One row under construction.
pub(crate) struct Row<'a, 't> {
    output: &'a mut Output,
    rows: &'a mut u64,
    taker: Option<&'a mut Taker<'t>>,
    fields: usize,
    /// Those of the first two fields.
    numbers: [u64; 2],
}

impl Row<'_, '_> {
    /// Writes one field, if its column is written at all.
    fn field(mut self, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        if self.fields < self.output.columns.len() {
            if self.fields > 0 {
                self.output.buffer.push(b'|');
            }
            write(&mut self.output.buffer);
        }
        self.fields += 1;
        self
    }

    /// A field with a decimal number.
    pub(crate) fn number(mut self, value: u64) -> Self {
        if let Some(number) = self.numbers.get_mut(self.fields) {
            *number = value;
        }
        self.field(|buffer| buffer.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()))
    }

    /// A field with a text that is known to hold no `|` and no line end.
    pub(crate) fn text(self, value: &str) -> Self {
        self.bytes(value.as_bytes())
    }

    /// As [`Row::text`].
    pub(crate) fn bytes(self, value: &[u8]) -> Self {
        self.field(|buffer| buffer.extend_from_slice(value))
    }

    /// A field made of several texts.
    pub(crate) fn texts(self, values: &[&str]) -> Self {
        self.field(|buffer| {
            for value in values {
                buffer.extend_from_slice(value.as_bytes());
            }
        })
    }

    /// A field with an IPv4 address.
    pub(crate) fn address(self, ip: u32) -> Self {
        self.field(|buffer| {
            for (at, part) in ip.to_be_bytes().into_iter().enumerate() {
                if at > 0 {
                    buffer.push(b'.');
                }
                buffer.extend_from_slice(itoa::Buffer::new().format(part).as_bytes());
            }
        })
    }

    /// Ends the row.
    pub(crate) fn end(self) -> Result<(), GenError> {
        self.output.rows += 1;
        *self.rows += 1;
        if let Some(taker) = self.taker {
            let Output { spec, columns, buffer, .. } = &mut *self.output;
            let (ends, ids) = match spec.element {
                Element::Vertex => (None, [self.numbers[0], 0]),
                Element::Edge { source, target } => (Some((source, target)), self.numbers),
            };
            let more = taker(StreamedRow { label: spec.stem, ends, ids, columns, line: buffer });
            buffer.clear();
            return if more { Ok(()) } else { Err(GenError::Stopped) };
        }
        self.output.buffer.push(b'\n');
        if self.output.buffer.len() >= BUFFER_BYTES { self.output.flush() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_enum_and_the_file_list_agree() {
        for (table, stem) in [
            (Table::Organisation, "organisation"),
            (Table::Comment, "comment"),
            (Table::ForumHasTag, "forum_hasTag_tag"),
            (Table::PersonKnows, "person_knows_person"),
            (Table::PersonWorkAt, "person_workAt_organisation"),
            (Table::PostIsLocatedIn, "post_isLocatedIn_place"),
        ] {
            assert_eq!(FILES[table as usize].stem, stem);
        }
        assert_eq!(FILES.iter().filter(|file| file.element == Element::Vertex).count(), 8);
    }
}
