package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;

import org.apache.hugegraph.client.RestClient;
import org.apache.hugegraph.driver.GraphManager;
import org.apache.hugegraph.driver.GraphsManager;
import org.apache.hugegraph.driver.MetricsManager;
import org.apache.hugegraph.driver.SchemaManager;
import org.apache.hugegraph.structure.constant.GraphMode;
import org.apache.hugegraph.structure.constant.GraphReadMode;
import org.apache.hugegraph.structure.graph.Vertex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Graphs as a whole: created, cloned, cleared, dropped; and what the server says about itself. */
class GraphsTest {

    private static final String DROP = "I'm sure to drop the graph";
    private static final String CLEAR = "I'm sure to delete all data";

    private final RestClient client = new RestClient(Server.URL, Server.USER, Server.PASSWORD, 60);
    private final GraphsManager graphs = new GraphsManager(client);
    private final String name = Server.name("graphs");
    private final String other = Server.name("clone");

    @AfterEach
    void dropWhatIsLeft() {
        for (String graph : new String[] {name, other}) {
            if (graphs.listGraph().contains(graph)) {
                graphs.dropGraph(graph, DROP);
            }
        }
        client.close();
    }

    private String properties(String store) {
        return "gremlin.graph=org.apache.hugegraph.HugeFactory\nbackend=rocksdb\nserializer=binary\nstore=" + store + "\n";
    }

    /** A vertex in a graph that has just been made. */
    private Vertex fill(String graph) {
        SchemaManager schema = new SchemaManager(client, graph);
        schema.propertyKey("name").asText().create();
        schema.vertexLabel("person").properties("name").primaryKeys("name").create();
        return new GraphManager(client, graph).addVertex(new Vertex("person").property("name", "ann"));
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void aGraphIsCreatedAndDropped() {
        Map<String, String> made = graphs.createGraph(name, properties(name));
        assertEquals(name, made.get("name"));
        assertEquals("rocksdb", made.get("backend"));
        assertTrue(graphs.listGraph().contains(name));
        assertEquals(Map.of("name", name, "backend", "rocksdb"), graphs.getGraph(name));
        Server.assertRefused(400, Server.EXISTED, () -> graphs.createGraph(name, properties(name)));

        Vertex ann = fill(name);
        assertEquals(ann.id(), new GraphManager(client, name).getVertex(ann.id()).id());
        Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> graphs.dropGraph(name, CLEAR));
        graphs.dropGraph(name, DROP);
        assertFalse(graphs.listGraph().contains(name));
        Server.assertRefused(404, Server.NOT_FOUND, () -> graphs.getGraph(name));
        assertTrue(graphs.listGraph().contains("hugegraph"));
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void aCloneIsEmpty() {
        graphs.createGraph(name, properties(name));
        fill(name);
        assertEquals(other, graphs.cloneGraph(other, name, properties(other)).get("name"));
        assertTrue(new SchemaManager(client, other).getPropertyKeys().isEmpty());
        graphs.dropGraph(other, DROP);
        assertEquals("rocksdb", graphs.cloneGraph(other, name).get("backend"));
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void clearingEmptiesOneGraph() {
        graphs.createGraph(name, properties(name));
        graphs.createGraph(other, properties(other));
        fill(name);
        Vertex kept = fill(other);
        graphs.clearGraph(name, CLEAR);
        assertTrue(new SchemaManager(client, name).getVertexLabels().isEmpty());
        assertEquals(kept.id(), new GraphManager(client, other).getVertex(kept.id()).id());
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void modesBelongToOneGraph() {
        graphs.createGraph(name, properties(name));
        graphs.mode(name, GraphMode.LOADING);
        assertEquals(GraphMode.LOADING, graphs.mode(name));
        assertEquals(GraphMode.NONE, graphs.mode("hugegraph"));
        graphs.readMode(name, GraphReadMode.ALL);
        assertEquals(GraphReadMode.ALL, graphs.readMode(name));
        assertEquals(GraphReadMode.OLTP_ONLY, graphs.readMode("hugegraph"));
    }

    @Test
    void theServerHasFigures() {
        MetricsManager metrics = new MetricsManager(client);
        assertTrue(metrics.system().get("basic").containsKey("processors"));
        assertTrue(metrics.all().containsKey("gauges"));
        assertFalse(metrics.backend().isEmpty());
    }

    @Test
    @Tag(Server.BEYOND_HUGEGRAPH)
    void aGraphHasFigures() {
        Object engine = new MetricsManager(client).backend("hugegraph").get("backend");
        assertTrue(Set.of("rocksdb", "memory", "cassandra", "tikv").contains(engine), "engine " + engine);
    }
}
