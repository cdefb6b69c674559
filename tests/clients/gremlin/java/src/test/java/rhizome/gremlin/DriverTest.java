package rhizome.gremlin;

import static org.apache.tinkerpop.gremlin.process.traversal.AnonymousTraversalSource.traversal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.tinkerpop.gremlin.driver.Client;
import org.apache.tinkerpop.gremlin.driver.Cluster;
import org.apache.tinkerpop.gremlin.driver.RequestOptions;
import org.apache.tinkerpop.gremlin.driver.Result;
import org.apache.tinkerpop.gremlin.driver.exception.ResponseException;
import org.apache.tinkerpop.gremlin.driver.remote.DriverRemoteConnection;
import org.apache.tinkerpop.gremlin.process.traversal.Order;
import org.apache.tinkerpop.gremlin.process.traversal.P;
import org.apache.tinkerpop.gremlin.process.traversal.Path;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.__;
import org.apache.tinkerpop.gremlin.structure.Edge;
import org.apache.tinkerpop.gremlin.structure.T;
import org.apache.tinkerpop.gremlin.structure.Transaction;
import org.apache.tinkerpop.gremlin.structure.Vertex;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The driver with its own settings (GraphBinary), as its users use it. */
class DriverTest {

    private static final String GRAPH = "javadriver";
    private static final String SOURCE = "g" + GRAPH;
    private static final int VERTICES = 500;
    private static final URI SERVER = URI.create(System.getProperty("rhizome.url"));

    /** The administrator's password of a server that asks for one; else empty. */
    private static final String PASSWORD = System.getProperty("rhizome.password", "");

    private static Cluster cluster;
    private static Client client;
    private static GraphTraversalSource g;

    @BeforeAll
    static void load() throws Exception {
        HttpRequest.Builder create = HttpRequest.newBuilder(SERVER.resolve("/graphs/" + GRAPH))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"schema.mode\": \"auto\"}"));
        Cluster.Builder building = Cluster.build(SERVER.getHost()).port(SERVER.getPort());
        if (!PASSWORD.isEmpty()) {
            String login = Base64.getEncoder().encodeToString(("admin:" + PASSWORD).getBytes(StandardCharsets.UTF_8));
            create.header("Authorization", "Basic " + login);
            building.credentials("admin", PASSWORD);
        }
        HttpResponse<String> created = HttpClient.newHttpClient().send(create.build(), HttpResponse.BodyHandlers.ofString());
        assertTrue(created.statusCode() < 300, created.body());
        cluster = building.create();
        client = cluster.connect().alias(SOURCE);
        g = traversal().withRemote(DriverRemoteConnection.using(cluster, SOURCE));
        for (int first = 0; first < VERTICES; first += 50) {
            StringBuilder script = new StringBuilder("g");
            for (int n = first; n < first + 50; n++) {
                script.append(".addV('node').property(T.id, " + n + ").property('n', " + n + ")");
            }
            client.submit(script + ".iterate()").all().get();
        }
        client.submit("g.addE('next').from(__.V(7)).to(__.V(8)).property('w', 7.5d).iterate()").all().get();
    }

    @AfterAll
    static void close() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aTraversalCounts() {
        assertEquals((long) VERTICES, g.V().count().next());
    }

    @Test
    void elementsComeAsElements() {
        Vertex vertex = g.V(7).next();
        assertEquals(7, vertex.id());
        assertEquals("node", vertex.label());
        Edge edge = g.V(vertex).outE("next").next();
        assertEquals(7, edge.outVertex().id());
        assertEquals(8, edge.inVertex().id());
        assertEquals(7.5, g.E(edge).values("w").next());
        Path path = g.V(7).as("a").out().path().next();
        assertEquals(2, path.size());
        assertTrue(path.hasLabel("a"));
    }

    @Test
    void stepsWithArgumentsOfAllKinds() {
        assertEquals(List.of(12, 11, 10), g.V().has("n", P.between(10, 13)).values("n").order().by(Order.desc).toList());
        assertEquals(Map.of("id", 7, "out", 1L), g.V(7).project("id", "out").by(T.id).by(__.out().count()).next());
        assertEquals(Map.of("node", (long) VERTICES), g.V().groupCount().by(T.label).next());
    }

    @Test
    void valuesGoThereAndBack() {
        Map<String, Object> ordered = new LinkedHashMap<>();
        ordered.put("b", 1);
        ordered.put("a", List.of(2L, 1.5));
        List<Object> there = List.of(1, 2L, 1.5, "é\n\"'", true, new UUID(0, 5), ordered,
                new java.math.BigDecimal("1.10"), new java.math.BigInteger("1180591620717411303424"));
        assertEquals(there, g.inject(there).next());
        java.time.OffsetDateTime moment = java.time.OffsetDateTime.parse("2024-02-29T12:30:15.25Z");
        assertEquals(moment, g.inject((Object) moment).next());
    }

    @Test
    void equalResultsComeAsOftenAsTheyOccur() {
        assertEquals(300, g.V().limit(300).constant("x").toList().size());
    }

    @Test
    void aLargeResultComesWhole() throws Exception {
        List<Result> results = client.submit("g.V().values('n')").all().get();
        assertEquals(VERTICES, results.stream().map(Result::getInt).distinct().count());
    }

    @Test
    void aScriptHasBindings() throws Exception {
        List<Result> results = client.submit("g.V().has('n', x).values('n')", Map.of("x", 5)).all().get();
        assertEquals(5, results.get(0).getInt());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"g.V(|597", "noSuchName.V()|597", "g.inject(1).fail('stop here')|595"})
    void anErrorHasItsStatus(String script, int status) throws Exception {
        ExecutionException failed = assertThrows(ExecutionException.class, () -> client.submit(script).all().get());
        ResponseException cause = (ResponseException) failed.getCause();
        // Drivers before 3.6 have no name for the status of fail().
        int found = cause.getResponseStatusCode() == null ? 595 : cause.getResponseStatusCode().getValue();
        assertEquals(status, found, cause.getMessage());
        assertTrue(cause.getRemoteExceptionHierarchy().isPresent());
        assertEquals(1L, client.submit("g.V().limit(1).count()").all().get().get(0).getLong());
    }

    @Test
    void aQueryEndsAtItsTime() {
        RequestOptions options = RequestOptions.build().timeout(300).create();
        String script = "g.V().V().V().path().count()";
        ExecutionException failed =
                assertThrows(ExecutionException.class, () -> client.submit(script, options).all().get());
        assertEquals(598, ((ResponseException) failed.getCause()).getResponseStatusCode().getValue());
    }

    @Test
    void aSessionKeepsVariables() throws Exception {
        Client session = cluster.connect(UUID.randomUUID().toString());
        session.submit("x = 42").all().get();
        assertEquals(42, session.submit("x").all().get().get(0).getInt());
        session.close();
    }

    @Test
    void aTransactionIsCommittedOrRolledBack() throws Exception {
        for (boolean isKept : new boolean[] {true, false}) {
            Transaction transaction = g.tx();
            GraphTraversalSource inside = transaction.begin();
            inside.addV("tx").property("n", 1).iterate();
            if (isKept) {
                transaction.commit();
            } else {
                transaction.rollback();
            }
            assertEquals(1L, g.V().hasLabel("tx").count().next());
        }
    }
}
