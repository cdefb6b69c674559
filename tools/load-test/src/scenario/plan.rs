//! A scenario tied to a server and its data: ready to be rendered into requests, and to judge answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::http::uri::Uri;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{Drawn, Method, Part, Request, Scenario, Template};
use crate::data::DataSet;
use crate::error::LoadTestError;
use crate::wire;

/// A bound scenario; shared by all users.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) requests: Vec<BoundRequest>,
    /// Maximum number of requests of one measurement.
    pub(crate) requests_max: Option<u64>,
    /// Running sums of the weights, to pick by.
    weights: Vec<u64>,
    data: Arc<DataSet>,
    seq: Arc<AtomicU64>,
}

/// A request whose names are put in.
#[derive(Debug)]
pub(crate) struct BoundRequest {
    pub(crate) label: Arc<str>,
    pub(crate) method: &'static str,
    path: Template,
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
    counts: Vec<(String, Template)>,
}

impl Answer {
    /// The keys of counts, in the order of [`Rendered::counts`].
    pub(crate) fn count_keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.counts.iter().map(|(key, _)| key.as_str())
    }

    #[cfg(test)]
    pub(crate) fn expecting(status: Vec<u16>, ids: Option<u32>) -> Self {
        Self { status, ids, contains: Vec::new(), counts: Vec::new() }
    }
}

/// A request ready to be sent.
#[derive(Debug)]
pub(crate) struct Rendered<'r> {
    /// Head and body.
    pub(crate) message: &'r [u8],
    pub(crate) body_bytes: usize,
    wanted: &'r [u8],
    wanted_ends: &'r [usize],
    counts: &'r [u64],
}

impl Rendered<'_> {
    /// What must be counted at the keys of [`Answer::count_keys`].
    pub(crate) fn counts(&self) -> &[u64] {
        self.counts
    }

    /// What the answer must contain.
    pub(crate) fn contains(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut start = 0;
        self.wanted_ends.iter().map(move |&end| {
            let text = self.wanted.get(start..end).unwrap_or_default();
            start = end;
            text
        })
    }
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
        Ok(Plan { requests, requests_max: self.requests_max, weights, data: Arc::clone(data), seq: data.seq() })
    }
}

fn bind(request: &Request, data: &DataSet, base_path: &str) -> Result<BoundRequest, String> {
    let prefix = if request.from_root || base_path.is_empty() { "/".to_owned() } else { format!("/{base_path}/") };
    let path = request.path.bind(data).after(prefix.as_bytes());
    if let Some(text) = path.constant() {
        Uri::try_from(text).map_err(|error| format!("{}: its path is no path: {error}", request.label))?;
    }
    let body = request.body.as_ref().map(|body| body.bind(data));
    let contains: Vec<_> = request.contains.iter().map(|contains| contains.bind(data)).collect();
    let counts: Vec<_> = request.counts.iter().map(|(key, count)| (key.clone(), count.bind(data))).collect();
    let checked = || contains.iter().chain(counts.iter().map(|(_, count)| count));
    let templates = || [Some(&path), body.as_ref()].into_iter().flatten().chain(checked());
    let uses = |part: Part| templates().any(|template| template.uses(&part));
    let draws = Draws {
        seq: uses(Part::Seq),
        vertices: uses(Part::Vertex) || uses(Part::VertexNumber) || uses(Part::OtherVertex),
        edge: uses(Part::Edge),
    };
    let ids = request.count_ids.then(|| request.batch.unwrap_or(1));
    Ok(BoundRequest {
        label: request.label.as_str().into(),
        method: request.method.name(),
        draws,
        answer: Answer { status: request.status.clone(), ids, contains, counts },
        path,
        body,
        batch: request.batch.unwrap_or(1),
        is_array: request.batch.is_some(),
        elements: request.elements,
    })
}

impl Method {
    /// As written in a request.
    fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// Makes the requests of one user. Its buffers are used again for each.
#[derive(Debug)]
pub(crate) struct Renderer {
    rng: SmallRng,
    path: Vec<u8>,
    body: Vec<u8>,
    message: Vec<u8>,
    wanted: Vec<u8>,
    wanted_ends: Vec<usize>,
    counts: Vec<u64>,
}

impl Renderer {
    /// `seed` makes users draw different ids.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: SmallRng::seed_from_u64(seed),
            path: Vec::new(),
            body: Vec::new(),
            message: Vec::new(),
            wanted: Vec::new(),
            wanted_ends: Vec::new(),
            counts: Vec::new(),
        }
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

    /// Renders a request with these lines in its head. A path that is no path is refused with its text.
    pub(crate) fn render(
        &mut self,
        plan: &Plan,
        request: &BoundRequest,
        headers: &[u8],
    ) -> Result<Rendered<'_>, String> {
        for buffer in [&mut self.path, &mut self.body, &mut self.message, &mut self.wanted] {
            buffer.clear();
        }
        self.wanted_ends.clear();
        let drawn = self.render_body(plan, request);
        for template in &request.answer.contains {
            template.render(drawn, &plan.data, false, &mut self.rng, &mut self.wanted);
            self.wanted_ends.push(self.wanted.len());
        }
        self.counts.clear();
        for (key, template) in &request.answer.counts {
            let begin = self.wanted.len();
            template.render(drawn, &plan.data, false, &mut self.rng, &mut self.wanted);
            let text = String::from_utf8_lossy(self.wanted.get(begin..).unwrap_or_default());
            let count =
                text.trim().parse().map_err(|_| format!("counts: {key} must be \"{text}\", which is no number"))?;
            self.counts.push(count);
            self.wanted.truncate(begin);
        }
        request.path.render(drawn, &plan.data, true, &mut self.rng, &mut self.path);
        if !wire::is_path(&self.path) {
            return Err(format!("the path \"{}\" is no path", String::from_utf8_lossy(&self.path)));
        }
        wire::write_head(&mut self.message, request.method, &self.path, headers, self.body.len());
        self.message.extend_from_slice(&self.body);
        let Self { message, body, wanted, wanted_ends, counts, .. } = self;
        Ok(Rendered { message, body_bytes: body.len(), wanted, wanted_ends, counts })
    }

    /// Renders the body, if there is one, and gives what was drawn for its last element.
    fn render_body(&mut self, plan: &Plan, request: &BoundRequest) -> Drawn {
        let Some(template) = &request.body else { return self.draw(plan, request.draws) };
        let mut drawn = Drawn::default();
        if request.is_array {
            self.body.push(b'[');
        }
        for index in 0..request.batch {
            if index > 0 {
                self.body.push(b',');
            }
            drawn = self.draw(plan, request.draws);
            template.render(drawn, &plan.data, false, &mut self.rng, &mut self.body);
        }
        if request.is_array {
            self.body.push(b']');
        }
        drawn
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

/// The lines that every request's head carries.
pub(crate) fn common_headers(host: &str, authorization: Option<&str>, keep_alive: bool) -> Vec<u8> {
    let mut lines = format!("host: {host}\r\ncontent-type: application/json\r\n");
    if let Some(authorization) = authorization {
        lines.push_str(&format!("authorization: {authorization}\r\n"));
    }
    if !keep_alive {
        lines.push_str("connection: close\r\n");
    }
    lines.into_bytes()
}
