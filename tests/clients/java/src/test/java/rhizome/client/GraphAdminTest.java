package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rhizome.client.Server.assertRefused;
import static rhizome.client.Server.graph;
import static rhizome.client.Server.graphs;
import static rhizome.client.Server.name;
import static rhizome.client.Server.schema;
import static rhizome.client.Server.tasks;
import static rhizome.client.Server.variables;

import java.util.List;
import java.util.Map;

import org.apache.hugegraph.exception.ServerException;
import org.apache.hugegraph.structure.Task;
import org.apache.hugegraph.structure.constant.GraphMode;
import org.apache.hugegraph.structure.constant.GraphReadMode;
import org.apache.hugegraph.structure.constant.T;
import org.apache.hugegraph.structure.graph.Vertex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Variables, modes, tasks, lifetimes, and several graphs in one server. */
class GraphAdminTest {

    static final String CLEAR = "I'm sure to delete all data";
    static final String DROP = "I'm sure to drop the graph";

    @AfterEach
    void backToNormal() {
        graphs().mode("hugegraph", GraphMode.NONE);
    }

    @Test
    void variablesOfEveryKind() {
        variables().set(name("text"), "v");
        variables().set(name("number"), 7);
        variables().set(name("list"), List.of("a", "b"));
        assertEquals(Map.of(name("text"), "v"), variables().get(name("text")));
        Map<String, Object> all = variables().all();
        assertEquals(7, all.get(name("number")));
        assertEquals(List.of("a", "b"), all.get(name("list")));
        variables().set(name("text"), "w");
        assertEquals("w", variables().get(name("text")).get(name("text")));
        variables().remove(name("text"));
        ServerException gone = assertThrows(ServerException.class, () -> variables().get(name("text")));
        assertEquals(404, gone.status());
    }

    @Test
    void loadingModeLeavesPropertiesOut() {
        schema().propertyKey(name("m_key")).asText().create();
        schema().vertexLabel(name("m_label")).useCustomizeStringId().properties(name("m_key")).create();
        assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().addVertex(T.LABEL, name("m_label"), T.ID, "m 1"));
        graphs().mode("hugegraph", GraphMode.LOADING);
        assertEquals(GraphMode.LOADING, graphs().mode("hugegraph"));
        graph().addVertex(T.LABEL, name("m_label"), T.ID, "m 1");
        graphs().mode("hugegraph", GraphMode.NONE);
        assertEquals("m 1", graph().getVertex("m 1").id());
    }

    @Test
    void restoringKeepsAutomaticIds() {
        schema().vertexLabel(name("r_label")).useAutomaticId().create();
        graphs().mode("hugegraph", GraphMode.RESTORING);
        Vertex vertex = new Vertex(name("r_label"));
        vertex.id(123_456_789L);
        assertEquals(123_456_789L, ((Number) graph().addVertex(vertex).id()).longValue());
        graphs().mode("hugegraph", GraphMode.NONE);
        assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graph().addVertex(vertex));
    }

    @Test
    void readModes() {
        graphs().readMode("hugegraph", GraphReadMode.ALL);
        assertEquals(GraphReadMode.ALL, graphs().readMode("hugegraph"));
        graphs().readMode("hugegraph", GraphReadMode.OLTP_ONLY);
        assertEquals(GraphReadMode.OLTP_ONLY, graphs().readMode("hugegraph"));
    }

    @Test
    void tasksAreListedAndDeleted() {
        schema().vertexLabel(name("k_label")).useCustomizeStringId().create();
        long id = schema().removeVertexLabelAsync(name("k_label"));
        Task task = tasks().waitUntilTaskCompleted(id, 30);
        assertTrue(task.success());
        assertEquals("remove_schema", task.type());
        assertTrue(tasks().list("SUCCESS", 100).stream().anyMatch(listed -> listed.id() == id));
        assertEquals(List.of(id), tasks().list(List.of(id)).stream().map(Task::id).toList());
        assertThrows(ServerException.class, () -> tasks().cancel(id), "it has ended");
        tasks().delete(id);
        ServerException gone = assertThrows(ServerException.class, () -> tasks().get(id));
        assertEquals(404, gone.status());
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void graphsComeAndGo() {
        // Names of graphs are short: letters, digits, underscores.
        String other = "g" + name("other");
        Map<String, String> created = graphs().createGraph(other,
                "{\"backend\":\"rocksdb\",\"serializer\":\"binary\",\"store\":\"" + other + "\"}");
        assertEquals(other, created.get("name"));
        assertTrue(graphs().listGraph().contains(other));
        assertEquals("rocksdb", graphs().getGraph(other).get("backend"));
        Server.schema(other).vertexLabel("thing").useCustomizeStringId().create();
        Server.graph(other).addVertex(T.LABEL, "thing", T.ID, "x");
        assertRefused(404, Server.NOT_FOUND, () -> graph().getVertex("x"));
        String copy = "g" + name("copy");
        graphs().cloneGraph(copy, other,
                "{\"backend\":\"rocksdb\",\"serializer\":\"binary\",\"store\":\"" + copy + "\"}");
        assertTrue(Server.schema(copy).getVertexLabels().isEmpty(), "only the configuration is copied");
        graphs().clearGraph(other, CLEAR);
        assertTrue(Server.schema(other).getVertexLabels().isEmpty());
        assertThrows(ServerException.class, () -> graphs().dropGraph(other, "do it"));
        graphs().dropGraph(other, DROP);
        graphs().dropGraph(copy, DROP);
        assertFalse(graphs().listGraph().contains(other));
        ServerException gone = assertThrows(ServerException.class, () -> Server.graph(other).getVertex("x"));
        assertEquals(404, gone.status());
    }

    @Test
    void lifetimesEnd() throws InterruptedException {
        schema().vertexLabel(name("e_label")).useCustomizeStringId().ttl(1000L).create();
        graph().addVertex(T.LABEL, name("e_label"), T.ID, "e 1");
        long deadline = System.currentTimeMillis() + 30_000;
        while (System.currentTimeMillis() < deadline) {
            try {
                graph().getVertex("e 1");
            } catch (ServerException gone) {
                assertEquals(404, gone.status());
                return;
            }
            Thread.sleep(100);
        }
        throw new AssertionError("still there after 30 s");
    }
}
