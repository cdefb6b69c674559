//! What all stages of an execution share.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use graph_access::{GraphRead, GraphWrite};
use graph_model::ErrorKind;
use graph_schema::Catalogue;
use query_plan::{Node, Paths, Plan, Sack, Text};
use query_value::function::Room;
use query_value::{Map, Random, Set, Value};
use rustc_hash::FxHashMap;

use crate::error::{ExecError, ExecErrorKind, Result};
use crate::limits::{ROWS_PER_CHECK, TRAVERSER_BYTES};
use crate::settings::Settings;
use crate::side_effects::SideEffects;
use crate::traverser::Traverser;

/// An operator with its state.
pub trait Stage<'g> {
    /// Takes everything from `input` and appends what comes of it.
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()>;

    /// The input is at its end. True: there is more to come, ask again.
    fn finish(&mut self, _cx: &mut Cx<'g>, _out: &mut Vec<Traverser>) -> Result<bool> {
        Ok(false)
    }

    /// Forgets everything.
    fn reset(&mut self) {}

    /// Whether further input cannot change anything.
    fn is_done(&self) -> bool {
        false
    }
}

/// Makes the stages of operators, those of nested pipelines included.
#[derive(Clone, Copy)]
pub struct Build<'g>(pub fn(&Node, Self) -> Result<Box<dyn Stage<'g> + 'g>>);

/// The graph a query runs on.
pub enum Access<'g> {
    /// For reading only.
    Read(&'g dyn GraphRead),
    /// Within a unit of writes.
    Write(&'g mut dyn GraphWrite),
}

/// What all stages share.
pub struct Cx<'g> {
    /// The graph.
    pub graph: Access<'g>,
    /// Makes stages.
    pub build: Build<'g>,
    /// The schema by which the query began.
    pub catalogue: Arc<Catalogue>,
    /// What is kept of the way a traverser came.
    pub paths: Paths,
    /// Whether traversers are taken one after the other.
    pub is_lazy: bool,
    /// Whether equal traversers may be counted as one.
    pub is_bulked: bool,
    /// Whether stages are measured.
    pub is_profiled: bool,
    /// Traversers that a stage takes at once.
    pub batch: usize,
    /// What traversers carry from the start.
    pub sack: Option<Sack>,
    /// Values that belong to the whole query.
    pub side_effects: SideEffects,
    /// Where random choices come from.
    pub random: Random,
    seed: i64,
    /// Whether the query has written: what was read before may have changed.
    pub has_written: bool,
    /// Properties of vertices that algorithms have computed, by the vertices' ids.
    pub computed: FxHashMap<Value, Vec<(Text, Value)>>,
    /// What was measured, for `profile()`.
    pub measured: Vec<query_value::Metrics>,
    rows: u64,
    held: u64,
    /// Large collections that functions have made, with their bytes, and the sum of these.
    made: Vec<(Made, u64)>,
    made_bytes: u64,
    memory_max: u64,
}

/// Bytes from which on a collection is counted on its own: smaller ones are little more than a traverser.
const MADE_BYTES_MIN: u64 = 2 * TRAVERSER_BYTES;

impl<'g> Cx<'g> {
    /// What the stages of a plan share, at its beginning.
    pub fn new(plan: &Plan, graph: Access<'g>, settings: &Settings, build: Build<'g>) -> Self {
        let catalogue = match &graph {
            Access::Read(graph) => Arc::clone(graph.catalogue()),
            Access::Write(graph) => Arc::clone(graph.catalogue()),
        };
        let seed = plan.seed.unwrap_or_else(any_seed);
        Self {
            graph,
            build,
            catalogue,
            paths: plan.paths,
            is_lazy: plan.is_lazy,
            is_bulked: plan.is_bulked,
            is_profiled: settings.profile,
            batch: settings.batch.max(1),
            sack: plan.sack.clone(),
            side_effects: SideEffects::new(plan),
            random: Random::new(seed),
            seed,
            has_written: false,
            computed: FxHashMap::default(),
            measured: Vec::new(),
            rows: 0,
            held: 0,
            made: Vec::new(),
            made_bytes: 0,
            memory_max: settings.memory_max,
        }
    }

    /// A traverser at the beginning of its way.
    pub fn fresh(&self, value: Value) -> Traverser {
        let mut traverser = Traverser::new(value);
        if let Some(sack) = &self.sack {
            traverser.state_mut().sack = Some(sack.seed.clone());
        }
        traverser
    }

    /// The chance of a stage of its own, which a seed decides whatever other stages do.
    #[must_use]
    pub fn new_random(&self) -> Random {
        Random::new(self.seed)
    }

    /// The graph, for reading.
    pub fn read(&self) -> &dyn GraphRead {
        match &self.graph {
            Access::Read(graph) => *graph,
            Access::Write(graph) => &**graph,
        }
    }

    /// The graph, for writing.
    ///
    /// # Errors
    /// It is open for reading only.
    pub fn write(&mut self) -> Result<&mut (dyn GraphWrite + 'g)> {
        self.has_written = true;
        match &mut self.graph {
            Access::Write(graph) => Ok(&mut **graph),
            Access::Read(_) => Err(ExecError {
                kind: ExecErrorKind::Access(ErrorKind::NotAllowed),
                message: "the graph is open for reading only".to_owned(),
                step: None,
            }),
        }
    }

    /// What must be called between reading and writing an element of an auto graph as a whole: see
    /// [`GraphWrite::see_new_names`].
    ///
    /// # Errors
    /// Those of [`Self::write`] and of the graph.
    pub fn see_new_names(&mut self) -> Result<()> {
        self.write()?.see_new_names()?;
        self.refresh();
        Ok(())
    }

    /// Takes the schema anew, which a write to an auto graph may have made larger.
    pub fn refresh(&mut self) {
        self.catalogue = Arc::clone(self.read().catalogue());
    }

    /// Counts work, and looks at the budget now and then.
    pub fn tick(&mut self, rows: u64) -> Result<()> {
        self.rows += rows;
        if self.rows >= ROWS_PER_CHECK {
            self.rows = 0;
            self.read().check()?;
        }
        Ok(())
    }

    /// Counts traversers that wait somewhere.
    pub fn hold(&mut self, rows: u64) -> Result<()> {
        self.held = self.held.saturating_add(rows.saturating_mul(TRAVERSER_BYTES));
        if self.held > self.memory_max {
            return Err(self.too_much());
        }
        Ok(())
    }

    /// Whether as many more traversers may be held.
    pub fn may_hold(&self, rows: u64) -> Result<()> {
        if self.held.saturating_add(rows.saturating_mul(TRAVERSER_BYTES)) > self.memory_max {
            return Err(self.too_much());
        }
        Ok(())
    }

    /// Bytes that the results of one operator may take at once.
    pub fn room(&mut self) -> Room {
        if self.held.saturating_add(self.made_bytes) > self.memory_max / 2 {
            self.forget();
        }
        Room::new(self.memory_max.saturating_sub(self.held).saturating_sub(self.made_bytes))
    }

    /// Counts a collection that a function has made, for as long as it is alive.
    ///
    /// # Errors
    /// All that are alive take more than the query may hold.
    pub fn made(&mut self, value: &Value, bytes: u64) -> Result<()> {
        let made = match value {
            _ if bytes < MADE_BYTES_MIN => return Ok(()),
            Value::List(list) => Made::List(Arc::downgrade(list)),
            Value::Set(set) => Made::Set(Arc::downgrade(set)),
            Value::Map(map) => Made::Map(Arc::downgrade(map)),
            _ => return Ok(()),
        };
        self.made.push((made, bytes));
        self.made_bytes = self.made_bytes.saturating_add(bytes);
        if self.held.saturating_add(self.made_bytes) > self.memory_max {
            self.forget();
            if self.held.saturating_add(self.made_bytes) > self.memory_max {
                return Err(self.too_much());
            }
        }
        Ok(())
    }

    /// Forgets collections that are no longer alive.
    fn forget(&mut self) {
        self.made.retain(|(made, _)| made.is_alive());
        self.made_bytes = self.made.iter().map(|(_, bytes)| bytes).sum();
    }

    /// Bytes that may still be held.
    #[must_use]
    pub fn memory_left(&self) -> u64 {
        self.memory_max.saturating_sub(self.held)
    }

    /// The error of a query that would hold too much.
    #[must_use]
    pub fn too_much(&self) -> ExecError {
        let message = format!("the query holds more than {} bytes (gremlin.memory_max)", self.memory_max);
        ExecError { kind: ExecErrorKind::Access(ErrorKind::LimitExceeded), message, step: None }
    }

    /// Counts traversers that no longer wait.
    pub fn release(&mut self, rows: u64) {
        self.held = self.held.saturating_sub(rows.saturating_mul(TRAVERSER_BYTES));
    }
}

/// What a stage keeps, counted as held until it gives it on or forgets it.
#[derive(Debug, Default)]
pub struct Held {
    rows: u64,
    /// What was thrown away without the context at hand.
    dropped: u64,
}

impl Held {
    /// Keeps more.
    ///
    /// # Errors
    /// The query holds too much.
    pub fn more(&mut self, cx: &mut Cx<'_>, rows: u64) -> Result<()> {
        cx.release(std::mem::take(&mut self.dropped));
        self.rows += rows;
        cx.hold(rows)
    }

    /// Keeps nothing any more; answers how much it was.
    pub fn end(&mut self, cx: &mut Cx<'_>) -> u64 {
        let rows = std::mem::take(&mut self.rows);
        cx.release(rows + std::mem::take(&mut self.dropped));
        rows
    }

    /// Throws away what is kept.
    pub fn drop_all(&mut self) {
        self.dropped += std::mem::take(&mut self.rows);
    }
}

/// As how many traversers a value counts that waits: large texts count as more.
#[must_use]
pub fn rows(value: &Value) -> u64 {
    match value {
        Value::String(text) => 1 + u64::try_from(text.len()).unwrap_or(u64::MAX) / TRAVERSER_BYTES,
        _ => 1,
    }
}

/// A collection that a function has made, without keeping it alive.
enum Made {
    List(Weak<Vec<Value>>),
    Set(Weak<Set>),
    Map(Weak<Map>),
}

impl Made {
    fn is_alive(&self) -> bool {
        match self {
            Self::List(list) => list.strong_count() > 0,
            Self::Set(set) => set.strong_count() > 0,
            Self::Map(map) => map.strong_count() > 0,
        }
    }
}

/// A seed that differs between queries: the key of a hash map.
fn any_seed() -> i64 {
    std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0).cast_signed()
}
