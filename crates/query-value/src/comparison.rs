//! Comparisons that predicates make, by their names in queries.

/// Comparisons with one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Neq,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
}

/// Comparisons with two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interval {
    /// Between them, both excluded.
    Inside,
    /// Below the first or above the second.
    Outside,
    /// Between them, the first included.
    Between,
}

/// Tests of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// Begins with.
    StartingWith,
    /// Does not begin with.
    NotStartingWith,
    /// Ends with.
    EndingWith,
    /// Does not end with.
    NotEndingWith,
    /// Contains.
    Containing,
    /// Does not contain.
    NotContaining,
    /// Has a part that matches a regular expression.
    Regex,
    /// Has none.
    NotRegex,
}

const COMPARISONS: [(&str, Comparison); 6] = [
    ("eq", Comparison::Eq),
    ("neq", Comparison::Neq),
    ("lt", Comparison::Lt),
    ("lte", Comparison::Lte),
    ("gt", Comparison::Gt),
    ("gte", Comparison::Gte),
];

const INTERVALS: [(&str, Interval); 3] =
    [("inside", Interval::Inside), ("outside", Interval::Outside), ("between", Interval::Between)];

const TEXT_TESTS: [(&str, TextTest); 8] = [
    ("startingWith", TextTest::StartingWith),
    ("notStartingWith", TextTest::NotStartingWith),
    ("endingWith", TextTest::EndingWith),
    ("notEndingWith", TextTest::NotEndingWith),
    ("containing", TextTest::Containing),
    ("notContaining", TextTest::NotContaining),
    ("regex", TextTest::Regex),
    ("notRegex", TextTest::NotRegex),
];

impl Comparison {
    /// The name in scripts.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_in(&COMPARISONS, &self)
    }

    /// The one of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        entry(&COMPARISONS, name)
    }
}

impl Interval {
    /// The name in scripts.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_in(&INTERVALS, &self)
    }

    /// The one of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        entry(&INTERVALS, name)
    }
}

impl TextTest {
    /// The name in scripts.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_in(&TEXT_TESTS, &self)
    }

    /// The one of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        entry(&TEXT_TESTS, name)
    }
}

fn name_in<T: PartialEq>(table: &[(&'static str, T)], item: &T) -> &'static str {
    table.iter().find(|(_, entry)| entry == item).map_or("", |(name, _)| name)
}

fn entry<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<T> {
    table.iter().find(|(entry, _)| *entry == name).map(|(_, item)| *item)
}
