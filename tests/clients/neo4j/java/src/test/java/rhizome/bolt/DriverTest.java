package rhizome.bolt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.neo4j.driver.AuthTokens;
import org.neo4j.driver.Driver;
import org.neo4j.driver.GraphDatabase;
import org.neo4j.driver.Record;
import org.neo4j.driver.Result;
import org.neo4j.driver.Session;
import org.neo4j.driver.SessionConfig;
import org.neo4j.driver.exceptions.ClientException;
import org.neo4j.driver.exceptions.Neo4jException;
import org.neo4j.driver.types.Node;
import org.neo4j.driver.types.Path;
import org.neo4j.driver.types.Relationship;

/** Neo4j's Java driver, unmodified, over bolt:// and neo4j://. */
class DriverTest {
    private static final String GRAPH = "javadriver" + System.getProperty("driver.version").split("\\.")[0];

    @BeforeAll
    static void makeGraph() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(System.getProperty("rhizome.url") + "/graphs/" + GRAPH))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"schema.mode\": \"auto\"}"))
                .build();
        int status = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
        assertTrue(status == 200 || status == 201, "status " + status);
    }

    private static Driver driver(String scheme) {
        return GraphDatabase.driver(scheme + "://" + System.getProperty("rhizome.bolt"), AuthTokens.basic("any", "body"));
    }

    private static Session session(Driver driver) {
        Session session = driver.session(SessionConfig.builder().withDatabase(GRAPH).withFetchSize(10).build());
        session.run("MATCH (n) DETACH DELETE n").consume();
        return session;
    }

    @ParameterizedTest
    @ValueSource(strings = {"bolt", "neo4j"})
    void valuesComeBack(String scheme) {
        try (Driver driver = driver(scheme); Session session = session(driver)) {
            driver.verifyConnectivity();
            for (Object value : List.of(true, Long.MAX_VALUE, 1.5, "text", Arrays.asList(1L, null), Map.of("a", "b"),
                    LocalDate.of(2024, 2, 29))) {
                assertEquals(value, session.run("RETURN $x AS x", Map.of("x", value)).single().get("x").asObject());
            }
            assertNull(session.run("RETURN null AS x").single().get("x").asObject());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bolt", "neo4j"})
    void elements(String scheme) {
        try (Driver driver = driver(scheme); Session session = session(driver)) {
            Result result = session.run("CREATE (a:Person {name: 'a'})-[r:KNOWS {since: 2020}]->(b:Person) RETURN a, r, b");
            Record record = result.single();
            Node a = record.get("a").asNode();
            Relationship r = record.get("r").asRelationship();
            assertEquals("a", a.get("name").asString());
            assertEquals("KNOWS", r.type());
            assertEquals(a.id(), r.startNodeId());
            assertEquals(2, result.consume().counters().nodesCreated());
            Path path = session.run("MATCH p = (:Person)-[:KNOWS]->() RETURN p").single().get("p").asPath();
            assertEquals("a", path.start().get("name").asString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bolt", "neo4j"})
    void rowsBeyondTheFetchSize(String scheme) {
        try (Driver driver = driver(scheme); Session session = session(driver)) {
            assertEquals(1000, session.run("UNWIND range(1, 1000) AS x RETURN x").list().size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bolt", "neo4j"})
    void transactions(String scheme) {
        try (Driver driver = driver(scheme); Session session = session(driver)) {
            try (var transaction = session.beginTransaction()) {
                transaction.run("CREATE (:T)").consume();
                transaction.rollback();
            }
            try (var transaction = session.beginTransaction()) {
                transaction.run("CREATE (:T {x: 7})").consume();
                assertEquals(7, transaction.run("MATCH (n:T) RETURN n.x AS x").single().get("x").asInt());
                transaction.commit();
            }
            assertEquals(1, session.run("MATCH (n:T) RETURN count(n) AS c").single().get("c").asInt());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bolt", "neo4j"})
    void failures(String scheme) {
        try (Driver driver = driver(scheme); Session session = session(driver)) {
            for (var each : Map.of("RETURN foo", "SyntaxError", "RETURN 1/0", "ArithmeticError").entrySet()) {
                Neo4jException wrong = assertThrows(ClientException.class, () -> session.run(each.getKey()).consume());
                assertEquals("Neo.ClientError.Statement." + each.getValue(), wrong.code());
            }
            assertEquals(1, session.run("RETURN 1 AS x").single().get("x").asInt());
        }
    }
}
