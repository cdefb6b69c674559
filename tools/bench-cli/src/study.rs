//! The points of a study: all combinations of its axes, each a server with its own settings.

use anyhow::bail;

use crate::server::ServerSettings;
use crate::values::{Axis, AxisKind};

/// Servers of one study: more would run for hours.
const POINTS_MAX: usize = 64;

/// One combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// As `cpu=1 memory=512M`; empty where there is no study.
    pub(crate) name: String,
    pub(crate) server: ServerSettings,
}

/// All combinations of the axes, based on the common settings.
pub(crate) fn points(axes: &[Axis], common: &ServerSettings) -> anyhow::Result<Vec<Point>> {
    let is_memory = common.engine.as_deref() == Some("memory")
        || common.settings.iter().any(|setting| setting.replace(' ', "") == "storage.engine=memory");
    if is_memory && axes.iter().any(|axis| axis.kind == AxisKind::Memory) {
        bail!(
            "--study memory varies the budget of the rocksdb engine, and the memory engine has none: use --engine \
             rocksdb"
        );
    }
    let mut points = vec![Point { name: String::new(), server: common.clone() }];
    for (index, axis) in axes.iter().enumerate() {
        if axes.iter().take(index).any(|earlier| earlier.kind == axis.kind) {
            bail!("--study {} is given twice; give all its points in one", axis.kind);
        }
        let refined = points.iter().flat_map(|point| axis.points.iter().map(|text| with(point, axis.kind, text)));
        points = refined.collect();
        if points.len() > POINTS_MAX {
            bail!("the study has {} combinations; {POINTS_MAX} are possible", points.len());
        }
    }
    Ok(points)
}

fn with(point: &Point, kind: AxisKind, text: &str) -> Point {
    let mut point = point.clone();
    let separator = if point.name.is_empty() { "" } else { " " };
    point.name = format!("{}{separator}{kind}={text}", point.name);
    match kind {
        AxisKind::Cpu => point.server.cpus = text.parse().ok(),
        AxisKind::Memory => point.server.settings.push(format!("storage.rocksdb.memory_budget={text}")),
        AxisKind::Data => point.server.data_in = Some(text.into()),
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_combined() {
        let axes: Vec<Axis> = ["cpu=1,2", "memory=512M,2G"].map(|text| text.parse().unwrap()).to_vec();
        let points = points(&axes, &ServerSettings::default()).unwrap();
        let names: Vec<_> = points.iter().map(|point| point.name.as_str()).collect();
        assert_eq!(names, ["cpu=1 memory=512M", "cpu=1 memory=2G", "cpu=2 memory=512M", "cpu=2 memory=2G"]);
        assert_eq!(points[3].server.cpus, Some(2));
        assert_eq!(points[3].server.settings, ["storage.rocksdb.memory_budget=2G"]);
    }

    #[test]
    fn the_memory_engine_has_no_budget_to_vary() {
        let common = ServerSettings { engine: Some("memory".to_owned()), ..ServerSettings::default() };
        let error = points(&["memory=1G".parse().unwrap()], &common).unwrap_err().to_string();
        assert!(error.contains("--engine rocksdb"), "{error}");
    }

    #[test]
    fn an_axis_cannot_be_given_twice() {
        let axes: Vec<Axis> = ["cpu=1", "cpu=2"].map(|text| text.parse().unwrap()).to_vec();
        assert!(points(&axes, &ServerSettings::default()).unwrap_err().to_string().contains("twice"));
    }
}
