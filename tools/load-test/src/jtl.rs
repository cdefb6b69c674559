//! Single requests as JTL: the CSV that JMeter writes and opens.
//!
//! JMeter groups by label, so a label names the scenario and the load (and the request, where a scenario has several):
//! rows of a stress search stay apart. Times are whole milliseconds in this format, rounded to the nearest;
//! `results.json` has them exactly. Rows may be thinned ([`RowSamples::stride`]); then counts are parts of the whole,
//! while means and shares stay estimates of the same figures.

use std::io;

use crate::RowSamples;
use crate::load_label;
use crate::result::{ErrorClass, Row};
use crate::sample::Sample;

/// JMeter's default columns, in its order.
pub const COLUMNS: [&str; 17] = [
    "timeStamp",
    "elapsed",
    "label",
    "responseCode",
    "responseMessage",
    "threadName",
    "dataType",
    "success",
    "failureMessage",
    "bytes",
    "sentBytes",
    "grpThreads",
    "allThreads",
    "URL",
    "Latency",
    "IdleTime",
    "Connect",
];

/// Writes the samples of rows, one after the other.
pub struct JtlWriter<W: io::Write> {
    csv: csv::Writer<W>,
    url: String,
}

impl<W: io::Write> JtlWriter<W> {
    /// Begins a file with its header; `url` is the server's address.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn new(writer: W, url: &str) -> io::Result<Self> {
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(COLUMNS)?;
        Ok(Self { csv, url: url.to_owned() })
    }

    /// Adds the samples of a row of a scenario.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn row(&mut self, scenario: &str, row: &Row, samples: &RowSamples) -> io::Result<()> {
        for sample in &samples.samples {
            let request = (!row.requests.is_empty()).then_some(&*sample.label);
            self.sample(&label(scenario, request, row), sample)?;
        }
        Ok(())
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<()> {
        self.csv.flush()
    }

    fn sample(&mut self, label: &str, sample: &Sample) -> io::Result<()> {
        let class = sample.error.map(class_text);
        let users = sample.users.to_string();
        let fields = [
            sample.started_at_ms.to_string(),
            whole_ms(sample.elapsed_us).to_string(),
            label.to_owned(),
            if sample.status == 0 {
                format!("Non HTTP response code: {}", class.unwrap_or("none"))
            } else {
                sample.status.to_string()
            },
            class.unwrap_or("OK").to_owned(),
            format!("{} 1-{}", sample.label, u64::from(sample.user) + 1),
            "text".to_owned(),
            sample.is_ok().to_string(),
            class.unwrap_or_default().to_owned(),
            sample.bytes.to_string(),
            sample.sent_bytes.to_string(),
            users.clone(),
            users,
            self.url.clone(),
            whole_ms(sample.first_byte_us).to_string(),
            "0".to_owned(),
            whole_ms(sample.connect_us).to_string(),
        ];
        Ok(self.csv.write_record(fields)?)
    }
}

/// The label of a scenario, or of one of its requests, at the load of a row.
#[must_use]
pub fn label(scenario: &str, request: Option<&str>, row: &Row) -> String {
    let load = load_label::in_label(row);
    match request {
        Some(request) => format!("{scenario}: {request} @{load}"),
        None => format!("{scenario} @{load}"),
    }
}

/// The error class as a reader of JMeter's results sees it.
fn class_text(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Connect => "connection failed",
        ErrorClass::Timeout => "timeout",
        ErrorClass::Status => "unexpected status",
        ErrorClass::WrongAnswer => "wrong answer",
        ErrorClass::Overflow => "not sent: too many requests waiting",
    }
}

fn whole_ms(us: u64) -> u64 {
    us.saturating_add(500) / 1000
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::result::RequestRow;

    fn sample(label: &str, elapsed_us: u64, error: Option<ErrorClass>) -> Sample {
        Sample {
            started_at_ms: 1_700_000_000_000,
            elapsed_us,
            first_byte_us: elapsed_us / 2,
            connect_us: 0,
            label: Arc::from(label),
            status: if error.is_none() { 201 } else { 0 },
            error,
            bytes: 120,
            sent_bytes: 300,
            user: 4,
            users: 1000,
        }
    }

    fn write(scenario: &str, row: &Row, samples: Vec<Sample>) -> String {
        let mut text = Vec::new();
        let mut writer = JtlWriter::new(&mut text, "http://127.0.0.1:8080").unwrap();
        writer.row(scenario, row, &RowSamples { samples, stride: 1 }).unwrap();
        writer.finish().unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn lines_are_as_jmeter_writes_them() {
        let text = write(
            "single-vertex",
            &Row { concurrency: 1000, ..Row::default() },
            vec![sample("insert", 1499, None), sample("insert", 1500, Some(ErrorClass::Timeout))],
        );
        let expected = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
                        failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n\
                        1700000000000,1,single-vertex @1000,201,OK,insert 1-5,\
                        text,true,,120,300,1000,1000,http://127.0.0.1:8080,1,0,0\n\
                        1700000000000,2,single-vertex @1000,Non HTTP response code: timeout,timeout,insert 1-5,\
                        text,false,timeout,120,300,1000,1000,http://127.0.0.1:8080,1,0,0\n";
        assert_eq!(text, expected);
    }

    proptest! {
        #[test]
        fn any_label_is_read_back(scenario in "(?s).*", request in "(?s).*", elapsed_us in 0..u64::MAX) {
            let row = Row { requests: vec![RequestRow::default()], ..Row::default() };
            let text = write(&scenario, &row, vec![sample(&request, elapsed_us, None)]);
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let records: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(records.len(), 1);
            prop_assert_eq!(&records[0][2], label(&scenario, Some(&request), &row));
            prop_assert_eq!(records[0].len(), COLUMNS.len());
        }
    }
}
