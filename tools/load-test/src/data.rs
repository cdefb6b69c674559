//! The tool's own schema and data: created before a test, used by it, deleted after it.
//!
//! Names and ids carry the name of the run, so runs do not touch one another's data nor anybody else's. Ids are
//! computed from numbers, not remembered: a data set of any size takes no memory here.
//!
//! Vertices have ids of the form `{run}v{number}`; edge `n` goes from vertex `n mod V` to a vertex that differs for
//! each round, so that all edges are different; where scenarios walk along them, the distances are random ones. Start
//! at [`prepare`](crate::prepare).

mod edge_ids;
mod needs;
mod network;
mod prepare;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rand::RngExt as _;
use rand_distr::{Distribution as _, Zipf};

pub use self::needs::Needs;
pub(crate) use self::prepare::nothing;
pub use self::prepare::{clean_up, prepare};

use self::edge_ids::IdTemplate;
use self::network::Network;
use crate::error::LoadTestError;

/// How ids of prepared elements are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum IdDistribution {
    /// Each as likely as any other.
    #[default]
    Uniform,
    /// Few are asked for often: the element of rank `k` with a likelihood proportional to `1 / k^exponent`. Ranks are
    /// scattered over the ids, so that popular ones are not neighbours in the store.
    Zipfian {
        /// 0 is uniform; YCSB uses 0.99.
        exponent: f64,
    },
}

impl FromStr for IdDistribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "uniform" => Ok(Self::Uniform),
            None if text == "zipfian" => Ok(Self::Zipfian { exponent: 0.99 }),
            Some(("zipfian", exponent)) => match exponent.parse::<f64>() {
                Ok(exponent) if (0.0..=10.0).contains(&exponent) => Ok(Self::Zipfian { exponent }),
                _ => Err(format!(
                    "zipfian:{exponent}: the exponent must be a number from 0 to 10, such as \
                     zipfian:0.99"
                )),
            },
            _ => Err(format!("\"{text}\" is not a distribution of ids; use uniform, zipfian or zipfian:EXPONENT")),
        }
    }
}

impl fmt::Display for IdDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Zipfian { exponent } => write!(f, "zipfian:{exponent}"),
        }
    }
}

/// What to prepare, and how it is referred to.
#[derive(Clone, Debug, PartialEq)]
pub struct DataOptions {
    /// Vertices to prepare where a scenario refers to any.
    pub vertices: u64,
    /// Edges to prepare where a scenario refers to any.
    pub edges: u64,
    /// How ids are drawn.
    pub ids: IdDistribution,
    /// Whether batches of edges ask the server to check that both ends exist (its own default).
    pub check_vertex: bool,
}

impl Default for DataOptions {
    fn default() -> Self {
        Self { vertices: 100_000, edges: 200_000, ids: IdDistribution::Uniform, check_vertex: true }
    }
}

impl DataOptions {
    /// Says what is wrong with the sizes.
    ///
    /// # Errors
    /// [`LoadTestError::Option`].
    pub fn check(&self) -> Result<(), LoadTestError> {
        let wrong = |option, reason: String| Err(LoadTestError::Option { option, reason });
        if self.vertices < 2 {
            return wrong("vertices", format!("{} are too few: an edge needs two", self.vertices));
        }
        let most = self.vertices.saturating_mul(self.vertices - 1);
        if self.edges == 0 || self.edges > most {
            return wrong("edges", format!("{}: between {} vertices there are 1 to {most}", self.edges, self.vertices));
        }
        Ok(())
    }
}

/// Names that the preparation decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Run,
    NewVertexPrefix,
    VertexLabel,
    EdgeLabel,
    LinkLabel,
    PersonNameKey,
    IndexedNameKey,
    AgeKey,
    CityKey,
    DateKey,
    WeightKey,
    CheckVertex,
}

/// Schema and data on the server that belong to one run.
#[derive(Debug)]
pub struct DataSet {
    run: String,
    vertex_label: String,
    edge_label: String,
    /// A label without vertices, for the edge labels that a scenario creates: it cannot be removed with them, and the
    /// label of the vertices must.
    link_label: String,
    /// Keys in the order name, age, city, date, weight.
    keys: [String; 5],
    new_vertex_prefix: String,
    vertices: u64,
    edges: u64,
    edge_ids: IdTemplate,
    check_vertex: bool,
    has_schema: bool,
    zipf: Option<(Zipf<f64>, Zipf<f64>)>,
    /// Where the edges are to be walked along.
    network: Option<Network>,
    seq: Arc<AtomicU64>,
}

impl DataSet {
    /// A data set of which nothing is on a server yet. `run` must differ between runs, and be short: it is in every id.
    fn new(run: &str, options: &DataOptions) -> Self {
        let key = |name: &str| format!("{name}_{run}");
        let zipf = match options.ids {
            IdDistribution::Uniform => None,
            IdDistribution::Zipfian { exponent } => zipf(options.vertices, exponent).zip(zipf(options.edges, exponent)),
        };
        Self {
            run: run.to_owned(),
            vertex_label: key("person"),
            edge_label: key("knows"),
            link_label: key("link"),
            keys: ["name", "age", "city", "since", "weight"].map(key),
            new_vertex_prefix: format!("{run}n"),
            vertices: options.vertices,
            edges: options.edges,
            edge_ids: IdTemplate::default(),
            check_vertex: options.check_vertex,
            has_schema: false,
            zipf,
            network: None,
            seq: Arc::default(),
        }
    }

    /// The part of names and ids that only this run has.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    pub(crate) fn seq(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.seq)
    }

    pub(crate) fn name(&self, name: Name) -> &str {
        let [name_key, age, city, date, weight] = &self.keys;
        match name {
            Name::Run => &self.run,
            Name::NewVertexPrefix => &self.new_vertex_prefix,
            Name::VertexLabel => &self.vertex_label,
            Name::EdgeLabel => &self.edge_label,
            Name::LinkLabel => &self.link_label,
            Name::PersonNameKey | Name::IndexedNameKey => name_key,
            Name::AgeKey => age,
            Name::CityKey => city,
            Name::DateKey => date,
            Name::WeightKey => weight,
            Name::CheckVertex if self.check_vertex => "true",
            Name::CheckVertex => "false",
        }
    }

    pub(crate) fn vertex_id(&self, number: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(self.run.as_bytes());
        out.push(b'v');
        out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }

    /// The ends of a prepared edge.
    fn ends(&self, edge: u64) -> (u64, u64) {
        let vertices = self.vertices.max(2);
        let source = edge % vertices;
        // Each round of `vertices` edges has another distance, from 1 to vertices - 1: no loops, no two alike.
        let round = edge / vertices;
        let of_network = self.network.as_ref().and_then(|network| network.distance(round));
        let distance = of_network.unwrap_or(1 + round % (vertices - 1));
        (source, (source + distance) % vertices)
    }

    /// Appends the id of a prepared edge; escaped if it becomes part of a path.
    pub(crate) fn edge_id(&self, number: u64, in_path: bool, out: &mut Vec<u8>) {
        let (source, target) = self.ends(number);
        self.edge_ids.render(in_path, out, |out| self.vertex_id(source, out), |out| self.vertex_id(target, out));
    }

    /// The network of the edges; there is one where a scenario needs it.
    pub(crate) fn network(&self) -> Option<&Network> {
        self.network.as_ref()
    }

    pub(crate) fn draw_vertex(&self, rng: &mut impl rand::Rng) -> u64 {
        draw(self.vertices, self.zipf.as_ref().map(|(vertices, _)| vertices), rng)
    }

    pub(crate) fn draw_edge(&self, rng: &mut impl rand::Rng) -> u64 {
        draw(self.edges, self.zipf.as_ref().map(|(_, edges)| edges), rng)
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        let mut data = Self::new("r1", &DataOptions::default());
        data.edge_ids = IdTemplate::learn("Sx>1>1>>Sy", "x", "y").unwrap();
        data
    }
}

/// `None` for what cannot be a distribution; the option's own check has refused that before.
fn zipf(elements: u64, exponent: f64) -> Option<Zipf<f64>> {
    #[expect(clippy::cast_precision_loss, reason = "a data set has less than 2^53 elements")]
    Zipf::new(elements.max(1) as f64, exponent).ok()
}

fn draw(elements: u64, zipf: Option<&Zipf<f64>>, rng: &mut impl rand::Rng) -> u64 {
    let elements = elements.max(1);
    match zipf {
        None => rng.random_range(0..elements),
        Some(zipf) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a rank is 1 to the number of elements"
            )]
            let rank = zipf.sample(rng) as u64;
            scatter(rank.saturating_sub(1), elements)
        }
    }
}

/// Spreads ranks over all elements; no two ranks meet, because the factor is a prime that divides no size in use.
fn scatter(rank: u64, elements: u64) -> u64 {
    const PRIME: u128 = 0xFFFF_FFFF_FFFF_FFC5;
    let place = u128::from(rank) * PRIME % u128::from(elements);
    u64::try_from(place).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng as _;
    use rand::rngs::SmallRng;

    use super::*;

    #[test]
    fn edges_are_all_different_and_no_loops() {
        let options = DataOptions { vertices: 7, edges: 42, ..DataOptions::default() };
        options.check().unwrap();
        let data = DataSet::new("r", &options);
        let ends: HashSet<_> = (0..42).map(|edge| data.ends(edge)).collect();
        assert_eq!(ends.len(), 42);
        assert!(ends.iter().all(|(source, target)| source != target && *source < 7 && *target < 7));
        let error = DataOptions { edges: 43, ..options }.check().unwrap_err();
        assert!(error.to_string().contains("1 to 42"), "{error}");
    }

    #[test]
    fn nothing_prepared_has_the_name_of_a_run_too() {
        let data = nothing(&DataOptions::default());
        assert!(data.run().len() == 8 && data.run().starts_with('b'), "{}", data.run());
    }

    #[test]
    fn ranks_are_scattered_without_meeting() {
        for elements in [2_u64, 1000, 4096, 99_999] {
            let places: HashSet<_> = (0..elements).map(|rank| scatter(rank, elements)).collect();
            assert_eq!(places.len() as u64, elements);
        }
    }

    #[test]
    fn zipfian_prefers_few_and_uniform_none() {
        let share_of_most = |ids: IdDistribution| {
            let data = DataSet::new("r", &DataOptions { ids, ..DataOptions::default() });
            let mut rng = SmallRng::seed_from_u64(1);
            let most = scatter(0, data.vertices);
            (0..10_000).filter(|_| data.draw_vertex(&mut rng) == most).count()
        };
        // The first of 100,000 has 1 in 12.8 at exponent 0.99; uniform has 1 in 100,000.
        assert!(share_of_most("zipfian".parse().unwrap()) > 400);
        assert!(share_of_most("uniform".parse().unwrap()) < 50);
        assert!("zipfian:x".parse::<IdDistribution>().is_err());
        assert!("normal".parse::<IdDistribution>().unwrap_err().contains("uniform"));
    }
}
