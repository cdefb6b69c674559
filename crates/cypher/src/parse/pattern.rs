//! Path patterns, nodes, relationships and label expressions.

use cypher_value::Detail;

use super::Parser;
use crate::ast::{
    Direction, LabelExpr, LabelName, Length, NodePattern, Pattern, RelationshipPattern, Repeated, Shortest,
};
use crate::error::{Error, Result};
use crate::limits::STEPS_MAX;
use crate::token::Kind;

impl Parser<'_> {
    /// A path pattern with its name.
    pub(super) fn pattern(&mut self) -> Result<Pattern> {
        self.nested(|parser| {
            let start = parser.span();
            let is_named = parser.is_name() && parser.peek_sign(1, "=");
            let name = if is_named { Some(parser.name("a name")?) } else { None };
            if is_named {
                parser.want_sign("=")?;
            }
            let function = if parser.is_word("shortestPath") && parser.peek_sign(1, "(") {
                Some(Shortest::One)
            } else if parser.is_word("allShortestPaths") && parser.peek_sign(1, "(") {
                Some(Shortest::All)
            } else {
                None
            };
            let mut pattern = if function.is_some() {
                parser.at += 2;
                let inner = parser.chain()?;
                parser.want_sign(")")?;
                if inner.steps.len() != 1 {
                    let message = "shortestPath() takes a pattern of one relationship";
                    return Err(Error::syntax(Detail::UnexpectedSyntax, inner.span, message));
                }
                inner
            } else {
                let selector = parser.selector()?;
                let mut inner = parser.chain()?;
                if selector.is_some() && inner.steps.iter().any(|(step, _)| step.repeated.is_some()) {
                    return parser.refused("SHORTEST of a quantified path pattern of several elements");
                }
                inner.shortest = selector;
                inner
            };
            pattern.shortest = function.or(pattern.shortest);
            pattern.name = name;
            pattern.span = start.to(parser.last_span());
            Ok(pattern)
        })
    }

    /// `SHORTEST 1`, `ALL SHORTEST`, `ANY SHORTEST`, `ANY`, and path modes.
    fn selector(&mut self) -> Result<Option<Shortest>> {
        let selector = if self.take_words(&["ALL", "SHORTEST"]) {
            Some(Shortest::All)
        } else if self.take_words(&["ANY", "SHORTEST"]) {
            Some(Shortest::One)
        } else if self.is_word("SHORTEST") && matches!(self.token(1), Kind::Int(_)) {
            self.bump()?;
            let Kind::Int(count) = self.bump()?.kind else { return Err(self.unexpected("a number")) };
            let is_path = self.take_word("PATH") || self.take_word("PATHS");
            let is_groups = self.take_word("GROUPS") || (!is_path && self.take_word("GROUP"));
            Some(if is_groups {
                Shortest::Groups(count)
            } else if count == 1 {
                Shortest::One
            } else {
                Shortest::Some(count)
            })
        } else if self.is_word("SHORTEST") && (self.peek_word(1, "GROUP") || self.peek_word(1, "GROUPS")) {
            self.at += 2;
            Some(Shortest::Groups(1))
        } else {
            None
        };
        for mode in ["WALK", "ACYCLIC", "SIMPLE"] {
            if self.is_word(mode) {
                return self.refused(&format!("the path mode {mode}"));
            }
        }
        if self.is_word("TRAIL") && !self.peek_sign(1, "(") {
            self.bump()?;
        }
        let _is_spelled_out = self.take_word("PATHS") || self.take_word("PATH");
        Ok(selector)
    }

    fn chain(&mut self) -> Result<Pattern> {
        let span = self.span();
        let start = if self.begins_repeated() { self.no_node() } else { self.node()? };
        let mut steps = Vec::new();
        loop {
            if self.begins_repeated() {
                let repeated = self.nested(Self::repeated)?;
                let is_node = self.is_sign("(") && !self.begins_repeated();
                let node = if is_node { self.node()? } else { self.no_node() };
                steps.push((repeated, node));
            } else if self.begins_step() {
                steps.push((self.relationship()?, self.node()?));
            } else {
                break;
            }
            if steps.len() > STEPS_MAX {
                let message = format!("the pattern has more than {STEPS_MAX} relationships (STEPS_MAX)");
                return Err(Error::syntax(Detail::None, span, message));
            }
        }
        Ok(Pattern { name: None, shortest: None, start, steps, span: span.to(self.last_span()) })
    }

    /// Whether a part of a path in brackets follows.
    fn begins_repeated(&self) -> bool {
        self.is_sign("(") && self.peek_sign(1, "(")
    }

    /// A node that is not written, beside a part that is repeated.
    fn no_node(&self) -> NodePattern {
        let span = self.span();
        NodePattern { name: None, labels: None, properties: None, filter: None, span }
    }

    /// `((a)-[r]->(b) WHERE a.x < b.x){1,3}`
    fn repeated(&mut self) -> Result<RelationshipPattern> {
        let start = self.span();
        self.want_sign("(")?;
        let pattern = self.chain()?;
        let filter = if self.take_word("WHERE") { Some(self.expr()?) } else { None };
        self.want_sign(")")?;
        let Some(length) = self.quantifier()? else {
            return Err(self.unexpected("a quantifier such as {1,3}, + or * behind a path pattern in brackets"));
        };
        let span = start.to(self.last_span());
        let wrong = if pattern.steps.is_empty() {
            "needs at least one relationship"
        } else if pattern.steps.iter().any(|(step, _)| step.length.is_some()) {
            "cannot contain another quantifier"
        } else {
            return Ok(RelationshipPattern {
                name: None,
                types: None,
                direction: Direction::Both,
                is_double: false,
                length: Some(length),
                repeated: Some(Box::new(Repeated { pattern, filter })),
                properties: None,
                filter: None,
                span,
            });
        };
        Err(Error::syntax(Detail::UnexpectedSyntax, span, format!("a quantified path pattern {wrong}")))
    }

    fn begins_step(&self) -> bool {
        self.is_sign("-") || (self.is_sign("<") && self.peek_sign(1, "-"))
    }

    fn node(&mut self) -> Result<NodePattern> {
        let start = self.span();
        self.want_sign("(")?;
        let name = if self.is_name() && !self.begins_inner() { Some(self.name("a name")?) } else { None };
        let labels = if self.is_sign(":") || self.is_word("IS") { Some(self.labels()?) } else { None };
        let properties = self.pattern_properties()?;
        let filter = if self.take_word("WHERE") { Some(Box::new(self.expr()?)) } else { None };
        self.want_sign(")")?;
        Ok(NodePattern { name, labels, properties, filter, span: start.to(self.last_span()) })
    }

    /// Whether what follows is `WHERE ..` or `IS ..` and not a name.
    fn begins_inner(&self) -> bool {
        let next_ends = matches!(self.token(1), Kind::Sign(")" | "]" | ":" | "{" | "*" | "-"));
        (self.is_word("WHERE") || self.is_word("IS")) && !next_ends
    }

    fn pattern_properties(&mut self) -> Result<Option<crate::ast::Expr>> {
        match self.kind() {
            Kind::Sign("{") => self.map().map(Some),
            Kind::Param(name) => {
                let (name, span) = (name.clone(), self.span());
                self.bump()?;
                self.make(crate::ast::ExprKind::Param(name), span, 0).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn relationship(&mut self) -> Result<RelationshipPattern> {
        let start = self.span();
        let is_left = self.take_sign("<");
        self.want_sign("-")?;
        let (mut name, mut types, mut length, mut properties, mut filter) = (None, None, None, None, None);
        if self.take_sign("[") {
            if self.is_name() && !self.begins_inner() {
                name = Some(self.name("a name")?);
            }
            if self.is_sign(":") || self.is_word("IS") {
                types = Some(self.labels()?);
            }
            if self.is_sign("*") {
                length = Some(self.star()?);
            } else if self.is_sign("..") {
                let message = "the length of a relationship pattern is written as in [:TYPE*1..2]";
                return Err(Error::syntax(Detail::InvalidRelationshipPattern, self.span(), message));
            }
            properties = self.pattern_properties()?;
            if self.take_word("WHERE") {
                filter = Some(Box::new(self.expr()?));
            }
            self.want_sign("]")?;
        }
        self.want_sign("-")?;
        let is_right = self.take_sign(">");
        if length.is_none() {
            length = self.quantifier()?;
        }
        let direction = match (is_left, is_right) {
            (false, true) => Direction::Right,
            (true, false) => Direction::Left,
            _ => Direction::Both,
        };
        let (is_double, span) = (is_left && is_right, start.to(self.last_span()));
        let repeated = None;
        Ok(RelationshipPattern { name, types, direction, is_double, length, repeated, properties, filter, span })
    }

    /// `*`, `*2`, `*1..3`, `*..3`, `*1..`
    fn star(&mut self) -> Result<Length> {
        self.want_sign("*")?;
        if self.is_sign("-") {
            let message = "the length of a relationship pattern cannot be negative";
            return Err(Error::syntax(Detail::InvalidRelationshipPattern, self.span(), message));
        }
        let min = self.whole()?;
        if self.take_sign("..") {
            return Ok(Length { min, max: self.whole()? });
        }
        Ok(Length { min, max: min })
    }

    fn whole(&mut self) -> Result<Option<u64>> {
        let Kind::Int(number) = *self.kind() else { return Ok(None) };
        self.bump()?;
        Ok(Some(number))
    }

    /// `+`, `*`, `{1,3}` behind a relationship.
    fn quantifier(&mut self) -> Result<Option<Length>> {
        if self.take_sign("+") {
            return Ok(Some(Length { min: Some(1), max: None }));
        }
        if self.take_sign("*") {
            return Ok(Some(Length { min: Some(0), max: None }));
        }
        if !self.take_sign("{") {
            return Ok(None);
        }
        let min = self.whole()?;
        let length = if self.take_sign(",") {
            Length { min: Some(min.unwrap_or(0)), max: self.whole()? }
        } else {
            Length { min, max: min }
        };
        self.want_sign("}")?;
        Ok(Some(length))
    }

    /// `:A|B&!C`, `IS A`, and `:A:B` as in openCypher 9.
    pub(super) fn labels(&mut self) -> Result<LabelExpr> {
        if self.take_word("IS") {
            return self.label_or();
        }
        self.want_sign(":")?;
        let first = self.label_or()?;
        let mut all = vec![first];
        while self.is_sign(":") {
            self.bump()?;
            all.push(self.label_and()?);
        }
        match all.pop() {
            Some(only) if all.is_empty() => Ok(only),
            Some(last) => {
                all.push(last);
                Ok(LabelExpr::And(all))
            }
            None => Err(self.unexpected("a label")),
        }
    }

    pub(super) fn label_or(&mut self) -> Result<LabelExpr> {
        self.nested(|parser| {
            let mut any = vec![parser.label_and()?];
            while parser.is_sign("|") {
                let is_label = match parser.token(1) {
                    Kind::Sign(":") => matches!(parser.token(2), Kind::Word(_) | Kind::Quoted(_)),
                    Kind::Word(_) | Kind::Quoted(_) | Kind::Sign("!" | "%" | "(" | "$") => true,
                    _ => false,
                };
                if !is_label {
                    break;
                }
                // `[x IN list WHERE n:A | x.y]`: the bar is the comprehension's where an expression follows.
                let (at, before) = (parser.at, any.len());
                parser.bump()?;
                parser.take_sign(":");
                any.push(parser.label_and()?);
                if before > 0 && !parser.may_follow_label() {
                    parser.at = at;
                    any.pop();
                    break;
                }
            }
            match any.pop() {
                Some(only) if any.is_empty() => Ok(only),
                Some(last) => {
                    any.push(last);
                    Ok(LabelExpr::Or(any))
                }
                None => Err(parser.unexpected("a label")),
            }
        })
    }

    /// Whether what comes next can stand behind a label: not so behind an expression that looked like one.
    fn may_follow_label(&self) -> bool {
        !matches!(self.kind(), Kind::Sign("." | "[" | "+" | "/" | "%" | "(") | Kind::Int(_) | Kind::Float(_))
    }

    fn label_and(&mut self) -> Result<LabelExpr> {
        let mut all = vec![self.label_not()?];
        while self.take_sign("&") {
            all.push(self.label_not()?);
        }
        match all.pop() {
            Some(only) if all.is_empty() => Ok(only),
            Some(last) => {
                all.push(last);
                Ok(LabelExpr::And(all))
            }
            None => Err(self.unexpected("a label")),
        }
    }

    fn label_not(&mut self) -> Result<LabelExpr> {
        if self.take_sign("!") {
            let inner = self.nested(Self::label_not)?;
            return Ok(LabelExpr::Not(Box::new(inner)));
        }
        if self.take_sign("%") {
            return Ok(LabelExpr::Any);
        }
        if self.take_sign("(") {
            let inner = self.label_or()?;
            self.want_sign(")")?;
            return Ok(inner);
        }
        match self.label_name()? {
            LabelName::Name(name) => Ok(LabelExpr::Name(name)),
            LabelName::Dynamic(expr) => Ok(LabelExpr::Dynamic(Box::new(expr))),
        }
    }

    /// A label, or `$(expr)`.
    pub(super) fn label_name(&mut self) -> Result<LabelName> {
        if self.is_sign("$") {
            self.bump()?;
            let is_all = self.take_word("ALL");
            if !is_all && self.is_word("ANY") {
                return self.refused("$any() of labels");
            }
            self.want_sign("(")?;
            let expr = self.expr()?;
            self.want_sign(")")?;
            return Ok(LabelName::Dynamic(expr));
        }
        self.name("a label").map(LabelName::Name)
    }

    /// `:A:B`, at least one.
    pub(super) fn label_names(&mut self) -> Result<Vec<LabelName>> {
        let mut labels = Vec::new();
        if self.take_word("IS") {
            labels.push(self.label_name()?);
        }
        while self.is_sign(":") || (self.is_sign("&") && !labels.is_empty()) {
            self.bump()?;
            labels.push(self.label_name()?);
        }
        if labels.is_empty() { Err(self.unexpected("a label")) } else { Ok(labels) }
    }
}
