//! A scenario tied to a server and its data: ready to be rendered into requests, and to judge answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::{Bytes, BytesMut};
use hyper::http::HeaderMap;
use hyper::http::uri::Uri;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{Drawn, Method, Part, Request, Scenario, Template};
use crate::data::DataSet;
use crate::error::LoadTestError;

/// A bound scenario; shared by all users.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) requests: Vec<BoundRequest>,
    /// Running sums of the weights, to pick by.
    weights: Vec<u64>,
    data: Arc<DataSet>,
    seq: Arc<AtomicU64>,
}

/// A request whose names are put in.
#[derive(Debug)]
pub(crate) struct BoundRequest {
    pub(crate) label: Arc<str>,
    pub(crate) method: hyper::Method,
    path: Template,
    /// The path, where it is always the same.
    fixed_path: Option<Uri>,
    body: Option<Template>,
    batch: u32,
    is_array: bool,
    draws: Draws,
    pub(crate) answer: Answer,
    pub(crate) elements: u32,
}

/// What is drawn for each element.
#[derive(Clone, Copy, Debug, Default)]
struct Draws {
    seq: bool,
    vertices: bool,
    edge: bool,
}

/// What a right answer looks like.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: Vec<u16>,
    pub(crate) ids: Option<u32>,
    contains: Vec<Template>,
}

impl Answer {
    #[cfg(test)]
    pub(crate) fn expecting(status: Vec<u16>, ids: Option<u32>) -> Self {
        Self { status, ids, contains: Vec::new() }
    }
}

/// A request ready to be sent.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) uri: Uri,
    pub(crate) body: Bytes,
    /// What the answer must contain.
    pub(crate) contains: Vec<Bytes>,
}

impl Scenario {
    /// Ties the scenario to a data set. `base_path` is the path of the graph, without slashes at its ends.
    pub(crate) fn bind(&self, data: &Arc<DataSet>, base_path: &str) -> Result<Plan, LoadTestError> {
        let wrong = |reason: String| LoadTestError::Scenario { scenario: self.name.clone(), reason };
        let mut weights = Vec::with_capacity(self.requests.len());
        let mut sum = 0_u64;
        let mut requests = Vec::with_capacity(self.requests.len());
        for request in &self.requests {
            sum += request.weight;
            weights.push(sum);
            requests.push(bind(request, data, base_path).map_err(wrong)?);
        }
        Ok(Plan { requests, weights, data: Arc::clone(data), seq: data.seq() })
    }
}

fn bind(request: &Request, data: &DataSet, base_path: &str) -> Result<BoundRequest, String> {
    let prefix = if request.from_root || base_path.is_empty() { "/".to_owned() } else { format!("/{base_path}/") };
    let path = request.path.bind(data).after(prefix.as_bytes());
    let fixed_path = match path.constant() {
        Some(text) => {
            Some(Uri::try_from(text).map_err(|error| format!("{}: its path is no path: {error}", request.label))?)
        }
        None => None,
    };
    let body = request.body.as_ref().map(|body| body.bind(data));
    let contains: Vec<_> = request.contains.iter().map(|contains| contains.bind(data)).collect();
    let templates = || [Some(&path), body.as_ref()].into_iter().flatten().chain(&contains);
    let uses = |part: Part| templates().any(|template| template.uses(&part));
    let draws = Draws {
        seq: uses(Part::Seq),
        vertices: uses(Part::Vertex) || uses(Part::VertexNumber) || uses(Part::OtherVertex),
        edge: uses(Part::Edge),
    };
    let ids = request.count_ids.then(|| request.batch.unwrap_or(1));
    Ok(BoundRequest {
        label: request.label.as_str().into(),
        method: request.method.into(),
        draws,
        answer: Answer { status: request.status.clone(), ids, contains },
        path,
        fixed_path,
        body,
        batch: request.batch.unwrap_or(1),
        is_array: request.batch.is_some(),
        elements: request.elements,
    })
}

impl From<Method> for hyper::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Get => Self::GET,
            Method::Post => Self::POST,
            Method::Put => Self::PUT,
            Method::Delete => Self::DELETE,
        }
    }
}

/// Makes the requests of one user.
#[derive(Debug)]
pub(crate) struct Renderer {
    rng: SmallRng,
    buffer: BytesMut,
}

impl Renderer {
    /// `seed` makes users draw different ids.
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: SmallRng::seed_from_u64(seed), buffer: BytesMut::new() }
    }

    /// Picks the next request by weight: its index in the plan.
    pub(crate) fn pick(&mut self, plan: &Plan) -> usize {
        match plan.weights.as_slice() {
            [] | [_] => 0,
            weights => {
                let sum = weights.last().copied().unwrap_or(1).max(1);
                let point = self.rng.random_range(0..sum);
                weights.partition_point(|&upper| upper <= point)
            }
        }
    }

    /// Renders a request. A path that is no path is refused with its text.
    pub(crate) fn render(&mut self, plan: &Plan, request: &BoundRequest) -> Result<Rendered, String> {
        let mut drawn = Drawn::default();
        let mut body = Bytes::new();
        if let Some(template) = &request.body {
            if request.is_array {
                self.buffer.extend_from_slice(b"[");
            }
            for index in 0..request.batch {
                if index > 0 {
                    self.buffer.extend_from_slice(b",");
                }
                drawn = self.draw(plan, request.draws);
                template.render(drawn, &plan.data, false, &mut self.rng, &mut self.buffer);
            }
            if request.is_array {
                self.buffer.extend_from_slice(b"]");
            }
            body = self.buffer.split().freeze();
        } else {
            drawn = self.draw(plan, request.draws);
        }
        let rendered = request.answer.contains.iter().map(|template| {
            template.render(drawn, &plan.data, false, &mut self.rng, &mut self.buffer);
            self.buffer.split().freeze()
        });
        let contains = rendered.collect();
        let uri = match &request.fixed_path {
            Some(uri) => uri.clone(),
            None => {
                request.path.render(drawn, &plan.data, true, &mut self.rng, &mut self.buffer);
                let path = self.buffer.split().freeze();
                let shown = path.clone();
                Uri::from_maybe_shared(path)
                    .map_err(|error| format!("the path \"{}\" is no path: {error}", String::from_utf8_lossy(&shown)))?
            }
        };
        Ok(Rendered { uri, body, contains })
    }

    fn draw(&mut self, plan: &Plan, draws: Draws) -> Drawn {
        let mut drawn = Drawn::default();
        if draws.seq {
            drawn.seq = plan.seq.fetch_add(1, Ordering::Relaxed);
        }
        if draws.vertices {
            drawn.vertex = plan.data.draw_vertex(&mut self.rng);
            drawn.other_vertex = plan.data.draw_vertex(&mut self.rng);
        }
        if draws.edge {
            drawn.edge = plan.data.draw_edge(&mut self.rng);
        }
        drawn
    }
}

/// The heads that every request carries.
pub(crate) fn common_headers(host: &str, authorization: Option<&str>) -> Result<HeaderMap, String> {
    use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
    let value = |text: &str| HeaderValue::from_str(text).map_err(|error| format!("\"{text}\": {error}"));
    let mut headers = HeaderMap::new();
    headers.insert(HOST, value(host)?);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(authorization) = authorization {
        let mut hidden = HeaderValue::from_str(authorization).map_err(|_| "user name or password".to_owned())?;
        hidden.set_sensitive(true);
        headers.insert(AUTHORIZATION, hidden);
    }
    Ok(headers)
}
