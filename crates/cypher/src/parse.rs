//! Text to tree, by recursive descent.

mod clause;
mod command;
mod expr;
mod pattern;
mod subquery;

use cypher_value::Detail;

use crate::ast::{Body, Expr, ExprKind, Mode, Name, Statement};
use crate::error::{Error, Result, Span};
use crate::limits::{CLAUSES_MAX, HEIGHT_MAX, NESTING_MAX};
use crate::token::{Kind, Token, tokens};

/// Reads a statement.
///
/// # Errors
/// The text is not Cypher, or beyond a limit.
pub fn parse(text: &str) -> Result<Statement> {
    let tokens = tokens(text)?;
    let pairs = pairs(&tokens);
    let steps_max = tokens.len().saturating_mul(64) + 10_000;
    let mut parser = Parser { text, tokens, pairs, at: 0, depth: 0, clauses: 0, steps: 0, steps_max };
    parser.statement()
}

/// For each opening parenthesis the token that closes it.
fn pairs(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign("(") => open.push(at),
            Kind::Sign(")") => {
                if let Some(slot) = open.pop().and_then(|open| pairs.get_mut(open)) {
                    *slot = Some(at);
                }
            }
            _ => {}
        }
    }
    pairs
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    pairs: Vec<Option<usize>>,
    at: usize,
    depth: usize,
    clauses: usize,
    /// Tokens taken, those that were taken again after a wrong guess included.
    steps: usize,
    steps_max: usize,
}

impl Parser<'_> {
    fn statement(&mut self) -> Result<Statement> {
        let mode = self.preamble()?;
        let graph = if self.take_word("USE") { Some(self.graph_name()?) } else { None };
        let body = match self.command()? {
            Some(command) => Body::Command(Box::new(command)),
            None => Body::Query(self.query(false)?),
        };
        self.take_sign(";");
        if *self.kind() != Kind::End {
            return Err(self.unexpected("the end of the query"));
        }
        Ok(Statement { mode, graph, body })
    }

    /// `CYPHER 5 runtime=slotted EXPLAIN`
    fn preamble(&mut self) -> Result<Mode> {
        let mut mode = Mode::Run;
        loop {
            if self.take_word("EXPLAIN") {
                mode = Mode::Explain;
            } else if self.take_word("PROFILE") {
                mode = Mode::Profile;
            } else if self.is_word("CYPHER") {
                self.bump()?;
                if matches!(self.kind(), Kind::Int(_) | Kind::Float(_)) {
                    self.bump()?;
                }
                while matches!(self.kind(), Kind::Word(_)) && self.peek_sign(1, "=") {
                    self.bump()?;
                    self.bump()?;
                    self.bump()?;
                }
            } else {
                return Ok(mode);
            }
        }
    }

    fn graph_name(&mut self) -> Result<Name> {
        let mut name = self.name("the name of a graph")?;
        while self.take_sign(".") {
            let part = self.name("the name of a graph")?;
            name = Name { text: format!("{}.{}", name.text, part.text), span: name.span.to(part.span) };
        }
        Ok(name)
    }

    // What comes next.

    fn token(&self, ahead: usize) -> &Kind {
        self.tokens.get(self.at + ahead).map_or(&Kind::End, |token| &token.kind)
    }

    fn kind(&self) -> &Kind {
        self.token(0)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map(|token| token.span).unwrap_or_default()
    }

    /// The span of the token before.
    fn last_span(&self) -> Span {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|token| token.span).unwrap_or_default()
    }

    fn is_sign(&self, sign: &str) -> bool {
        self.peek_sign(0, sign)
    }

    fn peek_sign(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.token(ahead), Kind::Sign(own) if *own == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.peek_word(0, word)
    }

    fn peek_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.token(ahead), Kind::Word(own) if own.eq_ignore_ascii_case(word))
    }

    fn is_words(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(ahead, word)| self.peek_word(ahead, word))
    }

    // Taking what comes next.

    fn bump(&mut self) -> Result<Token> {
        self.steps += 1;
        if self.steps > self.steps_max {
            return Err(Error::syntax(
                Detail::None,
                self.span(),
                "the query is too ambiguous to be read: use fewer nested parentheses",
            ));
        }
        let token = self.tokens.get(self.at).or(self.tokens.last()).cloned();
        self.at = (self.at + 1).min(self.tokens.len().saturating_sub(1));
        Ok(token.unwrap_or(Token { kind: Kind::End, span: Span::default() }))
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = self.is_sign(sign);
        if is_there {
            self.at += 1;
        }
        is_there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        if is_there {
            self.at += 1;
        }
        is_there
    }

    fn take_words(&mut self, words: &[&str]) -> bool {
        let is_there = self.is_words(words);
        if is_there {
            self.at += words.len();
        }
        is_there
    }

    fn want_sign(&mut self, sign: &str) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("'{sign}'"))) }
    }

    fn want_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(word)) }
    }

    fn is_name(&self) -> bool {
        matches!(self.kind(), Kind::Word(_) | Kind::Quoted(_))
    }

    fn name(&mut self, what: &str) -> Result<Name> {
        if !self.is_name() {
            return Err(self.unexpected(what));
        }
        let Token { kind, span } = self.bump()?;
        match kind {
            Kind::Word(text) | Kind::Quoted(text) => Ok(Name { text, span }),
            _ => Err(self.unexpected(what)),
        }
    }

    /// What is there is not what is wanted.
    fn unexpected(&self, wanted: &str) -> Error {
        let got = match self.kind() {
            Kind::End => "the end of the query".to_owned(),
            _ => {
                let span = self.span();
                let text = self.text.get(span.start..span.end).unwrap_or("");
                format!("'{}'", text.chars().take(40).collect::<String>())
            }
        };
        Error::syntax(Detail::UnexpectedSyntax, self.span(), format!("Invalid input {got}: expected {wanted}"))
    }

    // Bounds.

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= NESTING_MAX {
            let message = format!("the query is nested more than {NESTING_MAX} deep (NESTING_MAX)");
            return Err(Error::syntax(Detail::None, self.span(), message));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn count_clause(&mut self) -> Result<()> {
        self.clauses += 1;
        if self.clauses > CLAUSES_MAX {
            let message = format!("the query has more than {CLAUSES_MAX} clauses (CLAUSES_MAX)");
            return Err(Error::syntax(Detail::None, self.span(), message));
        }
        Ok(())
    }

    /// An expression over others of the given height.
    fn make(&self, kind: ExprKind, span: Span, below: u32) -> Result<Expr> {
        if below >= HEIGHT_MAX {
            let message = format!("the expression is nested more than {HEIGHT_MAX} deep (HEIGHT_MAX)");
            return Err(Error::syntax(Detail::None, span, message));
        }
        Ok(Expr { kind, span, height: below + 1 })
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take_sign(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
