//! Steps with their modulators, and the calls that make them.

use query_value::{Column, Enum, Merge, Order, T, Text};

use super::argument::{Argument, Arguments};
use super::{
    ByKey, Bytecode, End, Instruction, MapArgument, Modulator, Op, Pattern, Predicate, Step, Test, Traversal, Value,
};
use crate::error::ErrorKind;

impl Step {
    /// A step without labels and modulators.
    #[must_use]
    pub fn new(op: Op) -> Self {
        Self { op, labels: Vec::new(), modulators: Vec::new(), span: None }
    }

    /// The `by()` modulators in order.
    pub fn by(&self) -> impl Iterator<Item = (&ByKey, Option<Order>)> {
        self.modulators.iter().filter_map(|modulator| match modulator {
            Modulator::By { key, order } => Some((key, *order)),
            _ => None,
        })
    }

    /// The options that `with()` set.
    pub fn options(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.modulators.iter().filter_map(|modulator| match modulator {
            Modulator::With(key, value) => Some((key.as_str(), value.as_ref())),
            _ => None,
        })
    }
}

impl Modulator {
    /// The method's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::By { .. } => "by",
            Self::With(..) => "with",
            Self::Branch { .. } | Self::Merge { .. } => "option",
            Self::From(_) => "from",
            Self::To(_) => "to",
            Self::Until { .. } => "until",
            Self::Times { .. } => "times",
            Self::Emit { .. } => "emit",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// The modulator of a call; none if the name is none. `is_first` tells that no `repeat()` precedes.
    pub(crate) fn from_call(
        name: &str,
        mut arguments: Arguments<'_>,
        is_first: bool,
    ) -> Result<Option<Self>, ErrorKind> {
        let taken = &mut arguments;
        let modulator = match name {
            "by" => by(taken)?,
            "with" => Self::With(Text::take(taken)?, Argument::take(taken)?),
            "option" => option(taken)?,
            "from" => Self::From(end(taken)?),
            "to" => Self::To(end(taken)?),
            "until" => Self::Until { is_first, test: Test::take(taken)? },
            "times" => Self::Times { is_first, count: i64::take(taken)? },
            "emit" => Self::Emit { is_first, test: Argument::take(taken)? },
            "read" => Self::Read,
            "write" => Self::Write,
            _ => return Ok(None),
        };
        arguments.finish()?;
        Ok(Some(modulator))
    }

    /// Whether it may follow an operation.
    pub(crate) fn fits(&self, op: &Op) -> bool {
        match self {
            Self::By { .. } => op.takes_by(),
            Self::Merge { .. } | Self::Branch { .. } => op.takes_option(),
            Self::From(_) | Self::To(_) => op.takes_ends(),
            Self::Until { .. } | Self::Times { .. } | Self::Emit { .. } => matches!(op, Op::Repeat { .. }),
            Self::Read | Self::Write => matches!(op, Op::Io { .. }),
            Self::With(..) => !matches!(op, Op::Start {}),
        }
    }

    /// Whether it stands before the step it modulates.
    fn is_before(&self) -> bool {
        matches!(
            self,
            Self::Until { is_first: true, .. } | Self::Times { is_first: true, .. } | Self::Emit { is_first: true, .. }
        )
    }

    fn arguments(&self) -> Vec<Value> {
        let mut out = Vec::new();
        match self {
            Self::By { key, order } => {
                match key {
                    ByKey::Identity => {}
                    ByKey::Token(token) => token.put(&mut out),
                    ByKey::Column(column) => column.put(&mut out),
                    ByKey::Property(key) => key.put(&mut out),
                    ByKey::Traversal(traversal) => traversal.put(&mut out),
                }
                order.put(&mut out);
            }
            Self::With(key, value) => {
                key.put(&mut out);
                value.put(&mut out);
            }
            Self::Branch { when, then } => {
                match when {
                    None => {}
                    Some(Pattern::Value(value)) => value.put(&mut out),
                    Some(Pattern::Predicate(predicate)) => predicate.put(&mut out),
                }
                then.put(&mut out);
            }
            Self::Merge { part, map, cardinality } => {
                part.put(&mut out);
                map.put(&mut out);
                cardinality.put(&mut out);
            }
            Self::From(end) | Self::To(end) => match end {
                End::Label(label) => label.put(&mut out),
                End::Traversal(traversal) => traversal.put(&mut out),
                End::Value(value) => value.put(&mut out),
            },
            Self::Until { test, .. } => test.put(&mut out),
            Self::Times { count, .. } => count.put(&mut out),
            Self::Emit { test, .. } => test.put(&mut out),
            Self::Read | Self::Write => {}
        }
        out
    }
}

fn by(arguments: &mut Arguments<'_>) -> Result<Modulator, ErrorKind> {
    let key = match arguments.peek() {
        None | Some(Value::Enum(Enum::Order(_))) => ByKey::Identity,
        Some(Value::Enum(Enum::T(_))) => ByKey::Token(T::take(arguments)?),
        Some(Value::Enum(Enum::Column(_))) => ByKey::Column(Column::take(arguments)?),
        Some(Value::Text(_)) => ByKey::Property(Text::take(arguments)?),
        Some(Value::Traversal(_)) => ByKey::Traversal(Argument::take(arguments)?),
        Some(_) => return Err(arguments.expected("a key, a part of T, a column, a traversal or an order")),
    };
    Ok(Modulator::By { key, order: Argument::take(arguments)? })
}

fn option(arguments: &mut Arguments<'_>) -> Result<Modulator, ErrorKind> {
    if let Some(Value::Enum(Enum::Merge(_))) = arguments.peek() {
        return Ok(Modulator::Merge {
            part: Merge::take(arguments)?,
            map: MapArgument::take(arguments)?,
            cardinality: Argument::take(arguments)?,
        });
    }
    let when = match arguments.peek() {
        _ if arguments.remaining() < 2 => None,
        Some(Value::Predicate(_)) => Some(Pattern::Predicate(Predicate::take(arguments)?)),
        _ => Some(Pattern::Value(Value::take(arguments)?)),
    };
    Ok(Modulator::Branch { when, then: Box::new(Traversal::take(arguments)?) })
}

fn end(arguments: &mut Arguments<'_>) -> Result<End, ErrorKind> {
    match arguments.peek() {
        Some(Value::Text(_)) => Text::take(arguments).map(End::Label),
        Some(Value::Traversal(_)) => Traversal::take(arguments).map(End::Traversal),
        Some(Value::Predicate(_)) | None => Err(arguments.expected("a label, a traversal or a vertex")),
        Some(_) => Value::take(arguments).map(End::Value),
    }
}

impl Traversal {
    /// Whether any step, nested ones included, writes to the graph.
    #[must_use]
    pub fn is_write(&self) -> bool {
        let mut pending = vec![self.to_bytecode()];
        while let Some(bytecode) = pending.pop() {
            for instruction in bytecode.source.into_iter().chain(bytecode.steps) {
                let is_write = matches!(
                    instruction.name.as_str(),
                    "addV" | "addE" | "mergeV" | "mergeE" | "property" | "drop" | "io"
                );
                if is_write {
                    return true;
                }
                let mut values = instruction.arguments;
                while let Some(value) = values.pop() {
                    match value {
                        Value::Traversal(nested) => pending.push(nested.to_bytecode()),
                        Value::List(items) | Value::Set(items) => values.extend(items),
                        Value::Map(pairs) => values.extend(pairs.into_iter().flat_map(|(key, value)| [key, value])),
                        Value::WithCardinality(_, value) => values.push(*value),
                        _ => {}
                    }
                }
            }
        }
        false
    }

    /// The calls that make this traversal.
    #[must_use]
    pub fn to_bytecode(&self) -> Bytecode {
        let source = self.source.iter().map(|op| Instruction::new(op.name(), op.arguments())).collect();
        let mut steps = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let call = |modulator: &Modulator| Instruction::new(modulator.name(), modulator.arguments());
            steps.extend(step.modulators.iter().filter(|modulator| modulator.is_before()).map(call));
            if !matches!(step.op, Op::Start {}) {
                steps.push(adjacent(Instruction::new(step.op.name(), step.op.arguments())));
            }
            steps.extend(step.modulators.iter().filter(|modulator| !modulator.is_before()).map(call));
            if !step.labels.is_empty() {
                steps.push(Instruction::new("as", step.labels.iter().cloned().map(Value::Text).collect()));
            }
        }
        Bytecode { source, steps }
    }
}

/// `out("x")` for `to(OUT, "x")`.
fn adjacent(mut call: Instruction) -> Instruction {
    let is_to = matches!(call.name.as_str(), "to" | "toE" | "toV");
    if let Some(Value::Enum(Enum::Direction(direction))) = call.arguments.first().filter(|_| is_to) {
        let suffix = call.name.get(2..).unwrap_or_default();
        call.name = format!("{}{suffix}", direction.name().to_ascii_lowercase()).into();
        call.arguments.remove(0);
    }
    call
}
