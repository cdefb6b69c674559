//! The Java classes HugeGraph runs tasks with, for clients that show them.

use graph_model::Task;

/// The class HugeGraph would run a task with; `None` where it has none. Tasks of earlier versions have it stored.
#[must_use]
pub fn task_class(task: &Task) -> Option<&str> {
    if !task.callable.is_empty() {
        return Some(&task.callable);
    }
    match &*task.task_type {
        "gremlin" => return Some("org.apache.hugegraph.job.GremlinJob"),
        "algorithm" => return Some("org.apache.hugegraph.job.AlgorithmJob"),
        "computer" => return Some("org.apache.hugegraph.job.ComputerJob"),
        _ => {}
    }
    let (target, _) = task.name.split_once(':')?;
    match (&*task.task_type, target) {
        ("remove_schema", "VERTEX_LABEL") => Some("org.apache.hugegraph.job.schema.VertexLabelRemoveJob"),
        ("remove_schema", "EDGE_LABEL") => Some("org.apache.hugegraph.job.schema.EdgeLabelRemoveJob"),
        ("remove_schema", "INDEX_LABEL") => Some("org.apache.hugegraph.job.schema.IndexLabelRemoveJob"),
        ("remove_schema", "PROPERTY_KEY") => Some("org.apache.hugegraph.job.schema.PropertyKeyRemoveJob"),
        ("rebuild_index", _) => Some("org.apache.hugegraph.job.schema.IndexLabelRebuildJob"),
        ("create_olap", _) => Some("org.apache.hugegraph.job.schema.OlapPropertyKeyCreateJob"),
        ("clear_olap", _) => Some("org.apache.hugegraph.job.schema.OlapPropertyKeyClearJob"),
        ("remove_olap", _) => Some("org.apache.hugegraph.job.schema.OlapPropertyKeyRemoveJob"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use graph_model::TaskStatus;

    use super::*;

    fn task(task_type: &str, name: &str, callable: &str) -> Task {
        Task {
            id: 1,
            task_type: task_type.to_owned(),
            name: name.to_owned(),
            callable: callable.to_owned(),
            status: TaskStatus::Queued,
            progress: 0,
            created_ms: 0,
            updated_ms: 0,
            retries: 0,
            result: None,
            input: Vec::new(),
        }
    }

    #[test]
    fn the_class_is_the_stored_one_or_that_of_the_kind_and_the_target() {
        let class = |kind, name, callable| task_class(&task(kind, name, callable)).map(str::to_owned);
        let removal = Some("org.apache.hugegraph.job.schema.EdgeLabelRemoveJob".to_owned());
        assert_eq!(class("remove_schema", "EDGE_LABEL:3:knows:much", ""), removal);
        let olap = Some("org.apache.hugegraph.job.schema.OlapPropertyKeyClearJob".to_owned());
        assert_eq!(class("clear_olap", "PROPERTY_KEY:1:rank", ""), olap);
        assert_eq!(class("remove_schema", "EDGE_LABEL:3:knows", "stored"), Some("stored".to_owned()));
        assert_eq!(class("script", "g", ""), None);
    }
}
