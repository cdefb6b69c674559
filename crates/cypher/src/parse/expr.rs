//! Expressions: operators by their precedence.

use cypher_value::Detail;

use super::Parser;
use crate::ast::{BinaryOp, Expr, ExprKind, LabelExpr, MapEntry, Name, UnaryOp};
use crate::error::{Error, Result, Span};
use crate::token::Kind;

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.nested(Self::or)
    }

    fn binary(&self, op: BinaryOp, left: Expr, right: Expr) -> Result<Expr> {
        let (span, height) = (left.span.to(right.span), left.height.max(right.height));
        self.make(ExprKind::Binary(op, Box::new(left), Box::new(right)), span, height)
    }

    fn or(&mut self) -> Result<Expr> {
        let mut left = self.xor()?;
        while self.take_word("OR") {
            let right = self.xor()?;
            left = self.binary(BinaryOp::Or, left, right)?;
        }
        Ok(left)
    }

    fn xor(&mut self) -> Result<Expr> {
        let mut left = self.and()?;
        while self.take_word("XOR") {
            let right = self.and()?;
            left = self.binary(BinaryOp::Xor, left, right)?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr> {
        let mut left = self.not()?;
        while self.take_word("AND") {
            let right = self.not()?;
            left = self.binary(BinaryOp::And, left, right)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr> {
        let start = self.span();
        if !self.is_word("NOT") {
            return self.comparison();
        }
        let mut count = 0_usize;
        while self.take_word("NOT") {
            count += 1;
        }
        let mut operand = self.comparison()?;
        for _ in 0..count {
            let (span, height) = (start.to(operand.span), operand.height);
            operand = self.make(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), span, height)?;
        }
        Ok(operand)
    }

    fn comparison_op(&mut self) -> Option<BinaryOp> {
        let op = match self.kind() {
            Kind::Sign("=") => BinaryOp::Eq,
            Kind::Sign("<>" | "!=") => BinaryOp::Ne,
            Kind::Sign("<") => BinaryOp::Lt,
            Kind::Sign("<=") => BinaryOp::Le,
            Kind::Sign(">") => BinaryOp::Gt,
            Kind::Sign(">=") => BinaryOp::Ge,
            _ => return None,
        };
        self.at += 1;
        Some(op)
    }

    fn comparison(&mut self) -> Result<Expr> {
        let first = self.predicate()?;
        let mut rest = Vec::new();
        while let Some(op) = self.comparison_op() {
            rest.push((op, self.predicate()?));
        }
        match rest.pop() {
            None => Ok(first),
            Some((op, right)) if rest.is_empty() => self.binary(op, first, right),
            Some(last) => {
                rest.push(last);
                let height = rest.iter().map(|(_, operand)| operand.height).fold(first.height, u32::max);
                let span = first.span.to(self.last_span());
                self.make(ExprKind::Chain(Box::new(first), rest), span, height)
            }
        }
    }

    /// `IN`, `STARTS WITH`, `IS NULL` and what is like them.
    fn predicate(&mut self) -> Result<Expr> {
        let mut left = self.sum()?;
        loop {
            let op = if self.take_word("IN") {
                BinaryOp::In
            } else if self.take_words(&["STARTS", "WITH"]) {
                BinaryOp::StartsWith
            } else if self.take_words(&["ENDS", "WITH"]) {
                BinaryOp::EndsWith
            } else if self.take_word("CONTAINS") {
                BinaryOp::Contains
            } else if self.take_sign("=~") {
                BinaryOp::Matches
            } else if self.is_word("IS") {
                left = self.is_what(left)?;
                continue;
            } else {
                return Ok(left);
            };
            let right = self.sum()?;
            left = self.binary(op, left, right)?;
        }
    }

    fn is_what(&mut self, operand: Expr) -> Result<Expr> {
        let (start, height) = (operand.span, operand.height);
        self.want_word("IS")?;
        let is_not = self.take_word("NOT");
        let operand = Box::new(operand);
        let kind = if self.take_word("NULL") {
            ExprKind::IsNull(operand, is_not)
        } else if (self.is_sign(":") && self.peek_sign(1, ":")) || self.is_word("TYPED") {
            self.at += if self.is_word("TYPED") { 1 } else { 2 };
            ExprKind::IsType(operand, self.type_name()?, is_not)
        } else if self.is_word("NORMALIZED") || self.peek_word(1, "NORMALIZED") {
            let form = if self.is_word("NORMALIZED") { "NFC".to_owned() } else { self.name("a normal form")?.text };
            self.want_word("NORMALIZED")?;
            ExprKind::IsNormalized(operand, form.to_ascii_uppercase(), is_not)
        } else {
            let labels = self.label_or()?;
            let labels = if is_not { LabelExpr::Not(Box::new(labels)) } else { labels };
            ExprKind::HasLabels(operand, labels)
        };
        self.make(kind, start.to(self.last_span()), height)
    }

    /// `LIST<INTEGER NOT NULL> | STRING`, as text in capital letters.
    pub(super) fn type_name(&mut self) -> Result<String> {
        let mut name = String::new();
        let mut open = 0_usize;
        loop {
            match self.kind() {
                Kind::Word(word) if !self.ends_type(word) => {
                    if name.ends_with(|c: char| c.is_alphanumeric()) {
                        name.push(' ');
                    }
                    name.push_str(&word.to_ascii_uppercase());
                }
                Kind::Sign("<") => {
                    open += 1;
                    name.push('<');
                }
                Kind::Sign(">") if open > 0 => {
                    open -= 1;
                    name.push('>');
                }
                Kind::Sign("|") if open > 0 || matches!(self.token(1), Kind::Word(_)) => name.push_str(" | "),
                _ if name.is_empty() => return Err(self.unexpected("a type")),
                _ => return Ok(name),
            }
            self.bump()?;
        }
    }

    /// Whether a word behind a type belongs to what follows.
    fn ends_type(&self, word: &str) -> bool {
        const NEXT: [&str; 15] = [
            "AND", "OR", "XOR", "AS", "THEN", "WHERE", "RETURN", "WITH", "ORDER", "IN", "IS", "MATCH", "END", "ELSE",
            "WHEN",
        ];
        // `TIME WITH TIMEZONE`
        let is_zoned =
            word.eq_ignore_ascii_case("WITH") && (self.peek_word(1, "TIME") || self.peek_word(1, "TIMEZONE"));
        !is_zoned && NEXT.iter().any(|other| word.eq_ignore_ascii_case(other))
    }

    fn sum(&mut self) -> Result<Expr> {
        let mut left = self.product()?;
        loop {
            let op = match self.kind() {
                Kind::Sign("+") => BinaryOp::Add,
                Kind::Sign("-") => BinaryOp::Subtract,
                Kind::Sign("||") => BinaryOp::Concat,
                _ => return Ok(left),
            };
            self.bump()?;
            let right = self.product()?;
            left = self.binary(op, left, right)?;
        }
    }

    fn product(&mut self) -> Result<Expr> {
        let mut left = self.power()?;
        loop {
            let op = match self.kind() {
                Kind::Sign("*") => BinaryOp::Multiply,
                Kind::Sign("/") => BinaryOp::Divide,
                Kind::Sign("%") => BinaryOp::Modulo,
                _ => return Ok(left),
            };
            self.bump()?;
            let right = self.power()?;
            left = self.binary(op, left, right)?;
        }
    }

    fn power(&mut self) -> Result<Expr> {
        let mut left = self.unary()?;
        while self.take_sign("^") {
            let right = self.unary()?;
            left = self.binary(BinaryOp::Power, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        let start = self.span();
        let mut signs = Vec::new();
        loop {
            if self.take_sign("-") {
                signs.push(UnaryOp::Minus);
            } else if self.take_sign("+") {
                signs.push(UnaryOp::Plus);
            } else {
                break;
            }
        }
        // The least integer has no positive counterpart.
        if let (Some(UnaryOp::Minus), Kind::Int(number)) = (signs.last(), self.kind())
            && *number == 1 << 63
        {
            self.bump()?;
            signs.pop();
            let least = self.make(ExprKind::Int(i64::MIN), start.to(self.last_span()), 0)?;
            let least = self.postfix(least)?;
            return self.signed(least, &signs, start);
        }
        let operand = self.atom()?;
        let operand = self.postfix(operand)?;
        self.signed(operand, &signs, start)
    }

    fn signed(&self, mut operand: Expr, signs: &[UnaryOp], start: Span) -> Result<Expr> {
        for sign in signs.iter().rev() {
            let (span, height) = (start.to(operand.span), operand.height);
            operand = match (&operand.kind, sign) {
                (ExprKind::Int(number), UnaryOp::Minus) if *number != i64::MIN => {
                    self.make(ExprKind::Int(-number), span, 0)?
                }
                (ExprKind::Float(number), UnaryOp::Minus) => self.make(ExprKind::Float(0.0 - number), span, 0)?,
                _ => self.make(ExprKind::Unary(*sign, Box::new(operand)), span, height)?,
            };
        }
        Ok(operand)
    }

    /// An element with the keys behind it, as the target of SET.
    pub(super) fn target(&mut self) -> Result<Expr> {
        let owner = self.atom()?;
        self.postfix(owner)
    }

    /// `a.b`, `a[b]`, `a:Label` and what is like them.
    fn postfix(&mut self, mut operand: Expr) -> Result<Expr> {
        loop {
            let (start, height) = (operand.span, operand.height);
            if self.is_sign(".") {
                self.bump()?;
                let key = self.name("the key of a property")?.text;
                operand = self.make(ExprKind::Property(Box::new(operand), key), start.to(self.last_span()), height)?;
            } else if self.is_sign("[") {
                operand = self.index(operand)?;
            } else if self.is_sign(":") && self.can_be_label() {
                let labels = self.labels()?;
                operand =
                    self.make(ExprKind::HasLabels(Box::new(operand), labels), start.to(self.last_span()), height)?;
            } else {
                return Ok(operand);
            }
        }
    }

    /// Whether the colon begins a label and not the value of a map's key.
    fn can_be_label(&self) -> bool {
        matches!(self.token(1), Kind::Word(_) | Kind::Quoted(_) | Kind::Sign("%" | "!" | "(" | "$"))
    }

    fn index(&mut self, operand: Expr) -> Result<Expr> {
        let (start, mut height) = (operand.span, operand.height);
        self.want_sign("[")?;
        let from = if self.is_sign("..") { None } else { Some(self.expr()?) };
        height = height.max(from.as_ref().map_or(0, |from| from.height));
        let operand = Box::new(operand);
        let kind = if self.take_sign("..") {
            let to = if self.is_sign("]") { None } else { Some(self.expr()?) };
            height = height.max(to.as_ref().map_or(0, |to| to.height));
            ExprKind::Slice(operand, from.map(Box::new), to.map(Box::new))
        } else {
            match from {
                Some(from) => ExprKind::Index(operand, Box::new(from)),
                None => return Err(self.unexpected("an index")),
            }
        };
        self.want_sign("]")?;
        self.make(kind, start.to(self.last_span()), height)
    }

    fn atom(&mut self) -> Result<Expr> {
        let span = self.span();
        let leaf = match self.kind() {
            Kind::Int(number) => match i64::try_from(*number) {
                Ok(number) => ExprKind::Int(number),
                Err(_) => {
                    let message = "the integer does not fit into 64 bits with a sign";
                    return Err(Error::syntax(Detail::IntegerOverflow, span, message));
                }
            },
            Kind::Float(number) => ExprKind::Float(*number),
            Kind::Text(text) => ExprKind::Text(text.clone()),
            Kind::Param(name) => ExprKind::Param(name.clone()),
            Kind::Sign("(") => return self.parenthesis(),
            Kind::Sign("[") => return self.bracket(),
            Kind::Sign("{") => return self.map(),
            Kind::Word(_) => return self.word(),
            Kind::Quoted(_) => return self.variable(),
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump()?;
        self.make(leaf, span, 0)
    }

    fn parenthesis(&mut self) -> Result<Expr> {
        if let Some(pattern) = self.guess(Self::pattern_expr)? {
            return Ok(pattern);
        }
        let start = self.span();
        self.want_sign("(")?;
        let mut inner = self.expr()?;
        self.want_sign(")")?;
        inner.span = start.to(self.last_span());
        Ok(inner)
    }

    /// Reads something if it is there; where it is not, nothing has been taken.
    pub(super) fn guess<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<Option<T>>) -> Result<Option<T>> {
        let (at, depth) = (self.at, self.depth);
        match read(self) {
            Ok(Some(read)) => Ok(Some(read)),
            Ok(None) => {
                self.at = at;
                Ok(None)
            }
            Err(error) => {
                (self.at, self.depth) = (at, depth);
                if self.steps > self.steps_max { Err(error) } else { Ok(None) }
            }
        }
    }

    pub(super) fn map(&mut self) -> Result<Expr> {
        let start = self.span();
        self.want_sign("{")?;
        let (mut pairs, mut height) = (Vec::new(), 0);
        while !self.is_sign("}") {
            if !pairs.is_empty() {
                self.want_sign(",")?;
            }
            let key = self.name("a key")?.text;
            self.want_sign(":")?;
            let value = self.expr()?;
            height = height.max(value.height);
            pairs.push((key, value));
        }
        self.want_sign("}")?;
        self.make(ExprKind::Map(pairs), start.to(self.last_span()), height)
    }

    pub(super) fn variable(&mut self) -> Result<Expr> {
        let name = self.name("a name")?;
        if self.is_sign("{") {
            return self.map_projection(name);
        }
        self.make(ExprKind::Variable(name.text), name.span, 0)
    }

    fn map_projection(&mut self, name: Name) -> Result<Expr> {
        let start = name.span;
        self.want_sign("{")?;
        let (mut entries, mut height) = (Vec::new(), 0);
        while !self.is_sign("}") {
            if !entries.is_empty() {
                self.want_sign(",")?;
            }
            entries.push(if self.take_sign(".") {
                if self.take_sign("*") { MapEntry::All } else { MapEntry::Key(self.name("a key")?.text) }
            } else {
                let key = self.name("a key")?;
                if self.take_sign(":") {
                    let value = self.expr()?;
                    height = height.max(value.height);
                    MapEntry::Pair(key.text, value)
                } else {
                    MapEntry::Variable(key)
                }
            });
        }
        self.want_sign("}")?;
        self.make(ExprKind::MapProjection(name, entries), start.to(self.last_span()), height)
    }
}
