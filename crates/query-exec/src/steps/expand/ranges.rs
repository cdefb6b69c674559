//! Ranges of edges by the sort keys of their labels, out of conditions.

use graph_access::SortRange;
use graph_model::{Cardinality, DataType, LabelId, Value as Stored};
use graph_schema::{Catalogue, PropertyKey};
use query_plan::Text;
use query_value::{Comparison, Interval, Predicate, Value};

/// The ranges that conditions leave of the labels' edges; none of a label whose sort keys they do not bound. Edges in a
/// range may fail the conditions; edges outside do.
pub(super) fn sort_ranges(
    catalogue: &Catalogue,
    labels: Option<&[LabelId]>,
    conditions: &[(Text, Predicate)],
) -> Vec<SortRange> {
    // In an auto graph sort values are ids.
    if conditions.is_empty() || catalogue.is_auto() {
        return Vec::new();
    }
    let is_wanted = |label: &LabelId| labels.is_none_or(|labels| labels.contains(label));
    let all = catalogue.edge_labels().filter(|label| is_wanted(&label.id));
    all.filter_map(|label| {
        let mut range = SortRange { label: label.id, equal: Vec::new(), is_whole: false, low: None, high: None };
        let single = |key| catalogue.property_key(key).filter(|key| key.cardinality == Cardinality::Single);
        for key in label.sort_keys.iter().map_while(|key| single(*key)) {
            let mut bounds = Bounds::default();
            for (_, predicate) in conditions.iter().filter(|(name, _)| *name == key.name.as_str()) {
                bounds.narrow(key, predicate);
            }
            match bounds.equal {
                Some(value) => range.equal.push(value),
                None => {
                    (range.low, range.high) = (bounds.low, bounds.high);
                    break;
                }
            }
        }
        range.is_whole = range.equal.len() == label.sort_keys.len();
        let is_bounded = !range.equal.is_empty() || range.low.is_some() || range.high.is_some();
        is_bounded.then_some(range)
    })
    .collect()
}

/// What conditions leave of the values of one sort key.
#[derive(Default)]
struct Bounds {
    equal: Option<Stored>,
    low: Option<Stored>,
    high: Option<Stored>,
}

impl Bounds {
    fn narrow(&mut self, key: &PropertyKey, predicate: &Predicate) {
        match predicate {
            Predicate::Compare(Comparison::Eq, value) => {
                if let Some(value) = equal(key, value) {
                    self.equal = Some(value);
                }
            }
            Predicate::Compare(Comparison::Gt | Comparison::Gte, value) => self.at_least(key, value),
            Predicate::Compare(Comparison::Lt | Comparison::Lte, value) => self.at_most(key, value),
            Predicate::Range(Interval::Inside | Interval::Between, low, high) => {
                self.at_least(key, low);
                self.at_most(key, high);
            }
            Predicate::And(all) => all.iter().for_each(|predicate| self.narrow(key, predicate)),
            _ => {}
        }
    }

    fn at_least(&mut self, key: &PropertyKey, value: &Value) {
        let text = value.as_text().filter(|text| text.is_ascii() && !text.contains('!'));
        let low = match key.data_type {
            DataType::Text => text.map(|text| Stored::Text(text.into())),
            _ => whole(key, value).map(Stored::Long),
        };
        let Some(low) = low else { return };
        let is_narrower = match (&self.low, &low) {
            (Some(Stored::Long(own)), Stored::Long(new)) => new > own,
            (own, _) => own.is_none(),
        };
        if is_narrower {
            self.low = Some(low);
        }
    }

    fn at_most(&mut self, key: &PropertyKey, value: &Value) {
        let Some(high) = whole(key, value) else { return };
        if !matches!(self.high, Some(Stored::Long(own)) if own <= high) {
            self.high = Some(Stored::Long(high));
        }
    }
}

/// The only form in which a sort key can have a value that equals this one; none where there may be several.
fn equal(key: &PropertyKey, value: &Value) -> Option<Stored> {
    match (key.data_type, value) {
        (DataType::Text, value) => value.as_text().map(|text| Stored::Text(text.into())),
        // Stored moments have no fractions of milliseconds.
        (DataType::Date, Value::DateTime(moment)) if moment.since_epoch().nanoseconds % 1_000_000 != 0 => None,
        _ => whole(key, value).map(Stored::Long),
    }
}

/// A bound of a whole number or a moment, as the number that is written in ids, whatever the width of the key's type.
fn whole(key: &PropertyKey, value: &Value) -> Option<i64> {
    match (key.data_type, value) {
        (DataType::Byte | DataType::Int | DataType::Long, value) => value.as_i64(),
        // A later moment within the millisecond is more than its beginning, so as an upper bound this is enough, too.
        (DataType::Date, Value::DateTime(moment)) => {
            let since = moment.since_epoch();
            since.seconds.checked_mul(1_000)?.checked_add(i64::from(since.nanoseconds / 1_000_000))
        }
        _ => None,
    }
}
