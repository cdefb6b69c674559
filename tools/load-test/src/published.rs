//! The rows that HugeGraph's own benchmark pages publish, embedded, and what can be said about each from its figures
//! alone.
//!
//! Facts only: `published/rows.csv` has the figures as printed on the pages; an empty field means that the page does
//! not have one. Start with [`Page::named`].
//!
//! The unit of the pages' throughput is requests a second, and their users send one request a second, so a server that
//! keeps up shows the offered load, not its capacity. A page says "5 minutes", but samples divided by throughput give
//! about 360 s: ramp-up and end are part of the time, and a rate is about 0.92 of the number of users at best.
//! [`PublishedRow::users_accounted_for`] tells the rows whose figures do not fit together.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// The pages' text, one row a measurement.
const ROWS: &str = include_str!("published/rows.csv");

/// The pages, in the order of HugeGraph's versions.
static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let rows = parse(ROWS);
    DESCRIPTIONS.iter().map(|description| Page::new(description, &rows)).collect()
});

/// What a page says about its set-up.
struct Description {
    name: &'static str,
    system: &'static str,
    storage: &'static str,
    link: &'static str,
}

const DESCRIPTIONS: [Description; 4] = [
    Description {
        name: "hugegraph-0.2-cassandra",
        system: "HugeGraph 0.2",
        storage: "Cassandra 3.10, one node",
        link: "https://hugegraph.apache.org/docs/performance/api-performance/",
    },
    Description {
        name: "hugegraph-0.4.4-rocksdb",
        system: "HugeGraph 0.4.4",
        storage: "RocksDB",
        link: "https://hugegraph.apache.org/docs/performance/api-performance/hugegraph-api-0.4.4/",
    },
    Description {
        name: "hugegraph-0.5.6-rocksdb",
        system: "HugeGraph 0.5.6",
        storage: "RocksDB",
        link: "https://hugegraph.apache.org/docs/performance/api-performance/hugegraph-api-0.5.6-rocksdb/",
    },
    Description {
        name: "hugegraph-0.5.6-cassandra",
        system: "HugeGraph 0.5.6",
        storage: "Cassandra, 15 nodes",
        link: "https://hugegraph.apache.org/docs/performance/api-performance/hugegraph-api-0.5.6-cassandra/",
    },
];

/// One published benchmark page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The name by which `rhizome bench publish` finds it.
    pub name: &'static str,
    /// The measured system with its version.
    pub system: &'static str,
    /// What stored its data.
    pub storage: &'static str,
    /// Where the page is.
    pub link: &'static str,
    /// Its scenarios in the page's order.
    pub scenarios: Vec<PublishedScenario>,
}

/// The rows of one scenario.
#[derive(Clone, Debug)]
pub struct PublishedScenario {
    /// The scenario's name, as `rhizome bench run` knows it.
    pub scenario: String,
    /// Vertices or edges in one request.
    pub elements: u32,
    /// In the page's order; more than one machine only on the 0.4.4 page.
    pub rows: Vec<PublishedRow>,
}

/// One published measurement. Times are whole milliseconds, as JMeter prints them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PublishedRow {
    /// The page it is from.
    pub page: String,
    /// Cores, memory and disk of the machine.
    pub machine: String,
    /// The scenario's name.
    pub scenario: String,
    /// Vertices or edges in one request.
    pub elements: u32,
    /// JMeter's threads: users that send one request a second.
    pub concurrency: u32,
    /// Requests in all.
    pub samples: Option<u64>,
    /// Mean latency.
    pub average_ms: Option<f64>,
    /// Median latency.
    pub median_ms: Option<f64>,
    /// 90th percentile.
    pub p90_ms: Option<f64>,
    /// Shortest latency.
    pub min_ms: Option<f64>,
    /// Longest latency.
    pub max_ms: Option<f64>,
    /// Failed requests of a hundred.
    pub error_percent: f64,
    /// Requests a second, over the whole time with ramp-up.
    pub throughput_per_s: f64,
    /// Kilobytes received a second.
    pub kb_per_s: Option<f64>,
    /// What must be known to read it; empty when nothing.
    pub note: String,
}

/// A page of this name does not exist.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no published page is called '{name}'; there are: {known}")]
pub struct UnknownPage {
    name: String,
    known: String,
}

impl Page {
    /// All pages.
    pub fn all() -> &'static [Page] {
        &PAGES
    }

    /// The page of this name.
    ///
    /// # Errors
    ///
    /// When there is none; the error lists the names.
    pub fn named(name: &str) -> Result<&'static Page, UnknownPage> {
        Self::all().iter().find(|page| page.name == name).ok_or_else(|| UnknownPage {
            name: name.to_owned(),
            known: Self::all().iter().map(|page| page.name).collect::<Vec<_>>().join(", "),
        })
    }

    fn new(description: &Description, rows: &[PublishedRow]) -> Self {
        let mut scenarios: Vec<PublishedScenario> = Vec::new();
        for row in rows.iter().filter(|row| row.page == description.name) {
            match scenarios.iter_mut().find(|known| known.scenario == row.scenario) {
                Some(known) => known.rows.push(row.clone()),
                None => scenarios.push(PublishedScenario {
                    scenario: row.scenario.clone(),
                    elements: row.elements,
                    rows: vec![row.clone()],
                }),
            }
        }
        let Description { name, system, storage, link } = *description;
        Self { name, system, storage, link, scenarios }
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.system, self.storage)
    }
}

impl PublishedScenario {
    /// The row to compare a measured peak with: the highest published throughput without errors.
    pub fn peak(&self) -> Option<&PublishedRow> {
        let clean = self.rows.iter().filter(|row| row.error_percent == 0.0);
        clean.max_by(|a, b| a.throughput_per_s.total_cmp(&b.throughput_per_s))
    }
}

impl PublishedRow {
    /// Elements a second: requests times elements in each, as the pages compute it.
    pub fn elements_per_s(&self) -> f64 {
        self.throughput_per_s * f64::from(self.elements)
    }

    /// The share of the users that the row's figures account for: by Little's law a user who sends one request a
    /// second, or waits longer than that for an answer, contributes `1 / max(1 s, average)` requests a second. About
    /// 0.92 in a row that is consistent; far from it, the row's figures contradict each other. `None` where the page
    /// gives no average.
    pub fn users_accounted_for(&self) -> Option<f64> {
        let cycle_s = (self.average_ms? / 1000.0).max(1.0);
        Some(self.throughput_per_s * cycle_s / f64::from(self.concurrency))
    }

    /// The time that throughput was computed over, in seconds; `None` where the page does not give the samples.
    pub fn duration_s(&self) -> Option<f64> {
        let samples: u32 = self.samples?.try_into().ok()?;
        Some(f64::from(samples) / self.throughput_per_s)
    }
}

/// The embedded rows. A row that does not parse is left out, which the tests below would notice.
fn parse(text: &str) -> Vec<PublishedRow> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().filter_map(Result::ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_on_a_page() {
        let lines = ROWS.lines().count() - 1;
        assert_eq!(parse(ROWS).len(), lines);
        let on_pages: usize =
            Page::all().iter().flat_map(|page| &page.scenarios).map(|scenario| scenario.rows.len()).sum();
        assert_eq!(on_pages, lines);
        assert_eq!(lines, 37);
    }

    #[test]
    fn scenarios_come_in_the_order_of_the_page() {
        let names = |page: &str| -> Vec<(String, u32)> {
            let page = Page::named(page).unwrap();
            page.scenarios.iter().map(|scenario| (scenario.scenario.clone(), scenario.elements)).collect()
        };
        let expected = [("batch-vertex", 200), ("batch-edge", 500), ("single-vertex", 1), ("single-edge", 1)];
        assert_eq!(names("hugegraph-0.4.4-rocksdb"), expected.map(|(name, elements)| (name.to_owned(), elements)));
        let oldest = names("hugegraph-0.2-cassandra");
        assert!(oldest.contains(&("batch-vertex".to_owned(), 199)) && oldest.contains(&("batch-edge".to_owned(), 499)));
    }

    #[test]
    fn the_peak_is_the_best_row_without_errors() {
        let page = Page::named("hugegraph-0.2-cassandra").unwrap();
        let single = page.scenarios.iter().find(|scenario| scenario.scenario == "single-vertex").unwrap();
        assert_eq!(single.peak().unwrap().concurrency, 4000);
        let batch = page.scenarios.iter().find(|scenario| scenario.scenario == "batch-edge").unwrap();
        assert!((batch.peak().unwrap().elements_per_s() - 14_371.0).abs() < 1.0);
    }

    #[test]
    fn rows_that_contradict_themselves_carry_a_note() {
        let rows = parse(ROWS);
        let odd: Vec<_> = rows
            .iter()
            .filter(|row| row.users_accounted_for().is_some_and(|share| !(0.8..1.05).contains(&share)))
            .collect();
        assert_eq!(odd.len(), 2);
        assert!(odd.iter().all(|row| row.note.contains("users")), "{odd:?}");
        assert!(rows.iter().filter(|row| row.samples.is_none()).all(|row| !row.note.is_empty()));
    }

    #[test]
    fn the_published_time_includes_ramp_up() {
        for row in parse(ROWS) {
            if let Some(seconds) = row.duration_s() {
                assert!((340.0..380.0).contains(&seconds), "{row:?}: {seconds}");
            }
        }
    }

    #[test]
    fn an_unknown_page_is_refused_with_the_known_ones() {
        let error = Page::named("hugegraph-9").unwrap_err().to_string();
        assert!(error.contains("'hugegraph-9'") && error.contains("hugegraph-0.5.6-rocksdb"), "{error}");
    }
}
