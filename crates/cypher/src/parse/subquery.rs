//! Expressions with words: functions, CASE, comprehensions, subqueries.

use cypher_value::Detail;

use super::Parser;
use crate::ast::{BinaryOp, Clause, Expr, ExprKind, Item, Match, Part, Projection, Quantifier, Query, SubqueryKind};
use crate::error::{Error, Result, Span};
use crate::token::Kind;

/// Words that are operators or begin a clause, and so no names of variables.
const RESERVED: [&str; 12] =
    ["AND", "OR", "XOR", "IN", "WHERE", "RETURN", "AS", "THEN", "WHEN", "ELSE", "STARTS", "CONTAINS"];

impl Parser<'_> {
    /// An expression that begins with a word.
    pub(super) fn word(&mut self) -> Result<Expr> {
        let span = self.span();
        let Kind::Word(word) = self.kind() else { return Err(self.unexpected("a name")) };
        let upper = word.to_ascii_uppercase();
        let is_call = self.peek_sign(1, "(");
        let is_block = self.peek_sign(1, "{");
        let leaf = match upper.as_str() {
            "NULL" => Some(ExprKind::Null),
            "TRUE" => Some(ExprKind::Bool(true)),
            "FALSE" => Some(ExprKind::Bool(false)),
            "INF" | "INFINITY" if !is_call && !self.peek_sign(1, ".") => Some(ExprKind::Float(f64::INFINITY)),
            "NAN" if !is_call && !self.peek_sign(1, ".") => Some(ExprKind::Float(f64::NAN)),
            _ => None,
        };
        if let Some(leaf) = leaf
            && !is_call
        {
            self.bump()?;
            return self.make(leaf, span, 0);
        }
        match upper.as_str() {
            "CASE" if !self.peek_sign(1, ".") && !is_call => return self.nested(Self::case),
            "EXISTS" if is_block => return self.subquery_expr(SubqueryKind::Exists),
            "COUNT" if is_block => return self.subquery_expr(SubqueryKind::Count),
            "COLLECT" if is_block => return self.subquery_expr(SubqueryKind::Collect),
            "COUNT" if is_call && self.peek_sign(2, "*") && self.peek_sign(3, ")") => {
                self.at += 4;
                return self.make(ExprKind::CountStar, span.to(self.last_span()), 0);
            }
            "ALL" if is_call => return self.quantified(Quantifier::All),
            "ANY" if is_call => return self.quantified(Quantifier::Any),
            "NONE" if is_call => return self.quantified(Quantifier::None),
            "SINGLE" if is_call => return self.quantified(Quantifier::Single),
            "REDUCE" if is_call => return self.nested(Self::reduce),
            "TRIM" if is_call => {
                if let Some(trim) = self.guess(Self::trim)? {
                    return Ok(trim);
                }
            }
            "SHORTESTPATH" | "ALLSHORTESTPATHS" if is_call => {
                let pattern = self.pattern()?;
                let span = pattern.span;
                return self.make(ExprKind::Pattern(Box::new(pattern)), span, 1);
            }
            _ => {}
        }
        if let Some(call) = self.call()? {
            return Ok(call);
        }
        if RESERVED.contains(&upper.as_str()) {
            return Err(self.unexpected("an expression"));
        }
        self.variable()
    }

    /// `a.b.name(..)`, if it is one.
    fn call(&mut self) -> Result<Option<Expr>> {
        let mut ahead = 0;
        while matches!(self.token(ahead), Kind::Word(_) | Kind::Quoted(_)) {
            if self.peek_sign(ahead + 1, ".") {
                ahead += 2;
            } else if self.peek_sign(ahead + 1, "(") {
                return self.nested(|parser| parser.call_of(ahead)).map(Some);
            } else {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn call_of(&mut self, points: usize) -> Result<Expr> {
        let start = self.span();
        let mut name = self.name("a function")?.text;
        for _ in 0..points / 2 {
            self.want_sign(".")?;
            name = name + "." + &self.name("a function")?.text;
        }
        self.want_sign("(")?;
        let is_distinct = self.take_word("DISTINCT");
        if !is_distinct
            && self.is_word("ALL")
            && !self.peek_sign(1, "(")
            && !self.peek_sign(1, ",")
            && !self.peek_sign(1, ")")
        {
            self.bump()?;
        }
        let mut arguments = if self.is_sign(")") { Vec::new() } else { self.list(Self::expr)? };
        self.want_sign(")")?;
        if name.eq_ignore_ascii_case("normalize")
            && let [_, Expr { kind, .. }] = arguments.as_mut_slice()
            && let ExprKind::Variable(form) = kind
            && ["NFC", "NFD", "NFKC", "NFKD"].contains(&form.to_ascii_uppercase().as_str())
        {
            *kind = ExprKind::Text(form.clone());
        }
        let height = arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        let span = start.to(self.last_span());
        if name.eq_ignore_ascii_case("exists")
            && let [Expr { kind: ExprKind::Pattern(_) | ExprKind::Property(..) | ExprKind::Index(..), .. }] =
                arguments.as_slice()
        {
            return self.exists(arguments, span, height);
        }
        self.make(ExprKind::Call { name, is_distinct, arguments }, span, height)
    }

    /// `exists(n.key)` and `exists((a)-->(b))`, the form before EXISTS {}.
    fn exists(&self, mut arguments: Vec<Expr>, span: Span, height: u32) -> Result<Expr> {
        match arguments.pop() {
            Some(pattern) if matches!(pattern.kind, ExprKind::Pattern(_)) => Ok(Expr { span, ..pattern }),
            Some(property) => self.make(ExprKind::IsNull(Box::new(property), true), span, height),
            None => Err(self.unexpected("an argument")),
        }
    }

    /// `trim(BOTH 'x' FROM text)`
    fn trim(&mut self) -> Result<Option<Expr>> {
        let start = self.span();
        self.at += 2;
        let side = if self.take_word("BOTH") {
            "btrim"
        } else if self.take_word("LEADING") {
            "ltrim"
        } else if self.take_word("TRAILING") {
            "rtrim"
        } else {
            return Ok(None);
        };
        let characters = if self.is_word("FROM") { None } else { Some(self.expr()?) };
        self.want_word("FROM")?;
        let text = self.expr()?;
        self.want_sign(")")?;
        let height = characters.iter().map(|it| it.height).fold(text.height, u32::max);
        let arguments = std::iter::once(text).chain(characters).collect();
        let kind = ExprKind::Call { name: side.to_owned(), is_distinct: false, arguments };
        self.make(kind, start.to(self.last_span()), height).map(Some)
    }

    fn case(&mut self) -> Result<Expr> {
        let start = self.span();
        self.want_word("CASE")?;
        let subject = if self.is_word("WHEN") { None } else { Some(Box::new(self.expr()?)) };
        let mut height = subject.as_ref().map_or(0, |subject| subject.height);
        let mut branches = Vec::new();
        while self.take_word("WHEN") {
            let mut tests = Vec::new();
            loop {
                tests.push(self.case_test(subject.as_deref())?);
                if !self.take_sign(",") {
                    break;
                }
            }
            self.want_word("THEN")?;
            let result = self.expr()?;
            height = height.max(result.height);
            for test in tests {
                height = height.max(test.height);
                branches.push((test, result.clone()));
            }
        }
        if branches.is_empty() {
            return Err(self.unexpected("WHEN"));
        }
        let otherwise = if self.take_word("ELSE") { Some(Box::new(self.expr()?)) } else { None };
        height = height.max(otherwise.as_ref().map_or(0, |otherwise| otherwise.height));
        self.want_word("END")?;
        self.make(ExprKind::Case { subject, branches, otherwise }, start.to(self.last_span()), height)
    }

    /// A value to compare with, or the rest of a condition: `> 3`, `IS NULL`.
    fn case_test(&mut self, subject: Option<&Expr>) -> Result<Expr> {
        let Some(subject) = subject else { return self.expr() };
        let op = match self.kind() {
            Kind::Sign("=") => BinaryOp::Eq,
            Kind::Sign("<>") => BinaryOp::Ne,
            Kind::Sign("<") => BinaryOp::Lt,
            Kind::Sign("<=") => BinaryOp::Le,
            Kind::Sign(">") => BinaryOp::Gt,
            Kind::Sign(">=") => BinaryOp::Ge,
            _ => return self.expr(),
        };
        self.bump()?;
        let right = self.expr()?;
        let (span, height) = (right.span, subject.height.max(right.height));
        let condition = ExprKind::Binary(op, Box::new(subject.clone()), Box::new(right));
        // `CASE x WHEN > 3` holds where the condition does: it is compared with true as a chain of one link.
        let condition = self.make(condition, span, height)?;
        self.make(ExprKind::Chain(Box::new(condition), Vec::new()), span, height + 1)
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Result<Expr> {
        self.nested(|parser| {
            let start = parser.span();
            parser.at += 2;
            let name = parser.name("a name")?;
            parser.want_word("IN")?;
            let list = parser.expr()?;
            parser.want_word("WHERE")?;
            let filter = parser.expr()?;
            parser.want_sign(")")?;
            let height = list.height.max(filter.height);
            let kind = ExprKind::Quantified { quantifier, name, list: Box::new(list), filter: Box::new(filter) };
            parser.make(kind, start.to(parser.last_span()), height)
        })
    }

    fn reduce(&mut self) -> Result<Expr> {
        let start = self.span();
        self.at += 2;
        let accumulator = self.name("a name")?;
        self.want_sign("=")?;
        let init = Box::new(self.expr()?);
        self.want_sign(",")?;
        let name = self.name("a name")?;
        self.want_word("IN")?;
        let list = Box::new(self.expr()?);
        self.want_sign("|")?;
        let body = Box::new(self.expr()?);
        self.want_sign(")")?;
        let height = init.height.max(list.height).max(body.height);
        let kind = ExprKind::Reduce { accumulator, init, name, list, body };
        self.make(kind, start.to(self.last_span()), height)
    }

    /// `[..]`: a list or a comprehension.
    pub(super) fn bracket(&mut self) -> Result<Expr> {
        self.nested(|parser| {
            let is_name = matches!(parser.token(1), Kind::Word(_) | Kind::Quoted(_));
            if is_name && parser.peek_word(2, "IN") {
                return parser.list_comprehension();
            }
            if (parser.peek_sign(1, "(") || (is_name && parser.peek_sign(2, "=") && parser.peek_sign(3, "(")))
                && let Some(comprehension) = parser.guess(|parser| parser.pattern_comprehension().map(Some))?
            {
                return Ok(comprehension);
            }
            let start = parser.span();
            parser.want_sign("[")?;
            let items = if parser.is_sign("]") { Vec::new() } else { parser.list(Self::expr)? };
            parser.want_sign("]")?;
            let height = items.iter().map(|item| item.height).max().unwrap_or(0);
            parser.make(ExprKind::List(items), start.to(parser.last_span()), height)
        })
    }

    fn list_comprehension(&mut self) -> Result<Expr> {
        let start = self.span();
        self.want_sign("[")?;
        let name = self.name("a name")?;
        self.want_word("IN")?;
        let list = Box::new(self.expr()?);
        let filter = if self.take_word("WHERE") { Some(Box::new(self.expr()?)) } else { None };
        let map = if self.take_sign("|") { Some(Box::new(self.expr()?)) } else { None };
        self.want_sign("]")?;
        let inner = [filter.as_ref(), map.as_ref()];
        let height = inner.iter().flatten().map(|it| it.height).fold(list.height, u32::max);
        let kind = ExprKind::ListComprehension { name, list, filter, map };
        self.make(kind, start.to(self.last_span()), height)
    }

    fn pattern_comprehension(&mut self) -> Result<Expr> {
        let start = self.span();
        self.want_sign("[")?;
        let pattern = Box::new(self.pattern()?);
        if pattern.steps.is_empty() {
            return Err(self.unexpected("a relationship"));
        }
        let filter = if self.take_word("WHERE") { Some(Box::new(self.expr()?)) } else { None };
        self.want_sign("|")?;
        let map = Box::new(self.expr()?);
        self.want_sign("]")?;
        let height = filter.as_ref().map_or(0, |filter| filter.height).max(map.height).max(pattern_height(&pattern));
        let kind = ExprKind::PatternComprehension { pattern, filter, map };
        self.make(kind, start.to(self.last_span()), height)
    }

    /// `(a)-->(b)` as an expression.
    pub(super) fn pattern_expr(&mut self) -> Result<Option<Expr>> {
        let Some(close) = self.pairs.get(self.at).copied().flatten() else { return Ok(None) };
        let after = close - self.at;
        let begins_step = match self.token(after + 1) {
            Kind::Sign("-") => self.peek_sign(after + 2, "-") || self.peek_sign(after + 2, "["),
            Kind::Sign("<") => self.peek_sign(after + 2, "-"),
            _ => false,
        };
        if !begins_step {
            return Ok(None);
        }
        let pattern = self.pattern()?;
        if pattern.steps.is_empty() {
            return Ok(None);
        }
        let (span, height) = (pattern.span, pattern_height(&pattern));
        self.make(ExprKind::Pattern(Box::new(pattern)), span, height).map(Some)
    }

    /// `EXISTS { .. }`: a query, or patterns with a condition.
    fn subquery_expr(&mut self, kind: SubqueryKind) -> Result<Expr> {
        self.nested(|parser| {
            let start = parser.span();
            parser.bump()?;
            parser.want_sign("{")?;
            let is_pattern = !parser.begins_clause();
            let query = if is_pattern { parser.bare_match(kind)? } else { parser.query(true)? };
            parser.want_sign("}")?;
            let span = start.to(parser.last_span());
            parser.make(ExprKind::Subquery(kind, Box::new(query)), span, 1)
        })
    }

    fn bare_match(&mut self, kind: SubqueryKind) -> Result<Query> {
        let start = self.span();
        if kind == SubqueryKind::Collect {
            return Err(self.unexpected("a query that ends with RETURN"));
        }
        let patterns = self.list(Self::pattern)?;
        let filter = if self.take_word("WHERE") { Some(self.expr()?) } else { None };
        let span = start.to(self.last_span());
        let found = Match { is_optional: false, patterns, filter, span };
        Ok(Query { parts: vec![Part { clauses: vec![Clause::Match(found)] }], keeps_duplicates: true, span })
    }

    /// Whether a clause begins here.
    pub(super) fn begins_clause(&self) -> bool {
        const BEGINNINGS: [&str; 12] =
            ["MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL", "CREATE", "MERGE", "SET", "DELETE", "FOR", "LET"];
        BEGINNINGS.iter().any(|word| self.is_word(word))
            && !self.peek_sign(1, "=")
            && (!self.is_word("FOR") || self.peek_word(2, "IN"))
    }

    /// A column.
    pub(super) fn item(&mut self) -> Result<Item> {
        let start = self.span();
        let expr = self.expr()?;
        if self.take_word("AS") {
            let name = self.name("a name")?.text;
            return Ok(Item { expr, name, has_alias: true });
        }
        let text = self.text.get(start.start..self.last_span().end).unwrap_or("");
        let name = match &expr.kind {
            ExprKind::Variable(name) => name.clone(),
            _ => text.trim().to_owned(),
        };
        Ok(Item { expr, name, has_alias: false })
    }

    /// A projection without anything but its items.
    pub(super) fn plain_projection(&self, span: Span) -> Projection {
        Projection {
            is_distinct: false,
            has_star: true,
            items: Vec::new(),
            order: Vec::new(),
            skip: None,
            limit: None,
            filter: None,
            is_let: false,
            span,
        }
    }

    /// Refuses what is known but not carried out.
    pub(super) fn refused<T>(&self, what: &str) -> Result<T> {
        let kind = cypher_value::ErrorKind::SyntaxError;
        Err(Error::new(kind, Detail::UnexpectedSyntax, self.span(), format!("{what} is not supported")))
    }
}

fn pattern_height(pattern: &crate::ast::Pattern) -> u32 {
    let nodes = std::iter::once(&pattern.start).chain(pattern.steps.iter().map(|(_, node)| node));
    let in_nodes = nodes.flat_map(|node| node.properties.iter().chain(node.filter.as_deref()));
    let in_steps = pattern.steps.iter().flat_map(|(step, _)| step.properties.iter().chain(step.filter.as_deref()));
    in_nodes.chain(in_steps).map(|expr| expr.height).max().unwrap_or(0) + 1
}
