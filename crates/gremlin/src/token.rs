//! Tokens of scripts. The lexer makes one at a time, so that a long script costs no memory for those to come.

use compact_str::CompactString;

use crate::error::{Error, ErrorKind, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A name.
    Name(CompactString),
    /// The text of a number without its sign.
    Number(CompactString),
    /// The content of a string.
    Text(CompactString),
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of the script.
    End,
}

impl Kind {
    /// How errors call it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Name(name) => format!("'{}'", shorten(name)),
            Self::Number(text) => format!("number {}", shorten(text)),
            Self::Text(_) => "a string".to_owned(),
            Self::Sign(sign) => format!("'{sign}'"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// The first characters of a text that may be long.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

/// A token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// Whether a line ends between the token before and this one.
    pub(crate) after_newline: bool,
}

/// Longer ones first, as the first that fits is taken.
const SIGNS: [&str; 46] = [
    "<=>", "..<", "===", "**=", "..", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "?.", "?:", "*.", "=~",
    "+=", "-=", "++", "--", "::", "(", ")", "[", "]", "{", "}", ",", ";", ".", ":", "=", "+", "-", "*", "/", "%", "<",
    ">", "!", "?", "&", "|", "@",
];

pub(crate) struct Lexer<'s> {
    script: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(script: &'s str) -> Self {
        Self { script, at: 0 }
    }

    fn rest(&self) -> &'s str {
        self.script.get(self.at..).unwrap_or_default()
    }

    fn error(&self, kind: ErrorKind, start: usize) -> Error {
        Error::at(kind, Span { start, end: self.at.max(start) })
    }

    /// The next token; after the end, the end again.
    pub(crate) fn token(&mut self) -> Result<Token, Error> {
        let after_newline = self.skip_blank()?;
        let start = self.at;
        let kind = self.kind()?;
        Ok(Token { kind, span: Span { start, end: self.at }, after_newline })
    }

    fn kind(&mut self) -> Result<Kind, Error> {
        let rest = self.rest();
        let start = self.at;
        let mut characters = rest.chars();
        let Some(first) = characters.next() else { return Ok(Kind::End) };
        let second_is_digit = characters.next().is_some_and(|c| c.is_ascii_digit());
        if first.is_ascii_digit() || (first == '.' && second_is_digit) {
            return self.number();
        }
        if is_name_start(first) {
            let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
            self.at += length;
            return Ok(Kind::Name(rest.get(..length).unwrap_or_default().into()));
        }
        if matches!(first, '"' | '\'') {
            return self.text(first);
        }
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            self.at += sign.len();
            return Ok(Kind::Sign(sign));
        }
        self.at += first.len_utf8();
        Err(self.error(ErrorKind::Character { character: first }, start))
    }

    /// Skips blanks and comments; whether a line ended.
    fn skip_blank(&mut self) -> Result<bool, Error> {
        let mut newline = self.at == 0;
        loop {
            let rest = self.rest();
            let blank = rest.find(|c: char| !c.is_whitespace() && c != '\u{feff}').unwrap_or(rest.len());
            newline |= rest.get(..blank).is_some_and(|blank| blank.contains('\n'));
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") || (self.at == 0 && rest.starts_with("#!")) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let start = self.at;
                let Some(length) = rest.find("*/") else {
                    return Err(self.error(ErrorKind::NotClosed { what: "a comment" }, start));
                };
                newline |= rest.get(..length).is_some_and(|comment| comment.contains('\n'));
                self.at += length + 2;
            } else {
                return Ok(newline);
            }
        }
    }

    /// Takes the characters of the number as far as they could belong to one; [`crate::literal`] gives them a meaning.
    fn number(&mut self) -> Result<Kind, Error> {
        let start = self.at;
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let digits = |mut at: usize| {
            while byte(at).is_ascii_digit() || byte(at) == b'_' {
                at += 1;
            }
            at
        };
        let mut at;
        if byte(0) == b'0' && matches!(byte(1), b'x' | b'X') {
            at = 2;
            while byte(at).is_ascii_hexdigit() || byte(at) == b'_' {
                at += 1;
            }
        } else {
            at = digits(0);
            if byte(at) == b'.' && byte(at + 1).is_ascii_digit() {
                at = digits(at + 1);
            }
            let sign = usize::from(matches!(byte(at + 1), b'+' | b'-'));
            if matches!(byte(at), b'e' | b'E') && byte(at + 1 + sign).is_ascii_digit() {
                at = digits(at + 1 + sign);
            }
        }
        // A suffix, or letters that make the number wrong.
        let tail = rest.get(at..).unwrap_or_default();
        at += tail.find(|c| !is_name_part(c)).unwrap_or(tail.len());
        self.at += at;
        let text = rest.get(..at).unwrap_or_default();
        if text.len() > crate::limits::NUMBER_DIGITS_MAX {
            let kind = ErrorKind::TooLarge {
                what: "digits of a number",
                limit: "NUMBER_DIGITS_MAX",
                max: crate::limits::NUMBER_DIGITS_MAX,
            };
            return Err(self.error(kind, start));
        }
        Ok(Kind::Number(text.into()))
    }

    fn text(&mut self, quote: char) -> Result<Kind, Error> {
        let start = self.at;
        let triple = if quote == '"' { "\"\"\"" } else { "'''" };
        let single = triple.get(..1).unwrap_or_default();
        // Two quotes are an empty string, three begin a string over lines.
        let closing = if self.rest().starts_with(triple) { triple } else { single };
        self.at += closing.len();
        let mut content = CompactString::default();
        loop {
            let rest = self.rest();
            if rest.starts_with(closing) {
                self.at += closing.len();
                return Ok(Kind::Text(content));
            }
            let plain = rest.find(['\\', quote]).unwrap_or(rest.len());
            content.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            let mut after = rest.get(plain..).unwrap_or_default().chars();
            match after.next() {
                None => return Err(self.error(ErrorKind::NotClosed { what: "a string" }, start)),
                Some('\\') => self.escape(&mut content)?,
                Some(_) if after.as_str().is_empty() || closing == triple => {
                    if !self.rest().starts_with(closing) {
                        content.push(quote);
                        self.at += quote.len_utf8();
                    }
                }
                Some(_) => {}
            }
        }
    }

    fn escape(&mut self, content: &mut CompactString) -> Result<(), Error> {
        let start = self.at;
        let rest = self.rest();
        let escape = rest.chars().nth(1);
        let (character, length) = match escape {
            Some('b') => ('\u{8}', 2),
            Some('t') => ('\t', 2),
            Some('n') => ('\n', 2),
            Some('f') => ('\u{c}', 2),
            Some('r') => ('\r', 2),
            Some('s') => (' ', 2),
            Some(c @ ('"' | '\'' | '\\' | '$')) => (c, 2),
            // A line that goes on.
            Some('\n') => {
                self.at += 2;
                return Ok(());
            }
            Some('\r') if rest.chars().nth(2) == Some('\n') => {
                self.at += 3;
                return Ok(());
            }
            Some('0'..='7') => octal(rest),
            Some('u') => match unicode(rest) {
                Some(found) => found,
                None => return Err(self.escape_error(start)),
            },
            _ => return Err(self.escape_error(start)),
        };
        content.push(character);
        self.at += length;
        Ok(())
    }

    fn escape_error(&mut self, start: usize) -> Error {
        let escape: String = self.rest().chars().take(6).take_while(|c| !c.is_whitespace()).collect();
        self.at += escape.len();
        self.error(ErrorKind::Escape { escape }, start)
    }
}

/// A character and the bytes of its octal escape: up to three digits, up to 377.
fn octal(rest: &str) -> (char, usize) {
    let max = if rest.as_bytes().get(1).is_some_and(|digit| *digit <= b'3') { 3 } else { 2 };
    let digits = rest.chars().skip(1).take(max).take_while(|c| ('0'..='7').contains(c)).count();
    let code = u8::from_str_radix(rest.get(1..=digits).unwrap_or_default(), 8).unwrap_or_default();
    (char::from(code), digits + 1)
}

/// A character and the bytes of its escape, which may be two for a character beyond 16 bits.
fn unicode(rest: &str) -> Option<(char, usize)> {
    let (first, length) = unicode_unit(rest)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, length));
    }
    let (second, more) = unicode_unit(rest.get(length..)?)?;
    let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((character, length + more))
}

fn unicode_unit(rest: &str) -> Option<(u32, usize)> {
    let after = rest.strip_prefix("\\u")?;
    let digits = after.trim_start_matches('u');
    let hex = digits.get(..4).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let code = u32::from_str_radix(hex, 16).ok()?;
    Some((code, rest.len() - digits.len() + 4))
}

fn is_name_start(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphabetic()
}

fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(script: &str) -> Result<Vec<Kind>, Error> {
        let mut lexer = Lexer::new(script);
        let mut kinds = Vec::new();
        loop {
            match lexer.token()?.kind {
                Kind::End => return Ok(kinds),
                kind => kinds.push(kind),
            }
        }
    }

    fn text(script: &str) -> String {
        match kinds(script).unwrap().as_slice() {
            [Kind::Text(text)] => text.to_string(),
            other => panic!("{script}: {other:?}"),
        }
    }

    #[test]
    fn strings_of_every_form() {
        assert_eq!(text("''"), "");
        assert_eq!(text("\"it's\""), "it's");
        assert_eq!(text(r#"'say "hi"'"#), "say \"hi\"");
        assert_eq!(text(r#""\t\n\\\"\'\$""#), "\t\n\\\"'$");
        assert_eq!(text(r#""\u0041\uu0042\101\0\ud83d\ude00""#), "ABA\0\u{1f600}");
        assert_eq!(text("'a\\\nb'"), "ab");
        assert_eq!(text("'''a'b''c'''"), "a'b''c");
        assert_eq!(text("\"\"\"x \"y\" z\"\"\""), "x \"y\" z");
        for wrong in ["'", "\"abc", "'\\q'", "'\\u12'", "'\\ud83d'", "'''a''", "/* open"] {
            assert!(kinds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_end_where_they_should() {
        let numbers = |script: &str| -> Vec<String> {
            let kinds = kinds(script).unwrap();
            kinds
                .iter()
                .map(|kind| if let Kind::Number(text) = kind { text.to_string() } else { kind.describe() })
                .collect()
        };
        assert_eq!(numbers("1..3"), ["1", "'..'", "3"]);
        assert_eq!(numbers("1.5e-3f .5 0xFFl 1_000n"), ["1.5e-3f", ".5", "0xFFl", "1_000n"]);
        assert_eq!(numbers("1.next"), ["1", "'.'", "'next'"]);
    }

    #[test]
    fn comments_and_lines() {
        let mut lexer = Lexer::new("a // x\n/* y */ b c");
        let flags: Vec<bool> = (0..3).map(|_| lexer.token().unwrap().after_newline).collect();
        assert_eq!(flags, [true, true, false]);
    }
}
