//! Dates as hugegraph-loader's `date_format` describes them: patterns of `y M d H m s S` with literals between, or the
//! word `timestamp` for epoch milliseconds.
//!
//! A pattern is compiled once. Numbers may have fewer digits than letters (`yyyy-M-d` and `yyyy-MM-dd` read the same),
//! except where two numbers touch (`yyyyMMdd`): there the letters say how many digits.

use jiff::civil;
use jiff::tz::{Offset, TimeZone};

/// The word for epoch milliseconds.
const TIMESTAMP: &str = "timestamp";

/// One way to write a date.
#[derive(Clone, Debug)]
pub(crate) enum DateFormat {
    /// A whole number of milliseconds since 1970-01-01 00:00 UTC.
    Timestamp,
    /// A pattern, with its text for error messages.
    Pattern(String, Vec<Part>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Number { field: Field, digits: usize, exact: bool },
    Zone,
    Literal(char),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Fraction,
}

impl DateFormat {
    /// Compiles a pattern. The error says which letter is not supported.
    pub(crate) fn compile(pattern: &str) -> Result<Self, String> {
        if pattern == TIMESTAMP {
            return Ok(Self::Timestamp);
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut chars = pattern.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\'' => parts.extend(quoted(&mut chars)),
                'X' | 'Z' => {
                    while chars.next_if_eq(&c).is_some() {}
                    parts.push(Part::Zone);
                }
                c if c.is_ascii_alphabetic() => {
                    let field = field_of(c).ok_or_else(|| {
                        format!(
                            "date format \"{pattern}\" has the letter \"{c}\"; known are y M d H m s S X Z and the \
                             word timestamp"
                        )
                    })?;
                    let mut digits = 1;
                    while chars.next_if_eq(&c).is_some() {
                        digits += 1;
                    }
                    let mut touches = false;
                    if let Some(Part::Number { exact, .. }) = parts.last_mut() {
                        *exact = true;
                        touches = true;
                    }
                    parts.push(Part::Number { field, digits, exact: touches });
                }
                c => parts.push(Part::Literal(c)),
            }
        }
        if !parts.iter().any(|part| matches!(part, Part::Number { field: Field::Year, .. })) {
            return Err(format!("date format \"{pattern}\" has no year (y)"));
        }
        Ok(Self::Pattern(pattern.to_owned(), parts))
    }

    /// The format as it was written in the mapping.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Timestamp => TIMESTAMP,
            Self::Pattern(text, _) => text,
        }
    }

    /// Reads a date as epoch milliseconds; `None` if the text is not of this format or is no date of the calendar.
    pub(crate) fn read(&self, text: &str, zone: &TimeZone) -> Option<i64> {
        match self {
            Self::Timestamp => text.parse().ok(),
            Self::Pattern(_, parts) => read_parts(parts, text, zone),
        }
    }
}

fn field_of(letter: char) -> Option<Field> {
    Some(match letter {
        'y' | 'u' => Field::Year,
        'M' => Field::Month,
        'd' => Field::Day,
        'H' => Field::Hour,
        'm' => Field::Minute,
        's' => Field::Second,
        'S' => Field::Fraction,
        _ => return None,
    })
}

/// The characters of a quoted part; two quotes in a row mean one quote.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Vec<Part> {
    if chars.next_if_eq(&'\'').is_some() {
        return vec![Part::Literal('\'')];
    }
    chars.by_ref().take_while(|c| *c != '\'').map(Part::Literal).collect()
}

#[derive(Default)]
struct Read {
    year: i16,
    month: Option<i8>,
    day: Option<i8>,
    hour: i8,
    minute: i8,
    second: i8,
    millis: i16,
    offset: Option<Offset>,
}

impl Read {
    fn set(&mut self, field: Field, digits: &str) -> Option<()> {
        match field {
            Field::Year => self.year = digits.parse().ok()?,
            Field::Month => self.month = Some(digits.parse().ok()?),
            Field::Day => self.day = Some(digits.parse().ok()?),
            Field::Hour => self.hour = digits.parse().ok()?,
            Field::Minute => self.minute = digits.parse().ok()?,
            Field::Second => self.second = digits.parse().ok()?,
            // A fraction of a second: one digit is tenths. Digits beyond milliseconds are cut.
            Field::Fraction => self.millis = format!("{digits:0<3}").get(..3)?.parse().ok()?,
        }
        Some(())
    }

    fn millis(self, zone: &TimeZone) -> Option<i64> {
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        let nanos = i32::from(self.millis) * 1_000_000;
        let time = civil::DateTime::new(self.year, month, day, self.hour, self.minute, self.second, nanos).ok()?;
        let timestamp = match self.offset {
            Some(offset) => offset.to_timestamp(time).ok()?,
            None => zone.to_timestamp(time).ok()?,
        };
        Some(timestamp.as_millisecond())
    }
}

fn read_parts(parts: &[Part], text: &str, zone: &TimeZone) -> Option<i64> {
    let mut read = Read::default();
    let mut rest = text;
    for part in parts {
        match part {
            Part::Literal(c) => rest = rest.strip_prefix(*c)?,
            Part::Zone => {
                let (offset, after) = read_offset(rest)?;
                read.offset = Some(offset);
                rest = after;
            }
            Part::Number { field, digits, exact } => {
                let most = match (field, exact) {
                    (_, true) => *digits,
                    (Field::Year, _) => 4,
                    (Field::Fraction, _) => 9,
                    _ => 2,
                };
                let length = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
                if length == 0 || (*exact && length < *digits) {
                    return None;
                }
                let (number, after) = rest.split_at_checked(length)?;
                read.set(*field, number)?;
                rest = after;
            }
        }
    }
    if rest.is_empty() { read.millis(zone) } else { None }
}

/// `Z`, `+08`, `+0800` or `+08:00` at the start of the text.
fn read_offset(text: &str) -> Option<(Offset, &str)> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Some((Offset::UTC, rest));
    }
    let (sign, rest) = match text.chars().next()? {
        '+' => (1, text.get(1..)?),
        '-' => (-1, text.get(1..)?),
        _ => return None,
    };
    let (hours, rest) = rest.split_at_checked(2)?;
    let rest_minutes = rest.strip_prefix(':').unwrap_or(rest);
    let (minutes, rest) = match rest_minutes.split_at_checked(2) {
        Some((digits, after)) if digits.bytes().all(|b| b.is_ascii_digit()) => (digits.parse::<i32>().ok()?, after),
        _ => (0, rest),
    };
    let seconds = sign * (hours.parse::<i32>().ok()? * 3600 + minutes * 60);
    Some((Offset::from_seconds(seconds).ok()?, rest))
}

/// Reads a `time_zone` of a mapping: `GMT+8`, `UTC`, `+05:30`, or a name such as `Europe/Rome`.
pub(crate) fn read_zone(name: &str) -> Result<TimeZone, String> {
    let name = name.trim();
    let bare = name.strip_prefix("GMT").or_else(|| name.strip_prefix("UTC")).unwrap_or(name);
    if bare.is_empty() || bare == "Z" {
        return Ok(TimeZone::UTC);
    }
    if let Some(offset) = short_offset(bare) {
        return Ok(TimeZone::fixed(offset));
    }
    TimeZone::get(name).map_err(|error| {
        format!(
            "time zone \"{name}\" is not known ({error}); write for example \"UTC\", \"GMT+8\", \"+05:30\" or \
             \"Europe/Rome\""
        )
    })
}

/// `+8`, `-3`, `+08`, `+08:00`, `+0530`.
fn short_offset(text: &str) -> Option<Offset> {
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let digits = text.get(1..)?;
    let padded =
        if digits.len() == 1 || digits.find(':') == Some(1) { format!("{sign}0{digits}") } else { text.to_owned() };
    let (offset, rest) = read_offset(&padded)?;
    rest.is_empty().then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str, zone: &str, text: &str) -> Option<i64> {
        DateFormat::compile(pattern).unwrap().read(text, &read_zone(zone).unwrap())
    }

    #[test]
    fn the_usual_formats() {
        assert_eq!(read("yyyy-MM-dd", "UTC", "2020-01-02"), Some(1_577_923_200_000));
        assert_eq!(read("yyyy-MM-dd", "UTC", "2020-1-2"), Some(1_577_923_200_000));
        assert_eq!(read("yyyy-MM-dd HH:mm:ss", "GMT+8", "2020-01-02 08:00:00"), Some(1_577_923_200_000));
        assert_eq!(read("yyyy-MM-dd HH:mm:ss.SSS", "UTC", "2020-01-02 00:00:00.007"), Some(1_577_923_200_007));
        assert_eq!(read("timestamp", "GMT+8", "1577923200000"), Some(1_577_923_200_000));
        assert_eq!(read("yyyyMMdd", "UTC", "20200102"), Some(1_577_923_200_000));
        assert_eq!(read("yyyyMMddHHmmssSSS", "UTC", "20200102000000005"), Some(1_577_923_200_005));
        assert_eq!(read("dd/MM/yyyy", "+05:30", "02/01/2020"), Some(1_577_903_400_000));
    }

    #[test]
    fn iso_with_offset_wins_over_the_zone() {
        let format = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";
        assert_eq!(read(format, "UTC", "2020-01-02T08:00:00.000+08:00"), Some(1_577_923_200_000));
        assert_eq!(read(format, "GMT+8", "2020-01-02T00:00:00.000Z"), Some(1_577_923_200_000));
        assert_eq!(read(format, "GMT+8", "2020-01-02T00:00:00.000+0000"), Some(1_577_923_200_000));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in ["", "2020", "2020-13-01", "2021-02-29", "2020-01-02 ", "20x0-01-02", "2020-01-02Z", "ü"] {
            assert_eq!(read("yyyy-MM-dd", "UTC", text), None, "{text}");
        }
        assert_eq!(read("timestamp", "UTC", "12.5"), None);
        assert_eq!(read("yyyyMMdd", "UTC", "2020012"), None);
    }

    #[test]
    fn unknown_letters_and_zones_are_named() {
        assert!(DateFormat::compile("yyyy-MM-dd hh:mm a").unwrap_err().contains("\"h\""));
        assert!(DateFormat::compile("HH:mm").unwrap_err().contains("no year"));
        assert!(read_zone("Moon/Base").unwrap_err().contains("Moon/Base"));
        assert_eq!(read_zone("GMT-3").unwrap().to_fixed_offset().unwrap().seconds(), -10_800);
    }
}
