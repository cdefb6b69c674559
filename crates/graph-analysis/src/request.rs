//! A request to run an algorithm: its name and parameters, as JSON.

use analytics::algorithms::{self, Algorithm, Kind};
use analytics::{Params, Value};
use graph_schema::Catalogue;
use serde_json::{Map, Value as Json};

use crate::hugegraph::HugeGraph;
use crate::names::ids_of;
use crate::parameters::Parameters;
use crate::projection::{Projection, Spec};
use crate::{AnalysisError, limits};

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The name as it was asked for.
    pub name: String,
    pub(crate) work: Work,
    pub(crate) parameters: Parameters,
}

#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// By a name of the crate `analytics`.
    Own(&'static str),
    /// By a name of HugeGraph.
    HugeGraph(HugeGraph),
    /// Makes a projection and keeps it.
    Project,
    /// Lists the projections that are kept.
    Projections,
    /// Drops one.
    DropProjection,
}

/// What stands before a name of our own where HugeGraph has the same.
const OWN_PREFIX: &str = "algo.";

/// The names of HugeGraph's computer.
const COMPUTERS: [&str; 5] = ["page_rank", "weak_connected_component", "lpa", "triangle_count", "louvain"];

/// Parameters that are not the algorithm's own.
const COMMON: [&str; 11] = [
    "vertex_labels",
    "edge_labels",
    "label",
    "weight",
    "top",
    "limit",
    "write_property",
    "projection",
    "refresh",
    "estimate",
    "timeout_ms",
];

impl Analysis {
    /// Reads a request. Names that HugeGraph has mean what they mean there; with `algo.` before it, a name is one of
    /// the crate `analytics`.
    ///
    /// # Errors
    /// [`analytics::AnalyticsError::NotFound`] for an unknown name, [`AnalysisError::NotOffered`],
    /// [`AnalysisError::Parameter`] for what can be known to be wrong without the graph.
    pub fn new(name: &str, parameters: Map<String, Json>) -> Result<Self, AnalysisError> {
        let own = name.strip_prefix(OWN_PREFIX);
        let work = match own.unwrap_or(name) {
            own_name if own.is_some() => Work::Own(algorithms::find(own_name)?.name),
            "project" => Work::Project,
            "projections" => Work::Projections,
            "drop_projection" => Work::DropProjection,
            _ => match HugeGraph::named(name)? {
                Some(huge) => Work::HugeGraph(huge),
                None => Work::Own(algorithms::find(name)?.name),
            },
        };
        let analysis = Self { name: name.to_owned(), work, parameters: Parameters(parameters) };
        match &analysis.work {
            Work::HugeGraph(huge) => huge.check(&analysis.parameters)?,
            Work::Own(name) => analysis.check_own(algorithms::find(name)?)?,
            Work::Project | Work::DropProjection if analysis.parameters.text("projection")?.is_none() => {
                return Err(AnalysisError::parameter("Must pass parameter 'projection', a name"));
            }
            _ => {}
        }
        Ok(analysis)
    }

    /// Reads a request by the names of HugeGraph's computer.
    ///
    /// # Errors
    /// [`AnalysisError::NoComputer`] for an unknown name; as [`new`](Self::new).
    pub fn computer(name: &str, mut parameters: Map<String, Json>) -> Result<Self, AnalysisError> {
        if !COMPUTERS.contains(&name) {
            return Err(AnalysisError::NoComputer(name.to_owned()));
        }
        if let Some(steps) = parameters.remove("max_steps") {
            parameters.insert("times".to_owned(), steps);
        }
        if name == "page_rank" {
            let defaults = [("times", Json::from(5)), ("alpha", Json::from(0.15)), ("precision", Json::from(0.0001))];
            for (name, default) in defaults {
                parameters.entry(name).or_insert(default);
            }
        }
        Self::new(name, parameters)
    }

    fn check_own(&self, algorithm: &Algorithm) -> Result<(), AnalysisError> {
        let mut params = Params::new();
        for name in self.own(algorithm) {
            params.set(name, Value::Bool(false));
        }
        algorithm.check(&params)?;
        self.parameters.count("top")?;
        self.parameters.count("limit")?;
        self.parameters.flag("estimate")?;
        Ok(())
    }

    /// The names of the algorithm's own parameters.
    fn own(&self, algorithm: &Algorithm) -> impl Iterator<Item = &str> {
        let has = |name: &str| algorithm.parameters.iter().any(|own| own.name == name);
        self.parameters.names().filter(move |name| !COMMON.contains(name) || has(name))
    }

    /// What it works on.
    pub(crate) fn spec(&self, catalogue: &Catalogue) -> Result<Spec, AnalysisError> {
        let mut edge_labels = self.parameters.texts("edge_labels")?;
        edge_labels.extend(self.parameters.texts("label")?);
        Spec::named(catalogue, &self.parameters.texts("vertex_labels")?, &edge_labels, self.parameters.text("weight")?)
    }

    /// Rows of the answer at most.
    pub(crate) fn rows_max(&self) -> Result<usize, AnalysisError> {
        Ok(self.parameters.count("top")?.or(self.parameters.count("limit")?).unwrap_or(limits::ROWS_DEFAULT))
    }

    /// The algorithm's own parameters, ids of vertices replaced by their numbers.
    pub(crate) fn params(&self, algorithm: &Algorithm, projection: &Projection) -> Result<Params, AnalysisError> {
        let mut params = Params::new();
        for name in self.own(algorithm) {
            let Some(json) = self.parameters.given(name) else { continue };
            let kind = algorithm.parameters.iter().find(|own| own.name == name).map(|own| own.kind);
            let value = match kind {
                Some(Kind::Vertex | Kind::Vertices) => vertices(json, projection)?,
                _ => value(json)
                    .ok_or_else(|| self.parameters.wrong(name, "a number, a text, true or false, or a list"))?,
            };
            params.set(name, value);
        }
        Ok(params)
    }
}

fn value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| number.as_f64().map(Value::Float), |it| Some(Value::Int(it)))?
        }
        Json::String(text) if ["OUT", "IN", "BOTH"].contains(&text.as_str()) => Value::Text(text.to_lowercase()),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(values) => Value::List(values.iter().map(value).collect::<Option<_>>()?),
        _ => return None,
    })
}

fn vertices(json: &Json, projection: &Projection) -> Result<Value, AnalysisError> {
    match json {
        Json::Array(all) => Ok(Value::List(all.iter().map(|one| vertices(one, projection)).collect::<Result<_, _>>()?)),
        one => {
            let number = ids_of(one)?.iter().find_map(|id| projection.number(id));
            let missing = || AnalysisError::Parameter(format!("the vertex {one} is not among those looked at"));
            Ok(Value::Int(i64::from(number.ok_or_else(missing)?)))
        }
    }
}
