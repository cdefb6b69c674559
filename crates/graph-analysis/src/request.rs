//! A request to run an algorithm: its name and parameters, as JSON.

use std::sync::Arc;

use analytics::algorithms::{self, Algorithm, Kind};
use analytics::{Params, Value};
use graph_access::{AccessError, GraphRights, denied};
use graph_model::ErrorKind;
use graph_schema::Catalogue;
use graph_store::Graph;
use serde_json::{Map, Value as Json};

use crate::groups::groups;
use crate::hugegraph::HugeGraph;
use crate::names::ids_of;
use crate::parameters::Parameters;
use crate::projection::{Projection, Spec};
use crate::watch::Observer;
use crate::{AnalysisError, limits};

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The name as it was asked for.
    pub name: String,
    pub(crate) work: Work,
    pub(crate) parameters: Parameters,
    /// Of who asks; none: everything.
    rights: Option<Arc<GraphRights>>,
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
pub const OWN_PREFIX: &str = "algo.";

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
        let analysis = Self { name: name.to_owned(), work, parameters: Parameters(parameters), rights: None };
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
        let defaults = match name {
            "page_rank" => {
                vec![("times", Json::from(5)), ("alpha", Json::from(0.15)), ("precision", Json::from(0.0001))]
            }
            "lpa" => vec![("times", Json::from(10))],
            _ => Vec::new(),
        };
        for (name, default) in defaults {
            parameters.entry(name).or_insert(default);
        }
        Self::new(name, parameters)
    }

    /// The same for who has these rights: what may not be seen is as if it were not there. `None`: everything.
    ///
    /// # Errors
    /// [`AnalysisError::Denied`]: no vertex may be seen, or the vertices that a result is to be written to may not be
    /// written, or it is about copies that are kept under names, which are of what everybody sees.
    pub fn on_behalf_of(mut self, rights: Option<Arc<GraphRights>>, graph: &Graph) -> Result<Self, AnalysisError> {
        let Some(own) = &rights else { return Ok(self) };
        let refused = |verb| denied(verb, &format!("graph={},type=VERTEX,operated=*", graph.name()));
        if own.read.vertices.is_none() {
            return Err(refused("read").into());
        }
        if self.writes()? && !own.write.vertices.is_all() {
            return Err(refused("write").into());
        }
        let is_kept = matches!(self.work, Work::Project | Work::Projections | Work::DropProjection)
            || self.parameters.given("projection").is_some();
        if is_kept && !own.read.is_all() {
            let text = format!(
                "Permission denied: copies of the graph '{}' that are kept under names ('projection') are for users \
                 who may read all of its vertices and edges; without 'projection' a run makes a copy of its own, of \
                 what its user may read",
                graph.name()
            );
            return Err(AccessError::new(ErrorKind::Forbidden, text).into());
        }
        self.rights = rights;
        Ok(self)
    }

    /// Whether its result is written to a property of vertices.
    ///
    /// # Errors
    /// [`AnalysisError::Parameter`]: the property's name is no text.
    pub fn writes(&self) -> Result<bool, AnalysisError> {
        if self.parameters.flag("estimate")? {
            return Ok(false);
        }
        match &self.work {
            Work::HugeGraph(huge) => Ok(huge.writes()),
            Work::Own(_) => Ok(self.parameters.text("write_property")?.is_some()),
            Work::Project | Work::Projections | Work::DropProjection => Ok(false),
        }
    }

    /// Whether it runs an algorithm, and is not about copies that are kept.
    #[must_use]
    pub fn is_run(&self) -> bool {
        matches!(self.work, Work::Own(_) | Work::HugeGraph(_))
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
        let vertex_labels = self.parameters.texts("vertex_labels")?;
        let spec = Spec::named(catalogue, &vertex_labels, &edge_labels, self.parameters.text("weight")?)?;
        Ok(spec.seen_with(self.rights.clone()))
    }

    /// Rows of the answer at most.
    pub(crate) fn rows_max(&self) -> Result<usize, AnalysisError> {
        Ok(self.parameters.count("top")?.or(self.parameters.count("limit")?).unwrap_or(limits::ROWS_DEFAULT))
    }

    /// The algorithm's own parameters, ids of vertices replaced by their numbers.
    pub(crate) fn params(
        &self,
        algorithm: &Algorithm,
        graph: &Graph,
        projection: &Projection,
        observer: &dyn Observer,
    ) -> Result<Params, AnalysisError> {
        let mut params = Params::new();
        for name in self.own(algorithm) {
            let Some(json) = self.parameters.given(name) else { continue };
            let kind = algorithm.parameters.iter().find(|own| own.name == name).map(|own| own.kind);
            let value = match kind {
                Some(Kind::Vertex | Kind::Vertices) => vertices(json, projection)?,
                Some(Kind::Property) => {
                    let property =
                        json.as_str().ok_or_else(|| self.parameters.wrong(name, "a property of vertices"))?;
                    Value::Groups(groups(graph, projection, property, observer)?)
                }
                _ => value(json)
                    .ok_or_else(|| self.parameters.wrong(name, "a number, a text, true or false, or a list"))?,
            };
            params.set(name, value);
        }
        Ok(params)
    }

    /// Those of them that say no vertex and nothing of the wrong type: enough to know what a run takes.
    pub(crate) fn plain_params(&self, algorithm: &Algorithm) -> Params {
        let mut params = Params::new();
        for name in self.own(algorithm) {
            if let Some(value) = self.parameters.given(name).and_then(value) {
                params.set(name, value);
            }
        }
        params
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
