//! What a client says it takes: `Accept` and `Accept-Encoding` (RFC 9110, section 12.5).

use hyper::header::{self, HeaderMap, HeaderName};

/// The weight that a header gives to a name, 0 to 1; `None` where it does not name it. The first mention counts, and a
/// weight that is no number is 0.
pub(crate) fn weight(headers: &HeaderMap, header: HeaderName, name: &str) -> Option<f32> {
    let values = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    let mut items = values.flat_map(|value| value.split(','));
    items.find_map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|named| named.eq_ignore_ascii_case(name));
        let given = || parts.find_map(|part| part.strip_prefix("q="));
        is_named.then(given).map(|given| given.map_or(1.0, |given| given.parse().unwrap_or(0.0)))
    })
}

/// Whether `Accept-Encoding` names a coding, or everything, and does not rule it out with `q=0`.
#[must_use]
pub fn accepts_coding(headers: &HeaderMap, coding: &str) -> bool {
    let weight = |name| weight(headers, header::ACCEPT_ENCODING, name);
    weight(coding).or_else(|| weight("*")).is_some_and(|weight| weight > 0.0)
}

/// Whether an answer may be compressed with gzip.
#[must_use]
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    accepts_coding(headers, "gzip")
}

/// Whether `Accept` prefers a page to JSON: it names `text/html`, and not `application/json` at least as much. Programs
/// say `*/*`, or nothing.
pub(crate) fn prefers_page(headers: &HeaderMap) -> bool {
    let weight = |name| weight(headers, header::ACCEPT, name).unwrap_or(0.0);
    let page = weight("text/html");
    page > 0.0 && page > weight("application/json")
}

/// Whether a client would rather have figures in the format of OpenMetrics than as plain text.
#[must_use]
pub fn prefers_open_metrics(headers: &HeaderMap) -> bool {
    let weight = |name| weight(headers, header::ACCEPT, name).unwrap_or(0.0);
    let open = weight("application/openmetrics-text");
    open > 0.0 && open >= weight("text/plain")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(value: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, value.parse().unwrap());
        accepts_gzip(&headers)
    }

    #[test]
    fn gzip_is_only_sent_where_it_is_accepted() {
        assert!(accepts("gzip"));
        assert!(accepts("deflate, GZIP;q=0.5"));
        assert!(accepts("*"));
        assert!(!accepts("identity"));
        assert!(!accepts("gzip;q=0, *"));
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn browsers_want_a_page_and_programs_do_not() {
        let wants = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            prefers_page(&headers)
        };
        assert!(wants("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(wants("application/json;q=0.5, text/html"));
        for accept in ["*/*", "", "application/json", "application/json, text/html;q=0.9", "text/html;q=0"] {
            assert!(!wants(accept), "{accept}");
        }
        assert!(!prefers_page(&HeaderMap::new()));
    }

    #[test]
    fn open_metrics_is_for_those_who_prefer_it() {
        let prefers = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            prefers_open_metrics(&headers)
        };
        // Prometheus' own.
        assert!(prefers("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
        assert!(prefers("application/openmetrics-text"));
        assert!(!prefers("text/plain,application/openmetrics-text;q=0.5"));
        assert!(!prefers("application/openmetrics-text;q=0"));
        assert!(!prefers("*/*"));
        assert!(!prefers_open_metrics(&HeaderMap::new()));
    }
}
