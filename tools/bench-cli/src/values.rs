//! Values of bench options that have a form of their own.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use load_test::LatencyFigure;

/// A time such as `30s`, `500ms` or `2m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("\"{text}\" is no time; write a number with its unit, as 30s, 500ms or 2m");
    let parsed: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
    Duration::try_from(parsed).map_err(|_| wrong())
}

/// A bound on latency, such as `p99=500ms` or `mean=20ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LatencyBound {
    pub(crate) figure: LatencyFigure,
    pub(crate) most: Duration,
}

impl FromStr for LatencyBound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, time) =
            text.split_once('=').ok_or_else(|| format!("\"{text}\": write FIGURE=TIME, as p99=500ms"))?;
        let figure = match name {
            "mean" => LatencyFigure::Mean,
            "p50" => LatencyFigure::P50,
            "p90" => LatencyFigure::P90,
            "p95" => LatencyFigure::P95,
            "p99" => LatencyFigure::P99,
            "p99.9" => LatencyFigure::P999,
            _ => return Err(format!("\"{name}\" is no figure; there are mean, p50, p90, p95, p99 and p99.9")),
        };
        Ok(Self { figure, most: duration(time)? })
    }
}

/// What an axis of a study varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AxisKind {
    /// Number of processors of the server.
    Cpu,
    /// Its memory budget.
    Memory,
    /// Its data folder, for instance on another disk.
    Data,
}

/// One axis of a study with its points, such as `cpu=1,2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) kind: AxisKind,
    pub(crate) points: Vec<String>,
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, points) =
            text.split_once('=').ok_or_else(|| format!("\"{text}\": write AXIS=POINT,POINT, as cpu=1,2"))?;
        let kind = match name {
            "cpu" => AxisKind::Cpu,
            "memory" => AxisKind::Memory,
            "data" => AxisKind::Data,
            _ => return Err(format!("\"{name}\" is no axis; there are cpu, memory and data")),
        };
        let points: Vec<String> = points.split(',').map(|point| point.trim().to_owned()).collect();
        for point in &points {
            let is_right = match kind {
                AxisKind::Cpu => point.parse::<usize>().is_ok_and(|cpus| cpus > 0),
                AxisKind::Memory => point.parse::<bytesize::ByteSize>().is_ok(),
                AxisKind::Data => !point.is_empty(),
            };
            if !is_right {
                return Err(format!(
                    "\"{point}\" is no point of {name}; points are as cpu=1,2 or memory=512M,2G or data=/a,/b"
                ));
            }
        }
        Ok(Self { kind, points })
    }
}

impl fmt::Display for AxisKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Data => "data",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        for wrong in ["30", "", "-3s", "soon"] {
            assert!(duration(wrong).unwrap_err().contains("30s"), "{wrong}");
        }
    }

    #[test]
    fn bounds_and_axes_explain_themselves() {
        let bound: LatencyBound = "p99.9=20ms".parse().unwrap();
        assert_eq!((bound.figure, bound.most), (LatencyFigure::P999, Duration::from_millis(20)));
        assert!("p98=1s".parse::<LatencyBound>().unwrap_err().contains("p99"));
        let axis: Axis = "memory=512M,2GiB".parse().unwrap();
        assert_eq!((axis.kind, axis.points.len()), (AxisKind::Memory, 2));
        assert!("cpu=0".parse::<Axis>().unwrap_err().contains("cpu=1,2"));
        assert!("disk=a".parse::<Axis>().unwrap_err().contains("data"));
    }
}
