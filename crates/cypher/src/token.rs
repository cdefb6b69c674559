//! Words, literals and signs of a text.

use cypher_value::Detail;

use crate::error::{Error, Result, Span};
use crate::limits::TEXT_BYTES_MAX;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A word, which may be a keyword.
    Word(String),
    /// A name in backquotes.
    Quoted(String),
    /// A whole number without its sign, at most 2^63.
    Int(u64),
    Float(f64),
    Text(String),
    Param(String),
    /// A sign of one or two characters.
    Sign(&'static str),
    End,
}

/// A token and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Signs, the longer ones first.
const SIGNS: [&str; 31] = [
    "<=", ">=", "<>", "!=", "=~", "+=", "..", "||", "(", ")", "[", "]", "{", "}", ",", ".", ":", ";", "|", "&", "!",
    "+", "-", "*", "/", "%", "^", "=", "<", ">", "$",
];

/// The tokens of a text, with one at its end.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>> {
    if text.len() > TEXT_BYTES_MAX {
        let message = format!("the query has {} bytes, the limit is {TEXT_BYTES_MAX} (TEXT_BYTES_MAX)", text.len());
        return Err(Error::syntax(Detail::None, Span::default(), message));
    }
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        lexer.skip_blank()?;
        let start = lexer.at;
        let kind = lexer.next()?;
        let is_end = kind == Kind::End;
        tokens.push(Token { kind, span: Span { start, end: lexer.at } });
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn error(&self, detail: Detail, start: usize, message: impl Into<String>) -> Error {
        Error::syntax(detail, Span { start, end: self.at.max(start) }, message)
    }

    /// Takes characters as long as they are wanted.
    fn take(&mut self, mut is_wanted: impl FnMut(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !is_wanted(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    fn skip_blank(&mut self) -> Result<()> {
        loop {
            self.take(|c| c.is_whitespace() || c == '\u{feff}' || ('\u{1c}'..='\u{1f}').contains(&c));
            let rest = self.rest();
            if rest.starts_with("//") {
                self.take(|c| c != '\n');
            } else if rest.starts_with("/*") {
                let Some(length) = rest.get(2..).and_then(|inner| inner.find("*/")) else {
                    return Err(self.error(Detail::UnexpectedSyntax, self.at, "the comment does not end"));
                };
                self.at += length + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Result<Kind> {
        let Some(first) = self.peek() else { return Ok(Kind::End) };
        let rest = self.rest();
        match first {
            '\'' | '"' => self.string(),
            '`' => Ok(Kind::Quoted(self.quoted()?)),
            '0'..='9' => self.number(),
            '.' if rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) && !self.follows_dot() => self.number(),
            '$' => self.param(),
            c if is_word_start(c) => Ok(Kind::Word(self.take(is_word_part).to_owned())),
            _ => {
                if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                    self.at += sign.len();
                    return Ok(Kind::Sign(sign));
                }
                let start = self.at;
                self.bump();
                if first.is_ascii() {
                    return Err(self.error(Detail::UnexpectedSyntax, start, format!("unexpected character '{first}'")));
                }
                Err(self.error(Detail::InvalidUnicodeCharacter, start, format!("invalid character '{first}'")))
            }
        }
    }

    /// Whether the point before belongs to `..`.
    fn follows_dot(&self) -> bool {
        self.at.checked_sub(1).and_then(|before| self.text.as_bytes().get(before)) == Some(&b'.')
    }

    fn param(&mut self) -> Result<Kind> {
        self.bump();
        match self.peek() {
            Some('`') => Ok(Kind::Param(self.quoted()?)),
            Some(c) if is_word_part(c) => Ok(Kind::Param(self.take(is_word_part).to_owned())),
            _ => Ok(Kind::Sign("$")),
        }
    }

    fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        self.bump();
        let mut name = String::new();
        loop {
            name.push_str(self.take(|c| c != '`'));
            if self.bump().is_none() {
                return Err(self.error(Detail::UnexpectedSyntax, start, "the name in backquotes does not end"));
            }
            if self.peek() != Some('`') {
                return Ok(name);
            }
            self.bump();
            name.push('`');
        }
    }

    fn string(&mut self) -> Result<Kind> {
        let start = self.at;
        let quote = self.bump().unwrap_or('\'');
        let mut text = String::new();
        loop {
            text.push_str(self.take(|c| c != quote && c != '\\'));
            match self.bump() {
                None => {
                    return Err(self.error(
                        Detail::UnexpectedSyntax,
                        start,
                        "the text does not end: a quote is missing",
                    ));
                }
                Some('\\') => text.push(self.escape()?),
                Some(_) => return Ok(Kind::Text(text)),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let start = self.at.saturating_sub(1);
        let digits = match self.bump() {
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('b') => return Ok('\u{8}'),
            Some('f') => return Ok('\u{c}'),
            Some(c @ ('\\' | '\'' | '"' | '`')) => return Ok(c),
            Some('u') => 4,
            Some('U') => 8,
            _ => return Err(self.error(Detail::UnexpectedSyntax, start, "unknown escape in a text")),
        };
        let first = self.hex(digits, start)?;
        let code = match first {
            // A pair of surrogates is one character.
            0xD800..=0xDBFF if self.rest().starts_with("\\u") => {
                self.at += 2;
                let second = self.hex(4, start)?;
                match second {
                    0xDC00..=0xDFFF => 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00),
                    _ => first,
                }
            }
            _ => first,
        };
        char::from_u32(code)
            .ok_or_else(|| self.error(Detail::InvalidUnicodeLiteral, start, "the escape is no Unicode character"))
    }

    fn hex(&mut self, digits: usize, start: usize) -> Result<u32> {
        let text = self.rest().get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(text) = text else {
            let message = format!("a Unicode escape needs {digits} hexadecimal digits");
            return Err(self.error(Detail::InvalidUnicodeLiteral, start, message));
        };
        self.at += digits;
        u32::from_str_radix(text, 16)
            .map_err(|_| self.error(Detail::InvalidUnicodeLiteral, start, "the escape is no Unicode character"))
    }

    fn number(&mut self) -> Result<Kind> {
        let start = self.at;
        let bytes = self.rest().as_bytes();
        let radix = match (bytes.first(), bytes.get(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => Some(16),
            (Some(b'0'), Some(b'o' | b'O')) => Some(8),
            _ => None,
        };
        if let Some(radix) = radix {
            self.at += 2;
            let digits = self.take(is_word_part);
            return self.whole(digits, radix, start);
        }
        let digits = self.take(|c| c.is_ascii_digit() || c == '_');
        let mut is_float = false;
        let rest = self.rest().as_bytes();
        if rest.first() == Some(&b'.') && rest.get(1).is_some_and(u8::is_ascii_digit) {
            is_float = true;
            self.bump();
            self.take(|c| c.is_ascii_digit() || c == '_');
        }
        let rest = self.rest().as_bytes();
        let sign = usize::from(matches!(rest.get(1), Some(b'+' | b'-')));
        if matches!(rest.first(), Some(b'e' | b'E')) && rest.get(1 + sign).is_some_and(u8::is_ascii_digit) {
            is_float = true;
            self.at += 1 + sign;
            self.take(|c| c.is_ascii_digit() || c == '_');
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        if is_float && self.peek().is_some_and(|c| matches!(c, 'f' | 'F' | 'd' | 'D')) {
            self.bump();
        }
        if self.peek().is_some_and(is_word_part) {
            self.take(is_word_part);
            // The key of a map cannot begin with a digit.
            if self.text.get(..start).is_some_and(|before| before.trim_end().ends_with('{')) {
                return Err(self.error(Detail::UnexpectedSyntax, start, "a key cannot begin with a digit"));
            }
            return Err(self.error(Detail::InvalidNumberLiteral, start, "the number contains other characters"));
        }
        if !is_float {
            return self.whole(digits, 10, start);
        }
        let number: f64 = text
            .replace('_', "")
            .parse()
            .map_err(|_| self.error(Detail::InvalidNumberLiteral, start, "this is not a number"))?;
        if number.is_infinite() {
            return Err(self.error(Detail::FloatingPointOverflow, start, format!("the number {text} is too large")));
        }
        Ok(Kind::Float(number))
    }

    fn whole(&self, digits: &str, radix: u32, start: usize) -> Result<Kind> {
        let digits = digits.replace('_', "");
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(self.error(Detail::InvalidNumberLiteral, start, "the number contains other characters"));
        }
        let number = u64::from_str_radix(&digits, radix).ok().filter(|number| *number <= 1 << 63);
        number.map(Kind::Int).ok_or_else(|| {
            self.error(Detail::IntegerOverflow, start, "the integer does not fit into 64 bits with a sign")
        })
    }
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
