//! The text format of OpenMetrics
//! (<https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>), made of that of Prometheus:
//! the same figures, families of counters without `_total`, and with the last traced request of each class of latency
//! as its exemplar.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::UNIX_EPOCH;

use serving::{EndpointMetrics, Endpoints};

/// What the format is called in `Accept` and `Content-Type`.
pub const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The histogram whose classes have exemplars.
const LATENCY: &str = "rhizome_http_request_seconds_bucket{";

/// The text of Prometheus' format, as one of OpenMetrics.
pub(crate) fn of(text: &str, endpoints: &Endpoints) -> String {
    let endpoints: HashMap<_, _> = endpoints.all().map(|of| ((&*of.template, &*of.method), of)).collect();
    let mut open = String::with_capacity(text.len() + text.len() / 8);
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').unwrap_or((help, ""));
            // Writing to a string cannot fail.
            let _ = writeln!(open, "# HELP {} {}", family(name), words.replace('"', "\\\""));
        } else if let Some(of_type) = line.strip_prefix("# TYPE ") {
            let (name, kind) = of_type.split_once(' ').unwrap_or((of_type, "untyped"));
            let _ = writeln!(open, "# TYPE {} {}", family(name), if kind == "untyped" { "unknown" } else { kind });
        } else if let Some(labels) = line.strip_prefix(LATENCY) {
            bucket(&mut open, labels, &endpoints);
        } else if !line.starts_with('#') && !line.is_empty() {
            open.push_str(&line.replacen(",}", "}", 1));
            open.push('\n');
        }
    }
    open.push_str("# EOF\n");
    open
}

fn family(name: &str) -> &str {
    name.strip_suffix("_total").unwrap_or(name)
}

/// Writes the line of a class of latency, and its exemplar.
fn bucket(open: &mut String, line: &str, endpoints: &HashMap<(&str, &str), &EndpointMetrics>) {
    let (labels, count) = line.split_once("} ").unwrap_or((line, ""));
    let value = |name: &str| {
        let begin = labels.find(&format!("{name}=\""))? + name.len() + 2;
        labels.get(begin..)?.split('"').next()
    };
    let bound = value("le").unwrap_or_default();
    // Bounds are numbers with a point.
    let is_whole = bound.bytes().all(|byte| byte.is_ascii_digit());
    let labels_written = match is_whole {
        true => labels.replace(&format!("le=\"{bound}\""), &format!("le=\"{bound}.0\"")),
        false => labels.to_owned(),
    };
    let _ = write!(open, "{LATENCY}{labels_written}}} {count}");
    let seconds = if bound == "+Inf" { Ok(f64::INFINITY) } else { bound.parse() };
    let endpoint = value("path").zip(value("method")).and_then(|at| endpoints.get(&at));
    if let Some(exemplar) = endpoint.zip(seconds.ok()).and_then(|(endpoint, seconds)| endpoint.exemplar(seconds)) {
        let at = exemplar.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let _ = write!(open, " # {{trace_id=\"{}\"}} {} {at:.3}", exemplar.trace_id, exemplar.seconds);
    }
    open.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serving::Metrics;

    #[test]
    fn families_of_counters_have_no_suffix_and_comments_are_left_out() {
        let endpoints = Metrics::new().endpoints([Some(("{G}", "GET"))].into_iter());
        let text = "# HELP a_total Says \"yes\".\n# TYPE a_total counter\na_total{b=\"c\"} 1\n# part: words\n\
                    # HELP i X\n# TYPE i untyped\ni{version=\"1\",} 1.0\n\
                    rhizome_http_request_seconds_bucket{method=\"GET\",path=\"{G}\",le=\"1\"} 3\n\
                    rhizome_http_request_seconds_bucket{method=\"GET\",path=\"{G}\",le=\"+Inf\"} 4\n";
        let expected = "# HELP a Says \\\"yes\\\".\n# TYPE a counter\na_total{b=\"c\"} 1\n\
                        # HELP i X\n# TYPE i unknown\ni{version=\"1\"} 1.0\n\
                        rhizome_http_request_seconds_bucket{method=\"GET\",path=\"{G}\",le=\"1.0\"} 3\n\
                        rhizome_http_request_seconds_bucket{method=\"GET\",path=\"{G}\",le=\"+Inf\"} 4\n# EOF\n";
        assert_eq!(of(text, &endpoints), expected);
    }
}
