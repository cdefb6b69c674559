//! What can stand where a value can: literals, constants, predicates, traversals, variables.

use super::Parser;
use crate::error::{Error, ErrorKind, Span};
use crate::literal;
use crate::method::Source;
use crate::names;
use crate::token::{Kind, shorten};
use crate::tree::{ElementReference, Expression, Predicate, Strategy, Value};
use query_value::{Cardinality, DateTime, Duration, ElementKind, Enum, Text};

/// Operators of Groovy, which would need evaluation; `+`, `-` and `*` are computed between numbers in the script.
const OPERATORS: [&str; 32] = [
    "<=>", "..<", "===", "**=", "->", "==", "!=", "<=", ">=", "<<", "&&", "||", "?.", "?:", "*.", "=~", "+=", "-=",
    "++", "--", "::", "+", "-", "*", "/", "%", "<", ">", "!", "?", "&", "|",
];

impl Parser<'_> {
    /// An expression with the calls after it.
    pub(super) fn expression(&mut self) -> Result<Expression, Error> {
        self.nested(|parser| {
            let first = parser.primary()?;
            let expression = parser.postfix(first)?;
            if parser.accept("..")? {
                let span = parser.last;
                let high = parser.nested(|parser| parser.primary())?;
                let (Expression::Value(low), Expression::Value(high)) = (expression, high) else {
                    return Err(Error::at(
                        ErrorKind::Unsupported { construct: "a range of expressions".to_owned() },
                        span,
                    ));
                };
                let items = literal::range(&low, &high).map_err(|kind| Error::at(kind, span))?;
                return Ok(Expression::Value(Value::List(items)));
            }
            let expression = parser.sum(expression)?;
            parser.no_operator()?;
            Ok(expression)
        })
    }

    /// Sums and products of numbers that stand in the script: they are computed here.
    fn sum(&mut self, first: Expression) -> Result<Expression, Error> {
        let mut sum = self.product(first)?;
        while let Some((operator, span)) = self.operator(&sum, &["+", "-"])? {
            let right = self.primary()?;
            let right = self.product(right)?;
            sum = computed(operator, &sum, &right, span)?;
        }
        Ok(sum)
    }

    fn product(&mut self, first: Expression) -> Result<Expression, Error> {
        let mut product = first;
        while let Some((operator, span)) = self.operator(&product, &["*"])? {
            let right = self.primary()?;
            product = computed(operator, &product, &right, span)?;
        }
        Ok(product)
    }

    /// Takes one of the operators where it follows a number on its line.
    fn operator(&mut self, left: &Expression, signs: &[&'static str]) -> Result<Option<(&'static str, Span)>, Error> {
        let is_number = matches!(left, Expression::Value(Value::Int(_) | Value::Long(_) | Value::Double(_)));
        let token = self.peek()?;
        let found = match token.kind {
            Kind::Sign(sign) if is_number && !token.after_newline => signs.iter().find(|known| **known == sign),
            _ => None,
        };
        let Some(sign) = found else { return Ok(None) };
        Ok(Some((sign, self.next()?.span)))
    }

    /// After an expression there is no operator, unless it begins the next line's expression.
    fn no_operator(&mut self) -> Result<(), Error> {
        let token = self.peek()?;
        let (kind, span, after_newline) = (token.kind.clone(), token.span, token.after_newline);
        let construct = match kind {
            Kind::Sign(sign) if OPERATORS.contains(&sign) && !after_newline => format!("the operator '{sign}'"),
            Kind::Sign("{") if !after_newline => "a closure".to_owned(),
            // Numbers take their sign with them.
            Kind::Name(name) if matches!(name.as_str(), "as" | "instanceof" | "in") && !after_newline => {
                format!("the operator '{name}'")
            }
            _ => return Ok(()),
        };
        Err(Error::at(ErrorKind::Unsupported { construct }, span))
    }

    fn primary(&mut self) -> Result<Expression, Error> {
        let token = self.peek()?;
        let (kind, span) = (token.kind.clone(), token.span);
        match kind {
            Kind::Number(text) => {
                self.next()?;
                self.number(&text, false, span)
            }
            Kind::Text(text) => {
                self.next()?;
                Ok(Expression::Value(Value::Text(text)))
            }
            Kind::Sign(sign @ ("+" | "-")) => {
                self.next()?;
                self.signed(sign == "-", span)
            }
            Kind::Sign("[") => Ok(Expression::Value(self.list_or_map()?)),
            Kind::Sign("{") => Ok(Expression::Value(self.set()?)),
            Kind::Sign("(") => {
                self.next()?;
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            Kind::Sign(sign @ ("!" | "++" | "--")) => Err(self.unsupported(format!("the operator '{sign}'"))?),
            Kind::Sign("@") => Err(self.unsupported("an annotation")?),
            Kind::Name(name) => self.named(name),
            _ => Err(self.unexpected("a value, a traversal or a variable")?),
        }
    }

    fn number(&mut self, text: &str, is_negative: bool, span: Span) -> Result<Expression, Error> {
        let number = literal::number(text, is_negative).map_err(|kind| Error::at(kind, span.to(self.last)))?;
        Ok(Expression::Value(number))
    }

    fn signed(&mut self, is_negative: bool, span: Span) -> Result<Expression, Error> {
        match self.peek()?.kind.clone() {
            Kind::Number(text) => {
                self.next()?;
                self.number(&text, is_negative, span)
            }
            Kind::Name(name) if name == "Infinity" => {
                self.next()?;
                let infinity = if is_negative { f64::NEG_INFINITY } else { f64::INFINITY };
                Ok(Expression::Value(Value::Double(infinity)))
            }
            _ => Err(self.unexpected("a number")?),
        }
    }

    /// What begins with a name.
    fn named(&mut self, name: Text) -> Result<Expression, Error> {
        let literal = match name.as_str() {
            _ if self.variables.contains(&name) => None,
            "true" => Some(Value::Boolean(true)),
            "false" => Some(Value::Boolean(false)),
            "null" => Some(Value::Null),
            "NaN" => Some(Value::Double(f64::NAN)),
            "Infinity" => Some(Value::Double(f64::INFINITY)),
            _ => None,
        };
        if let Some(value) = literal {
            self.next()?;
            return Ok(Expression::Value(value));
        }
        if name == "this" && self.name_at(2)?.is_some_and(|member| member == "binding") && self.is_sign_at(3, ".")? {
            return self.binding();
        }
        if names::is_groovy_keyword(&name) {
            return Err(self.unsupported(format!("'{name}'"))?);
        }
        if name == "new" {
            return self.new_object();
        }
        if name == "__" {
            self.next()?;
            return self.anonymous();
        }
        if self.is_sign_at(1, "(")? {
            return self.called(name);
        }
        if self.is_sign_at(1, "{")? && !self.peek_at(1)?.after_newline {
            return Err(self.unsupported("a closure")?);
        }
        let is_free = self.is_sign_at(1, ".")? && !self.variables.contains(&name);
        if let Some(member) = self.name_at(2)?.filter(|_| is_free) {
            return self.member(name, &member);
        }
        self.next()?;
        if self.variables.contains(&name) {
            return Ok(Expression::Variable(name));
        }
        if name == "g" {
            return self.source_calls(Source::Named(name));
        }
        if self.is_strategy(&name) {
            return Ok(Expression::Value(Value::Strategy(Box::new(Strategy { name, options: Vec::new() }))));
        }
        Ok(match Enum::from_bare_name(&name) {
            Some(constant) => Expression::Value(Value::Enum(constant)),
            None => Expression::Variable(name),
        })
    }

    /// `new XStrategy(k: v)`; nothing else can be made.
    fn new_object(&mut self) -> Result<Expression, Error> {
        let class = self.name_at(1)?.unwrap_or_default();
        if !self.is_strategy(&class) && element_class(&class).is_none() {
            return Err(self.unsupported(format!("'new {}'", shorten(&class)))?);
        }
        self.next()?;
        if self.is_sign_at(1, "(")? {
            return self.called(class);
        }
        self.next()?;
        Ok(Expression::Value(Value::Strategy(Box::new(Strategy { name: class, options: Vec::new() }))))
    }

    /// `name(..)`: a function of the language, a predicate, or the first step of an anonymous traversal.
    fn called(&mut self, name: Text) -> Result<Expression, Error> {
        let span = self.next()?.span;
        if self.is_strategy(&name) {
            return self.strategy(name);
        }
        if let Some(cardinality) = Cardinality::from_name(&name) {
            return self.with_cardinality(cardinality);
        }
        if is_function(&name) || Predicate::is_name(&name) || name == "not" {
            let arguments = self.arguments()?;
            let is_step = name == "not" && !matches!(arguments.first(), Some(Value::Predicate(_)));
            if is_step {
                return self.anonymous_after(&name, arguments, span);
            }
            let value = if is_function(&name) { function(&name, arguments) } else { predicate(&name, arguments) };
            return value.map(Expression::Value).map_err(|kind| Error::at(kind, span.to(self.last)));
        }
        if crate::tree::step::is_step(&name) {
            let arguments = self.step_arguments()?;
            return self.anonymous_after(&name, arguments, span);
        }
        let construct = format!("the function {}()", shorten(&name));
        Err(Error::at(ErrorKind::Unsupported { construct }, span))
    }

    fn is_strategy(&self, name: &str) -> bool {
        name.ends_with("Strategy") || (self.is_strategies && !name.is_empty())
    }

    fn strategy(&mut self, name: Text) -> Result<Expression, Error> {
        let outside = std::mem::take(&mut self.is_strategies);
        self.expect("(")?;
        let mut options = Vec::new();
        while !self.is_sign(")")? {
            let key = self.expect_name("the name of an option")?;
            self.expect(":")?;
            options.push((key, self.expression()?.into_value()));
            if !self.accept(",")? && !self.is_sign(")")? {
                return Err(self.unexpected("',' or ')'")?);
            }
        }
        self.next()?;
        self.is_strategies = outside;
        Ok(Expression::Value(Value::Strategy(Box::new(Strategy { name, options }))))
    }

    fn with_cardinality(&mut self, cardinality: Cardinality) -> Result<Expression, Error> {
        self.expect("(")?;
        let value = self.expression()?.into_value();
        self.expect(")")?;
        Ok(Expression::Value(Value::WithCardinality(cardinality, Box::new(value))))
    }

    /// `name.member`: a constant, a predicate, a source's call, or a member of a variable.
    fn member(&mut self, name: Text, member: &str) -> Result<Expression, Error> {
        let is_call = self.is_sign_at(3, "(")?;
        match name.as_str() {
            "P" | "TextP" | "Text" if is_call => {
                let span = self.skip(2)?;
                self.next()?;
                let arguments = self.arguments()?;
                let member = if name == "Text" && member == "contains" { "containing" } else { member };
                return predicate(member, arguments)
                    .map(Expression::Value)
                    .map_err(|kind| Error::at(kind, span.to(self.last)));
            }
            "UUID" if is_call && matches!(member, "fromString" | "randomUUID") => {
                let span = self.skip(2)?;
                self.next()?;
                let arguments = self.arguments()?;
                return function("UUID", arguments).map(Expression::Value).map_err(|kind| Error::at(kind, span));
            }
            "VertexProperty" if member == "Cardinality" => {
                self.skip(2)?;
                return self.constant("Cardinality");
            }
            "SackFunctions" if member == "Barrier" => {
                self.skip(2)?;
                return self.constant("Barrier");
            }
            class if Enum::CLASSES.contains(&class) || names::is_constant_class(class) => {
                return self.constant(class);
            }
            "Lambda" => return Err(self.unsupported("a lambda")?),
            "java" | "javax" | "groovy" | "org" | "com" if !is_call => {
                return Err(self.unsupported(format!("the class {name}.{}", shorten(member)))?);
            }
            _ => {}
        }
        let is_source = names::is_source_method(member) || names::is_start_method(member) || member == "tx";
        if name == "g" || (is_call && is_source) {
            self.next()?;
            return self.source_calls(Source::Named(name));
        }
        if is_call && member == "traversal" {
            self.skip(3)?;
            self.expect("(")?;
            self.expect(")")?;
            return self.source_calls(Source::OfGraph(name));
        }
        if is_call && member == "schema" {
            self.next()?;
            return self.schema(name);
        }
        if name.starts_with(char::is_uppercase) {
            return Err(self.unsupported(format!("the class {}", shorten(&name)))?);
        }
        self.next()?;
        Ok(Expression::Variable(name))
    }

    /// `this.binding.name`: a variable by its name, in quotes where it is no name of Groovy (a graph's with `-`).
    fn binding(&mut self) -> Result<Expression, Error> {
        self.skip(4)?;
        let (Kind::Name(name) | Kind::Text(name)) = self.peek()?.kind.clone() else {
            return Err(self.unexpected("the name of a variable")?);
        };
        self.next()?;
        if self.is_sign_at(0, ".")? && self.name_at(1)?.is_some_and(|member| member == "traversal") {
            self.skip(2)?;
            self.expect("(")?;
            self.expect(")")?;
            return self.source_calls(Source::OfGraph(name));
        }
        Ok(Expression::Variable(name))
    }

    /// Takes a number of tokens; the place of the first.
    fn skip(&mut self, count: usize) -> Result<Span, Error> {
        let span = self.next()?.span;
        for _ in 1..count {
            self.next()?;
        }
        Ok(span)
    }

    /// `Class.name`, at the class's name.
    fn constant(&mut self, class: &str) -> Result<Expression, Error> {
        self.next()?;
        self.expect(".").or_else(|_| Err(self.unexpected("'.'")?))?;
        let expected = format!("a constant of {class}");
        let Some(name) = self.name_at(0)? else { return Err(self.unexpected(&expected)?) };
        let value = Enum::from_script(class, &name).map(Value::Enum).or_else(|| names::constant(class, &name));
        let Some(value) = value else { return Err(self.unexpected(&expected)?) };
        self.next()?;
        match value {
            Value::Enum(Enum::Cardinality(cardinality)) if self.is_sign("(")? => self.with_cardinality(cardinality),
            other => Ok(Expression::Value(other)),
        }
    }
}

/// An operator on two constants.
fn computed(operator: &str, left: &Expression, right: &Expression, span: Span) -> Result<Expression, Error> {
    let result = match (left, right) {
        (Expression::Value(left), Expression::Value(right)) => literal::arithmetic(operator, left, right),
        _ => None,
    };
    let construct = || format!("the operator '{operator}' on these operands");
    result.map(Expression::Value).ok_or_else(|| Error::at(ErrorKind::Unsupported { construct: construct() }, span))
}

fn predicate(name: &str, arguments: Vec<Value>) -> Result<Value, ErrorKind> {
    Predicate::from_call(name, arguments).map(|predicate| Value::Predicate(Box::new(predicate)))
}

fn element_class(name: &str) -> Option<ElementKind> {
    match name {
        "Vertex" | "ReferenceVertex" | "DetachedVertex" => Some(ElementKind::Vertex),
        "Edge" | "ReferenceEdge" => Some(ElementKind::Edge),
        "VertexProperty" => Some(ElementKind::VertexProperty),
        _ => None,
    }
}

/// Functions that make values.
fn is_function(name: &str) -> bool {
    matches!(name, "datetime" | "DateTime" | "UUID" | "Duration" | "Char" | "Binary") || element_class(name).is_some()
}

fn function(name: &str, arguments: Vec<Value>) -> Result<Value, ErrorKind> {
    let mut arguments = arguments.into_iter();
    let (first, second, third) = (arguments.next(), arguments.next(), arguments.next());
    let wrong = |expected: &'static str, found: Option<&Value>| ErrorKind::Argument {
        step: name.to_owned(),
        index: 1,
        expected,
        found: found.map_or("none", Value::kind).to_owned(),
    };
    if let Some(kind) = element_class(name) {
        return match (first, second, third) {
            (Some(id), Some(Value::Text(label)), None) => {
                Ok(Value::Element(Box::new(ElementReference { kind, id, label })))
            }
            (first, ..) => Err(wrong("an id and a label", first.as_ref())),
        };
    }
    if second.is_some() {
        return Err(ErrorKind::TooManyArguments { step: name.to_owned(), taken: 1, given: 2 });
    }
    let Some(first) = first else {
        return match name {
            "datetime" | "DateTime" => Ok(Value::Now),
            "UUID" => Ok(Value::NewUuid),
            _ => Err(wrong("a string", None)),
        };
    };
    let text = first.as_text().ok_or_else(|| wrong("a string", Some(&first)))?;
    let literal = |expected| ErrorKind::Literal { text: shorten(text), expected };
    match name {
        "UUID" => {
            let uuid = uuid::Uuid::try_parse(text).map_err(|_| literal("a UUID"))?;
            Ok(Value::Uuid(uuid.as_u128()))
        }
        "Duration" => Duration::parse(text).map(Value::Duration).ok_or_else(|| literal("a duration such as PT1.5S")),
        "Binary" => literal::bytes(text).map(Value::Binary).ok_or_else(|| literal("pairs of hexadecimal digits")),
        "Char" => {
            let mut characters = text.chars();
            let single = characters.next().filter(|_| characters.next().is_none());
            single.map(Value::Char).ok_or_else(|| literal("a single character"))
        }
        _ => DateTime::parse(text).map(Value::DateTime).ok_or_else(|| literal("a date and time of ISO 8601")),
    }
}
