//! The table of functions.

use super::signature::Body::{Aggregate as Sum, Scalar};
use super::signature::Function;
use super::{convert, element, list, math, scalar, space, text, time};
use crate::aggregate::Aggregate;
use crate::types::Types;

/// All functions, by chapter.
pub(super) static TABLES: [&[Function]; 9] =
    [AGGREGATES, SCALAR, LISTS, NUMBERS, TEXTS, TIMES, SPACE, CONVERSIONS, VECTORS];

/// Declares functions: name, arguments with types (those behind `;` may be missing), result, body, description.
macro_rules! functions {
    ($category:literal: $($name:literal ($($argument:ident: $type:expr),* $(; $($more:ident: $other:expr),*)?)
        -> $result:expr, $body:expr, $description:literal $(, $flag:ident)*;)*) => {
        &[$(Function {
            name: $name,
            arguments: &[$((stringify!($argument), $type),)* $($((stringify!($more), $other),)*)?],
            required: <[&str]>::len(&[$(stringify!($argument),)*]),
            is_variadic: false,
            is_strict: true,
            is_deterministic: true,
            result: $result,
            category: $category,
            description: $description,
            body: $body,
        }$(.$flag())*),*]
    };
}

impl Function {
    /// The last argument may come again and again.
    const fn variadic(mut self) -> Self {
        self.is_variadic = true;
        self
    }

    /// It is called with null too.
    const fn lenient(mut self) -> Self {
        self.is_strict = false;
        self
    }

    /// It gives other results each time.
    const fn random(mut self) -> Self {
        self.is_deterministic = false;
        self
    }
}

const ANY: Types = Types::ANY;
const BOOLEAN: Types = Types::BOOLEAN;
const FLOAT: Types = Types::FLOAT;
const INTEGER: Types = Types::INTEGER;
const LIST: Types = Types::LIST;
const MAP: Types = Types::MAP;
const NODE: Types = Types::NODE;
const NUMBER: Types = Types::NUMBER;
const PATH: Types = Types::PATH;
const POINT: Types = Types::POINT;
const RELATIONSHIP: Types = Types::RELATIONSHIP;
const STRING: Types = Types::STRING;
const ENTITY: Types = Types::ENTITY;
const INSTANT: Types = Types::INSTANT;
const LENGTH: Types = Types::DURATION;
/// What a value with a place in time is made of.
const SOURCE: Types = STRING.or(MAP).or(INSTANT);

/// Functions that put rows together.
const AGGREGATES: &[Function] = functions! { "Aggregating":
    "count"(input: ANY) -> INTEGER, Sum(Aggregate::Count), "How many values are not null.";
    "collect"(input: ANY) -> LIST, Sum(Aggregate::Collect), "The values that are not null, in a list.";
    "sum"(input: NUMBER.or(LENGTH)) -> NUMBER.or(LENGTH), Sum(Aggregate::Sum), "The sum of numbers or durations.";
    "avg"(input: NUMBER.or(LENGTH)) -> FLOAT.or(LENGTH), Sum(Aggregate::Avg), "The mean of numbers or durations.";
    "min"(input: ANY) -> ANY, Sum(Aggregate::Min), "The first value in the order of ORDER BY.";
    "max"(input: ANY) -> ANY, Sum(Aggregate::Max), "The last value in the order of ORDER BY.";
    "percentileDisc"(input: NUMBER, percentile: NUMBER) -> NUMBER, Sum(Aggregate::PercentileDisc),
        "The value nearest to a percentile from 0.0 to 1.0.";
    "percentileCont"(input: NUMBER, percentile: NUMBER) -> FLOAT, Sum(Aggregate::PercentileCont),
        "The value at a percentile from 0.0 to 1.0, interpolated.";
    "stdev"(input: NUMBER) -> FLOAT, Sum(Aggregate::StDev), "The standard deviation of a sample.";
    "stdevp"(input: NUMBER) -> FLOAT, Sum(Aggregate::StDevP), "The standard deviation of a whole population.";
};

/// Functions of any values and of elements.
const SCALAR: &[Function] = functions! { "Scalar":
    "coalesce"(input: ANY) -> ANY, Scalar(scalar::coalesce), "The first value that is not null.", variadic, lenient;
    "nullIf"(first: ANY, second: ANY) -> ANY, Scalar(scalar::null_if),
        "Null if both are equal, else the first.", lenient;
    "exists"(input: ANY) -> BOOLEAN, Scalar(scalar::exists), "Whether a value is not null.", lenient;
    "isEmpty"(input: LIST.or(MAP).or(STRING)) -> BOOLEAN, Scalar(scalar::is_empty),
        "Whether a list, map or text has nothing in it.";
    "size"(input: LIST.or(STRING)) -> INTEGER, Scalar(scalar::size),
        "How many elements a list or characters a text has.";
    "length"(input: PATH) -> INTEGER, Scalar(element::length), "How many relationships a path has.";
    "id"(input: ENTITY) -> INTEGER.or(STRING), Scalar(element::id), "The id of a node or relationship.";
    "elementId"(input: ENTITY) -> STRING, Scalar(element::element_id), "The id of a node or relationship, as text.";
    "type"(input: RELATIONSHIP) -> STRING, Scalar(element::kind), "The type of a relationship.";
    "labels"(input: NODE) -> LIST, Scalar(element::labels), "The labels of a node.";
    "keys"(input: ENTITY.or(MAP)) -> LIST, Scalar(element::keys),
        "The names of the properties of an element or the entries of a map.";
    "properties"(input: ENTITY.or(MAP)) -> MAP, Scalar(element::properties), "The properties of an element.";
    "nodes"(input: PATH) -> LIST, Scalar(element::nodes), "The nodes of a path.";
    "relationships"(input: PATH) -> LIST, Scalar(element::relationships), "The relationships of a path.";
    "startNode"(input: RELATIONSHIP) -> NODE, Scalar(element::start_node), "The node a relationship starts from.";
    "endNode"(input: RELATIONSHIP) -> NODE, Scalar(element::end_node), "The node a relationship ends at.";
    "timestamp"() -> INTEGER, Scalar(time::timestamp), "Milliseconds since 1970 when the statement began.";
    "randomUUID"() -> STRING, Scalar(scalar::random_uuid), "A new random UUID.", random;
    "valueType"(input: ANY) -> STRING, Scalar(scalar::value_type), "The most precise type of a value.", lenient;
};

/// Functions of lists.
const LISTS: &[Function] = functions! { "List":
    "head"(list: LIST) -> ANY, Scalar(list::head), "The first element.";
    "last"(list: LIST) -> ANY, Scalar(list::last), "The last element.";
    "tail"(list: LIST) -> LIST, Scalar(list::tail), "All elements but the first.";
    "reverse"(input: LIST.or(STRING)) -> LIST.or(STRING), Scalar(list::reverse),
        "A list or text from its end to its start.";
    "range"(start: ANY, end: ANY; step: ANY) -> LIST, Scalar(list::range),
        "The integers from start to end, both with, in steps of 1 or of `step`.";
};

/// Functions of numbers.
const NUMBERS: &[Function] = functions! { "Mathematical":
    "abs"(input: NUMBER) -> NUMBER, Scalar(math::abs), "The number without its sign.";
    "ceil"(input: NUMBER) -> FLOAT, Scalar(math::ceil), "The next integer above, as a float.";
    "floor"(input: NUMBER) -> FLOAT, Scalar(math::floor), "The next integer below, as a float.";
    "round"(value: NUMBER; precision: INTEGER, mode: STRING) -> FLOAT, Scalar(math::round),
        "The number rounded to an integer or to digits behind the point; halves up, or by a mode such as HALF_EVEN.";
    "sign"(input: NUMBER) -> INTEGER, Scalar(math::sign), "-1, 0 or 1.";
    "isNaN"(input: NUMBER) -> BOOLEAN, Scalar(math::is_nan), "Whether a number is none.";
    "rand"() -> FLOAT, Scalar(math::rand), "A random number from 0.0 to below 1.0.", random;
    "e"() -> FLOAT, Scalar(math::e), "The base of natural logarithms.";
    "pi"() -> FLOAT, Scalar(math::pi), "The ratio of a circle to its diameter.";
    "exp"(input: NUMBER) -> FLOAT, Scalar(math::exp), "e to the power of a number.";
    "log"(input: NUMBER) -> FLOAT, Scalar(math::log), "The natural logarithm.";
    "log10"(input: NUMBER) -> FLOAT, Scalar(math::log10), "The logarithm to the base of 10.";
    "sqrt"(input: NUMBER) -> FLOAT, Scalar(math::sqrt), "The square root.";
    "sin"(input: NUMBER) -> FLOAT, Scalar(math::sin), "The sine of an angle in radians.";
    "cos"(input: NUMBER) -> FLOAT, Scalar(math::cos), "The cosine of an angle in radians.";
    "tan"(input: NUMBER) -> FLOAT, Scalar(math::tan), "The tangent of an angle in radians.";
    "cot"(input: NUMBER) -> FLOAT, Scalar(math::cot), "The cotangent of an angle in radians.";
    "asin"(input: NUMBER) -> FLOAT, Scalar(math::asin), "The angle of a sine, in radians.";
    "acos"(input: NUMBER) -> FLOAT, Scalar(math::acos), "The angle of a cosine, in radians.";
    "atan"(input: NUMBER) -> FLOAT, Scalar(math::atan), "The angle of a tangent, in radians.";
    "atan2"(y: NUMBER, x: NUMBER) -> FLOAT, Scalar(math::atan2), "The angle of a direction, in radians.";
    "sinh"(input: NUMBER) -> FLOAT, Scalar(math::sinh), "The hyperbolic sine.";
    "cosh"(input: NUMBER) -> FLOAT, Scalar(math::cosh), "The hyperbolic cosine.";
    "tanh"(input: NUMBER) -> FLOAT, Scalar(math::tanh), "The hyperbolic tangent.";
    "coth"(input: NUMBER) -> FLOAT, Scalar(math::coth), "The hyperbolic cotangent.";
    "haversin"(input: NUMBER) -> FLOAT, Scalar(math::haversin), "Half the versine of an angle in radians.";
    "degrees"(input: NUMBER) -> FLOAT, Scalar(math::degrees), "Radians as degrees.";
    "radians"(input: NUMBER) -> FLOAT, Scalar(math::radians), "Degrees as radians.";
};

/// Functions of texts.
const TEXTS: &[Function] = functions! { "String":
    "char_length"(input: STRING) -> INTEGER, Scalar(scalar::size), "How many characters a text has.";
    "character_length"(input: STRING) -> INTEGER, Scalar(scalar::size), "How many characters a text has.";
    "left"(original: STRING, length: INTEGER) -> STRING, Scalar(text::left), "The first characters.";
    "right"(original: STRING, length: INTEGER) -> STRING, Scalar(text::right), "The last characters.";
    "substring"(original: STRING, start: INTEGER; length: INTEGER) -> STRING, Scalar(text::substring),
        "The characters from a position that counts from 0.";
    "replace"(original: STRING, search: STRING, replacement: STRING) -> STRING, Scalar(text::replace),
        "A text with each occurrence of another replaced.";
    "split"(original: STRING, delimiter: STRING.or(LIST)) -> LIST, Scalar(text::split),
        "The parts of a text between delimiters.";
    "toLower"(input: STRING) -> STRING, Scalar(text::lower), "The text in lower case.";
    "toUpper"(input: STRING) -> STRING, Scalar(text::upper), "The text in upper case.";
    "lower"(input: STRING) -> STRING, Scalar(text::lower), "The text in lower case.";
    "upper"(input: STRING) -> STRING, Scalar(text::upper), "The text in upper case.";
    "trim"(input: STRING; characters: STRING) -> STRING, Scalar(text::trim),
        "A text without white space, or some characters, at both ends.";
    "btrim"(input: STRING; characters: STRING) -> STRING, Scalar(text::trim),
        "A text without white space, or some characters, at both ends.";
    "ltrim"(input: STRING; characters: STRING) -> STRING, Scalar(text::trim_start),
        "A text without white space, or some characters, at its start.";
    "rtrim"(input: STRING; characters: STRING) -> STRING, Scalar(text::trim_end),
        "A text without white space, or some characters, at its end.";
    "normalize"(input: STRING; form: STRING) -> STRING, Scalar(text::normalize),
        "A text in a normal form of Unicode: NFC, NFD, NFKC, NFKD.";
};

/// Functions of times.
const TIMES: &[Function] = functions! { "Temporal":
    "date"(;input: SOURCE) -> Types::DATE, Scalar(time::date), "A day: now, or of a text, a map or another value.";
    "date.statement"(;timezone: STRING.or(MAP)) -> Types::DATE, Scalar(time::date_statement),
        "The day of the statement.";
    "date.transaction"(;timezone: STRING.or(MAP)) -> Types::DATE, Scalar(time::date_transaction),
        "The day on which the transaction began.";
    "date.realtime"(;timezone: STRING.or(MAP)) -> Types::DATE, Scalar(time::date_realtime),
        "The day of the clock.", random;
    "date.truncate"(unit: STRING; input: INSTANT, fields: MAP) -> Types::DATE, Scalar(time::date_truncate),
        "A day cut to a unit.";
    "time"(;input: SOURCE) -> Types::TIME, Scalar(time::time),
        "A time with offset: now, or of a text, a map or another value.";
    "time.statement"(;timezone: STRING.or(MAP)) -> Types::TIME, Scalar(time::time_statement),
        "The time of the statement.";
    "time.transaction"(;timezone: STRING.or(MAP)) -> Types::TIME, Scalar(time::time_transaction),
        "The time at which the transaction began.";
    "time.realtime"(;timezone: STRING.or(MAP)) -> Types::TIME, Scalar(time::time_realtime),
        "The time of the clock.", random;
    "time.truncate"(unit: STRING; input: INSTANT, fields: MAP) -> Types::TIME, Scalar(time::time_truncate),
        "A time cut to a unit.";
    "localtime"(;input: SOURCE) -> Types::LOCAL_TIME, Scalar(time::localtime),
        "A time without offset: now, or of a text, a map or another value.";
    "localtime.statement"(;timezone: STRING.or(MAP)) -> Types::LOCAL_TIME, Scalar(time::localtime_statement),
        "The time of the statement.";
    "localtime.transaction"(;timezone: STRING.or(MAP)) -> Types::LOCAL_TIME, Scalar(time::localtime_transaction),
        "The time at which the transaction began.";
    "localtime.realtime"(;timezone: STRING.or(MAP)) -> Types::LOCAL_TIME, Scalar(time::localtime_realtime),
        "The time of the clock.", random;
    "localtime.truncate"(unit: STRING; input: INSTANT, fields: MAP) -> Types::LOCAL_TIME,
        Scalar(time::localtime_truncate), "A time cut to a unit.";
    "localdatetime"(;input: SOURCE) -> Types::LOCAL_DATE_TIME, Scalar(time::localdatetime),
        "A day and time without offset: now, or of a text, a map or another value.";
    "localdatetime.statement"(;timezone: STRING.or(MAP)) -> Types::LOCAL_DATE_TIME,
        Scalar(time::localdatetime_statement), "Day and time of the statement.";
    "localdatetime.transaction"(;timezone: STRING.or(MAP)) -> Types::LOCAL_DATE_TIME,
        Scalar(time::localdatetime_transaction), "Day and time at which the transaction began.";
    "localdatetime.realtime"(;timezone: STRING.or(MAP)) -> Types::LOCAL_DATE_TIME,
        Scalar(time::localdatetime_realtime), "Day and time of the clock.", random;
    "localdatetime.truncate"(unit: STRING; input: INSTANT, fields: MAP) -> Types::LOCAL_DATE_TIME,
        Scalar(time::localdatetime_truncate), "Day and time cut to a unit.";
    "datetime"(;input: SOURCE) -> Types::DATE_TIME, Scalar(time::datetime),
        "A moment: now, or of a text, a map or another value.";
    "datetime.statement"(;timezone: STRING.or(MAP)) -> Types::DATE_TIME, Scalar(time::datetime_statement),
        "The moment of the statement.";
    "datetime.transaction"(;timezone: STRING.or(MAP)) -> Types::DATE_TIME, Scalar(time::datetime_transaction),
        "The moment at which the transaction began.";
    "datetime.realtime"(;timezone: STRING.or(MAP)) -> Types::DATE_TIME, Scalar(time::datetime_realtime),
        "The moment of the clock.", random;
    "datetime.truncate"(unit: STRING; input: INSTANT, fields: MAP) -> Types::DATE_TIME,
        Scalar(time::datetime_truncate), "A moment cut to a unit.";
    "datetime.fromepoch"(seconds: NUMBER, nanoseconds: NUMBER) -> Types::DATE_TIME, Scalar(time::from_epoch),
        "The moment of seconds and nanoseconds since 1970.";
    "datetime.fromepochmillis"(milliseconds: NUMBER) -> Types::DATE_TIME, Scalar(time::from_epoch_millis),
        "The moment of milliseconds since 1970.";
    "duration"(input: STRING.or(MAP).or(LENGTH)) -> LENGTH, Scalar(time::duration),
        "A length of time of a text or a map.";
    "duration.between"(from: INSTANT, to: INSTANT) -> LENGTH, Scalar(time::between),
        "The length between two, in months, days and seconds.";
    "duration.inMonths"(from: INSTANT, to: INSTANT) -> LENGTH, Scalar(time::in_months),
        "The length between two, in whole months.";
    "duration.inDays"(from: INSTANT, to: INSTANT) -> LENGTH, Scalar(time::in_days),
        "The length between two, in whole days.";
    "duration.inSeconds"(from: INSTANT, to: INSTANT) -> LENGTH, Scalar(time::in_seconds),
        "The length between two, in seconds.";
};

/// Functions of points.
const SPACE: &[Function] = functions! { "Spatial":
    "point"(input: MAP) -> POINT, Scalar(space::point), "A point of its coordinates.";
    "point.distance"(from: ANY, to: ANY) -> FLOAT, Scalar(space::distance), "The distance of two points.";
    "distance"(from: ANY, to: ANY) -> FLOAT, Scalar(space::distance), "The distance of two points.";
    "point.withinBBox"(point: ANY, lowerLeft: ANY, upperRight: ANY) -> BOOLEAN, Scalar(space::within),
        "Whether a point is inside a box.";
};

/// Functions that make a value of one type of one of another.
const CONVERSIONS: &[Function] = functions! { "Conversion":
    "toBoolean"(input: BOOLEAN.or(STRING).or(INTEGER)) -> BOOLEAN, Scalar(convert::boolean),
        "A text or integer as a boolean; null if it is none.";
    "toBooleanOrNull"(input: ANY) -> BOOLEAN, Scalar(convert::boolean_or_null),
        "Any value as a boolean; null if it is none.";
    "toBooleanList"(input: LIST) -> LIST, Scalar(convert::boolean_list),
        "The elements as booleans, null for those that are none.";
    "toInteger"(input: NUMBER.or(STRING).or(BOOLEAN)) -> INTEGER, Scalar(convert::integer),
        "A number, text or boolean as an integer; null if it is none.";
    "toIntegerOrNull"(input: ANY) -> INTEGER, Scalar(convert::integer_or_null),
        "Any value as an integer; null if it is none.";
    "toIntegerList"(input: LIST) -> LIST, Scalar(convert::integer_list),
        "The elements as integers, null for those that are none.";
    "toFloat"(input: NUMBER.or(STRING)) -> FLOAT, Scalar(convert::float),
        "A number or text as a float; null if it is none.";
    "toFloatOrNull"(input: ANY) -> FLOAT, Scalar(convert::float_or_null), "Any value as a float; null if it is none.";
    "toFloatList"(input: LIST) -> LIST, Scalar(convert::float_list),
        "The elements as floats, null for those that are none.";
    "toString"(input: BOOLEAN.or(NUMBER).or(STRING).or(INSTANT).or(LENGTH).or(POINT)) -> STRING,
        Scalar(convert::string), "A value as text.";
    "toStringOrNull"(input: ANY) -> STRING, Scalar(convert::string_or_null),
        "Any value as text; null if it has none.";
    "toStringList"(input: LIST) -> LIST, Scalar(convert::string_list),
        "The elements as texts, null for those that have none.";
};

/// Functions of vectors.
const VECTORS: &[Function] = functions! { "Vector":
    "vector.similarity.cosine"(a: LIST, b: LIST) -> FLOAT, Scalar(space::cosine),
        "How alike the directions of two vectors are, from 0 to 1.";
    "vector.similarity.euclidean"(a: LIST, b: LIST) -> FLOAT, Scalar(space::euclidean),
        "How near two vectors are, from 0 to 1.";
};
