//! Values of properties, by the numbers of vertices.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph_model::{LabelId, PropertyKeyId, Value};
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;

use crate::limits::COLUMN_CELLS;
use crate::stripes::{Stripes, Ticket};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnOf {
    /// The values of a property.
    Property(PropertyKeyId),
    /// The labels of vertices, each a [`Value::Long`].
    Label,
}

/// The label that a column of labels holds for a vertex.
#[must_use]
pub fn label_of(value: &Value) -> Option<LabelId> {
    match value {
        Value::Long(number) => u32::try_from(*number).ok().map(LabelId),
        _ => None,
    }
}

/// A label as a column of labels holds it.
#[must_use]
pub fn value_of(label: LabelId) -> Value {
    Value::Long(label.0.into())
}

/// Whether cells are known, and whether they hold a value: a bit for each.
#[derive(Clone, Debug)]
struct Bits([u64; COLUMN_CELLS / 64]);

impl Default for Bits {
    fn default() -> Self {
        Self([0; COLUMN_CELLS / 64])
    }
}

impl Bits {
    fn get(&self, cell: usize) -> bool {
        self.0.get(cell / 64).is_some_and(|word| word >> (cell % 64) & 1 == 1)
    }

    fn set(&mut self, cell: usize, to: bool) {
        if let Some(word) = self.0.get_mut(cell / 64) {
            *word = *word & !(1 << (cell % 64)) | u64::from(to) << (cell % 64);
        }
    }
}

/// The values of some cells.
#[derive(Debug)]
enum Values {
    /// All are whole numbers of one type, which take 8 bytes each.
    Whole(Kind, Box<[i64]>),
    /// Any; those that are not known take a pointer.
    Any(Vec<Option<Box<Value>>>),
}

/// A type of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Long,
    Date,
}

impl Kind {
    fn of(value: &Value) -> Option<(Self, i64)> {
        match value {
            Value::Int(number) => Some((Self::Int, (*number).into())),
            Value::Long(number) => Some((Self::Long, *number)),
            Value::Date(number) => Some((Self::Date, *number)),
            _ => None,
        }
    }

    fn value(self, number: i64) -> Value {
        match self {
            Self::Int => i32::try_from(number).map_or(Value::Long(number), Value::Int),
            Self::Long => Value::Long(number),
            Self::Date => Value::Date(number),
        }
    }
}

/// What a value on the heap takes, with the allocator's part, in bytes.
fn bytes_of(value: &Value) -> usize {
    size_of::<Value>() + 16 + value.bytes()
}

/// Some neighbouring cells of a column.
#[derive(Debug)]
struct Chunk {
    cells: Mutex<Cells>,
    /// Whether they were used since the last sweep.
    used: AtomicBool,
}

#[derive(Debug)]
struct Cells {
    known: Bits,
    some: Bits,
    values: Values,
    bytes: usize,
    /// The bytes that the table knows of.
    counted: usize,
    /// Whether they were evicted while somebody was about to fill them.
    gone: bool,
}

impl Cells {
    fn new() -> Self {
        Self {
            known: Bits::default(),
            some: Bits::default(),
            values: Values::Whole(Kind::Long, Box::default()),
            bytes: size_of::<Chunk>() + 32,
            counted: 0,
            gone: false,
        }
    }

    /// Tells the table how many bytes there were and are.
    fn count(&mut self, count: impl FnOnce(usize, usize)) {
        count(self.counted, self.bytes);
        self.counted = self.bytes;
    }

    fn get<T>(&self, cell: usize, read: impl FnOnce(Option<&Value>) -> T) -> Option<T> {
        if !self.known.get(cell) {
            return None;
        }
        if !self.some.get(cell) {
            return Some(read(None));
        }
        match &self.values {
            Values::Whole(kind, numbers) => numbers.get(cell).map(|number| read(Some(&kind.value(*number)))),
            Values::Any(values) => values.get(cell)?.as_deref().map(|value| read(Some(value))),
        }
    }

    fn forget(&mut self, cell: usize) {
        if !self.known.get(cell) {
            return;
        }
        self.known.set(cell, false);
        self.some.set(cell, false);
        if let Values::Any(values) = &mut self.values
            && let Some(value) = values.get_mut(cell).and_then(Option::take)
        {
            self.bytes -= bytes_of(&value);
        }
    }

    fn put(&mut self, cell: usize, value: Option<&Value>) {
        self.forget(cell);
        self.known.set(cell, true);
        let Some(value) = value else { return };
        self.some.set(cell, true);
        let whole = Kind::of(value);
        if let Values::Whole(kind, numbers) = &mut self.values
            && let Some((own, number)) = whole
        {
            if numbers.is_empty() {
                *kind = own;
                *numbers = vec![0; COLUMN_CELLS].into();
                self.bytes += COLUMN_CELLS * size_of::<i64>();
            }
            if *kind == own {
                if let Some(slot) = numbers.get_mut(cell) {
                    *slot = number;
                }
                return;
            }
        }
        self.widen();
        if let Values::Any(values) = &mut self.values
            && let Some(slot) = values.get_mut(cell)
        {
            self.bytes += bytes_of(value);
            *slot = Some(Box::new(value.clone()));
        }
    }

    /// From now on holds values of any type.
    fn widen(&mut self) {
        let Values::Whole(kind, numbers) = &self.values else { return };
        let mut values: Vec<Option<Box<Value>>> = vec![None; COLUMN_CELLS];
        self.bytes -= numbers.len() * size_of::<i64>();
        self.bytes += COLUMN_CELLS * size_of::<usize>();
        for (cell, (slot, number)) in values.iter_mut().zip(numbers.iter()).enumerate() {
            if self.some.get(cell) {
                let value = kind.value(*number);
                self.bytes += bytes_of(&value);
                *slot = Some(Box::new(value));
            }
        }
        self.values = Values::Any(values);
    }
}

fn place(number: u32) -> (usize, usize) {
    (number as usize / COLUMN_CELLS, number as usize % COLUMN_CELLS)
}

/// The values of one property, or the labels, of vertices, as far as they were read and no such vertex was written
/// since.
#[derive(Debug)]
pub struct Column {
    chunks: RwLock<Vec<Option<Arc<Chunk>>>>,
    /// Whether the table is given up.
    closed: Arc<AtomicBool>,
}

impl Column {
    fn new(closed: Arc<AtomicBool>) -> Self {
        Self { chunks: RwLock::default(), closed }
    }

    fn chunk(&self, at: usize) -> Option<Arc<Chunk>> {
        self.chunks.read().get(at).cloned().flatten()
    }

    fn chunk_or_new(&self, at: usize) -> Arc<Chunk> {
        if let Some(chunk) = self.chunk(at) {
            return chunk;
        }
        let mut chunks = self.chunks.write();
        if at >= chunks.len() {
            chunks.resize(at + 1, None);
        }
        let new = || Arc::new(Chunk { cells: Mutex::new(Cells::new()), used: AtomicBool::new(true) });
        match chunks.get_mut(at) {
            Some(slot) => Arc::clone(slot.get_or_insert_with(new)),
            None => new(),
        }
    }

    /// What is held for a vertex: its value, or that it has none, or is not there. `None` where that is not known.
    pub fn get<T>(&self, number: u32, read: impl FnOnce(Option<&Value>) -> T) -> Option<T> {
        let (at, cell) = place(number);
        let chunks = self.chunks.read();
        let chunk = chunks.get(at)?.as_ref()?;
        if self.closed.load(Ordering::SeqCst) {
            return None;
        }
        if !chunk.used.load(Ordering::Relaxed) {
            chunk.used.store(true, Ordering::Relaxed);
        }
        chunk.cells.lock().get(cell, read)
    }
}

/// The columns of a table.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    of: RwLock<FxHashMap<ColumnOf, Arc<Column>>>,
}

/// A cell to fill: the vertex, since when nobody may have written it, and what was read.
pub(crate) type Read<'v> = (u32, Ticket, Option<&'v Value>);

impl Columns {
    pub(crate) fn get(&self, of: ColumnOf) -> Option<Arc<Column>> {
        self.of.read().get(&of).cloned()
    }

    pub(crate) fn get_or_new(&self, of: ColumnOf, closed: &Arc<AtomicBool>) -> Arc<Column> {
        if let Some(column) = self.get(of) {
            return column;
        }
        Arc::clone(self.of.write().entry(of).or_insert_with(|| Arc::new(Column::new(Arc::clone(closed)))))
    }

    /// Keeps what was read, unless the vertex was written since. `count` is told the bytes before and after, as of the
    /// other calls, while the cells are locked.
    pub(crate) fn put(&self, column: &Column, read: Read<'_>, stripes: &Stripes, count: impl FnOnce(usize, usize)) {
        let (number, ticket, value) = read;
        let (at, cell) = place(number);
        let chunk = column.chunk_or_new(at);
        let mut cells = chunk.cells.lock();
        if !cells.gone && !column.closed.load(Ordering::SeqCst) && stripes.is_valid(ticket) {
            cells.put(cell, value);
            cells.count(count);
        }
    }

    /// Forgets what is known of a vertex.
    pub(crate) fn forget(&self, number: u32, count: impl Fn(usize, usize)) {
        let (at, cell) = place(number);
        for column in self.of.read().values() {
            if let Some(chunk) = column.chunk(at) {
                let mut cells = chunk.cells.lock();
                cells.forget(cell);
                if !cells.gone {
                    cells.count(&count);
                }
            }
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.of.read().is_empty()
    }

    /// Forgets what was not used since this was called last.
    pub(crate) fn evict(&self, count: impl Fn(usize, usize)) {
        for column in self.of.read().values() {
            for slot in column.chunks.write().iter_mut() {
                if let Some(chunk) = slot.take_if(|chunk| !chunk.used.swap(false, Ordering::Relaxed)) {
                    let mut cells = chunk.cells.lock();
                    cells.gone = true;
                    count(std::mem::take(&mut cells.counted), 0);
                }
            }
        }
    }
}
