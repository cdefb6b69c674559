//! What is asked of the server: a scenario is a set of weighted requests with placeholders, and what a right answer is.
//!
//! Built-in scenarios are the same TOML files that users write ([`built_in`]); nothing is possible in one that is not
//! in the other. A [`Scenario`] is checked but not tied to a server; [`Scenario::bind`] puts in the names and ids of a
//! [`DataSet`](crate::DataSet) and makes a [`Plan`] that the drivers carry out.

pub(crate) mod built_in;
mod file;
mod plan;
mod template;

use std::path::Path;

pub use built_in::BUILT_IN;
pub(crate) use plan::{Answer, BoundRequest, Plan, Rendered, Renderer, common_headers};
pub(crate) use template::{Drawn, Part, Template};

use crate::data::Needs;
use crate::error::LoadTestError;
use crate::limits::{BATCH_ELEMENTS_MAX, REQUESTS_MAX, WEIGHT_MAX};
pub(crate) use file::Method;
use file::{RequestFile, ScenarioFile};

/// What a user may change about a scenario without writing one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioOptions {
    /// Elements in one request of the batch scenarios, instead of their own number.
    pub batch: Option<u32>,
    /// Reads in a hundred requests of `mixed`, instead of its own number: weights of requests are set so that those
    /// with method GET have this share and keep their proportions among themselves, and so for the others.
    pub read_percent: Option<u32>,
}

/// A scenario that has been read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name in results.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// Maximum number of requests of one measurement, which ends early when it is reached.
    pub requests_max: Option<u64>,
    pub(crate) requests: Vec<Request>,
}

/// One kind of request of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) label: String,
    pub(crate) method: Method,
    /// Below the graph's path, unless `from_root`.
    pub(crate) path: Template,
    pub(crate) from_root: bool,
    pub(crate) body: Option<Template>,
    /// The body is a JSON array of this many renderings of `body`.
    pub(crate) batch: Option<u32>,
    pub(crate) weight: u64,
    pub(crate) status: Vec<u16>,
    /// The answer must name as many ids as elements were sent.
    pub(crate) count_ids: bool,
    /// The answer must contain all of these.
    pub(crate) contains: Vec<Template>,
    /// The answer must be an object with so many items, or this number, at each of these keys.
    pub(crate) counts: Vec<(String, Template)>,
    pub(crate) elements: u32,
}

impl Scenario {
    /// Finds scenarios by what a user wrote: the name of a built-in one, `schema` for all three of that kind, or the
    /// path of a file that ends in `.toml`.
    ///
    /// # Errors
    /// [`LoadTestError::UnknownScenario`], [`LoadTestError::ReadScenario`], or [`LoadTestError::Scenario`] which says
    /// what is wrong with the file and where.
    pub fn find(name: &str, options: &ScenarioOptions) -> Result<Vec<Self>, LoadTestError> {
        if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
            let source = |source| LoadTestError::ReadScenario { path: name.into(), source };
            let text = std::fs::read_to_string(name).map_err(source)?;
            return Ok(vec![Self::parse(name, &text, options)?]);
        }
        let texts = built_in::texts(name);
        if texts.is_empty() {
            let known = BUILT_IN.join(", ");
            return Err(LoadTestError::UnknownScenario { name: name.into(), known });
        }
        texts.into_iter().map(|text| Self::parse(name, text, options)).collect()
    }

    /// Reads a scenario from TOML text; `source` names it in errors.
    ///
    /// # Errors
    /// [`LoadTestError::Scenario`].
    pub fn parse(source: &str, text: &str, options: &ScenarioOptions) -> Result<Self, LoadTestError> {
        let wrong = |reason: String| LoadTestError::Scenario { scenario: source.into(), reason };
        let file: ScenarioFile = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if file.request.is_empty() || file.request.len() > REQUESTS_MAX {
            return Err(wrong(format!("it has {} [[request]]s; 1 to {REQUESTS_MAX} are possible", file.request.len())));
        }
        let mut requests = Vec::with_capacity(file.request.len());
        for (index, request) in file.request.into_iter().enumerate() {
            let place = format!("request {} ({})", index + 1, request.label.as_deref().unwrap_or("without label"));
            let request = check(request, options).map_err(|reason| wrong(format!("{place}: {reason}")))?;
            if requests.iter().any(|other: &Request| other.label == request.label) {
                return Err(wrong(format!("{place}: the label is taken by an earlier request; give it another")));
            }
            requests.push(request);
        }
        if let Some(percent) = options.read_percent.filter(|_| requests.len() > 1) {
            set_read_share(&mut requests, percent.min(100));
        }
        if requests.iter().all(|request| request.weight == 0) {
            return Err(wrong("all weights are 0, so there is nothing to send".into()));
        }
        if file.requests_max == Some(0) {
            return Err(wrong("requests_max is 0, so there is nothing to send".into()));
        }
        Ok(Self { name: file.name, description: file.description, requests_max: file.requests_max, requests })
    }

    /// What has to be on the server before it can be run.
    #[must_use]
    pub fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        for request in &self.requests {
            let sent = [Some(&request.path), request.body.as_ref()].into_iter().flatten();
            for template in sent.chain(&request.contains).chain(request.counts.iter().map(|(_, template)| template)) {
                needs = needs.and(template.needs());
            }
        }
        needs
    }

    /// Graph elements in one request; the weighted mean where there are several.
    #[must_use]
    pub fn elements_per_request(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "weights are below 2^53, see WEIGHT_MAX")]
        let weight = |weight: u64| weight as f64;
        let weights: u64 = self.requests.iter().map(|request| request.weight).sum();
        let elements: f64 = self.requests.iter().map(|r| f64::from(r.elements) * weight(r.weight)).sum();
        elements / weight(weights.max(1))
    }
}

fn check(file: RequestFile, options: &ScenarioOptions) -> Result<Request, String> {
    let batch = match (file.batch, options.batch) {
        (Some(_), Some(asked)) => Some(asked),
        (own, _) => own,
    };
    if batch.is_some_and(|batch| batch == 0 || batch > BATCH_ELEMENTS_MAX) {
        return Err(format!("batch must be 1 to {BATCH_ELEMENTS_MAX}"));
    }
    if file.weight > WEIGHT_MAX {
        return Err(format!("weight {}: at most {WEIGHT_MAX} is possible", file.weight));
    }
    if batch.is_some() && file.body.is_none() {
        return Err("batch without a body: give the body of one element".into());
    }
    let parse = |field: &str, text: &str| Template::parse(text).map_err(|reason| format!("{field}: {reason}"));
    let from_root = file.path.starts_with('/');
    let path = parse("path", file.path.trim_start_matches('/'))?;
    let body = file.body.as_deref().map(|text| parse("body", text.trim())).transpose()?;
    let contains = file.contains.into_list();
    let contains = contains.iter().map(|text| parse("contains", text)).collect::<Result<_, _>>()?;
    let counts = file.counts.into_iter();
    let counts = counts.map(|(key, text)| Ok::<_, String>((key, parse("counts", &text)?))).collect::<Result<_, _>>()?;
    let status = file.status.into_list();
    if status.iter().any(|status| !(100..600).contains(status)) {
        return Err("status: HTTP statuses are 100 to 599".into());
    }
    let label = file.label.unwrap_or_else(|| format!("{:?} {}", file.method, file.path).to_uppercase());
    Ok(Request {
        label,
        method: file.method,
        path,
        from_root,
        body,
        batch,
        weight: u64::from(file.weight),
        status,
        count_ids: file.count_ids,
        contains,
        counts,
        elements: batch.unwrap_or(file.elements),
    })
}

/// Sets weights so that reads have `percent` of all, with both groups keeping their inner proportions.
fn set_read_share(requests: &mut [Request], percent: u32) {
    let percent = u64::from(percent);
    let sum = |reads: bool, requests: &[Request]| -> u64 {
        requests.iter().filter(|r| (r.method == Method::Get) == reads).map(|r| r.weight).sum()
    };
    let (reads, writes) = (sum(true, requests), sum(false, requests));
    if reads == 0 || writes == 0 {
        return;
    }
    for request in requests {
        // Cross-multiplied, so that whole numbers keep the proportions.
        request.weight *= if request.method == Method::Get { percent * writes } else { (100 - percent) * reads };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Scenario, String> {
        Scenario::parse("t.toml", text, &ScenarioOptions::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn all_built_in_ones_are_right() {
        for name in BUILT_IN {
            for scenario in Scenario::find(name, &ScenarioOptions::default()).unwrap() {
                assert!(!scenario.description.is_empty());
                assert!(scenario.elements_per_request() >= 1.0);
            }
        }
        let names: Vec<_> =
            Scenario::find("schema", &ScenarioOptions::default()).unwrap().into_iter().map(|s| s.name).collect();
        assert_eq!(names, ["schema-property-keys", "schema-vertex-labels", "schema-edge-labels"]);
    }

    #[test]
    fn the_documented_example_is_right() {
        let scenario = parse(include_str!("../../../docs/scenario.toml")).unwrap();
        assert_eq!(scenario.requests.len(), 3);
        assert!(scenario.needs().vertices && !scenario.needs().edges);
    }

    #[test]
    fn needs_follow_from_placeholders() {
        let needs = |name: &str| Scenario::find(name, &ScenarioOptions::default()).unwrap()[0].needs();
        assert_eq!(needs("single-vertex"), Needs { schema: true, ..Needs::default() });
        assert_eq!(needs("batch-edge"), Needs { schema: true, vertices: true, ..Needs::default() });
        assert!(needs("edge-by-id").edges && !needs("edge-by-id").network);
        assert!(needs("index-look-up").index && !needs("index-look-up").edges);
        assert!(needs("within-2-hops").network && needs("within-2-hops").edges);
    }

    #[test]
    fn the_batch_size_is_an_option_of_batches_only() {
        let options = ScenarioOptions { batch: Some(199), ..ScenarioOptions::default() };
        let elements = |name: &str| Scenario::find(name, &options).unwrap()[0].elements_per_request();
        assert!((elements("batch-vertex") - 199.0).abs() < 1e-9);
        assert!((elements("single-vertex") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_share_of_reads_is_kept() {
        for percent in [0, 20, 95, 100] {
            let options = ScenarioOptions { read_percent: Some(percent), ..ScenarioOptions::default() };
            let scenario = Scenario::find("mixed", &options).unwrap().remove(0);
            let all: u64 = scenario.requests.iter().map(|r| r.weight).sum();
            let reads: u64 = scenario.requests.iter().filter(|r| r.method == Method::Get).map(|r| r.weight).sum();
            assert_eq!(reads * 100, all * u64::from(percent));
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let text = "name = \"x\"\n[[request]]\nmethod = \"GET\"\npath = \"graph/vertices/${vertexid}\"\n";
        let error = parse(text).unwrap_err();
        assert!(
            error.contains("t.toml: request 1") && error.contains("path") && error.contains("vertex_id"),
            "{error}"
        );
        let error = parse("name = \"x\"\n[[request]]\nmethod = \"GET\"\npath = \"a\"\nwait = 3\n").unwrap_err();
        assert!(error.contains("wait") && error.contains("line 5"), "{error}");
        assert!(parse("name = \"x\"\n").unwrap_err().contains("request"));
        let error = parse("name = \"x\"\n[[request]]\nmethod = \"GET\"\npath = \"a\"\nweight = 0\n").unwrap_err();
        assert!(error.contains("weights"), "{error}");
        let error =
            parse("name = \"x\"\n[[request]]\nmethod = \"GET\"\npath = \"a\"\nweight = 4000000000\n").unwrap_err();
        assert!(error.contains("weight 4000000000") && error.contains("1000000"), "{error}");
    }

    #[test]
    fn the_highest_weights_have_a_share_of_reads() {
        let request = |method: &str, label: &str| {
            format!("[[request]]\nlabel = \"{label}\"\nmethod = \"{method}\"\npath = \"a\"\nweight = {WEIGHT_MAX}\n")
        };
        let text = format!("name = \"x\"\n{}{}{}", request("GET", "a"), request("PUT", "b"), request("PUT", "c"));
        let options = ScenarioOptions { read_percent: Some(50), ..ScenarioOptions::default() };
        let scenario = Scenario::parse("t.toml", &text, &options).unwrap();
        let weights: Vec<u64> = scenario.requests.iter().map(|request| request.weight).collect();
        assert_eq!(weights[0], weights[1] + weights[2]);
    }
}
