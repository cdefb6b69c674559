package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;

import org.apache.hugegraph.client.RestClient;
import org.apache.hugegraph.driver.GraphManager;
import org.apache.hugegraph.driver.GraphsManager;
import org.apache.hugegraph.driver.HugeClient;
import org.apache.hugegraph.driver.JobManager;
import org.apache.hugegraph.driver.SchemaManager;
import org.apache.hugegraph.driver.TaskManager;
import org.apache.hugegraph.driver.TraverserManager;
import org.apache.hugegraph.driver.VariablesManager;
import org.apache.hugegraph.exception.ServerException;
import org.apache.hugegraph.structure.schema.EdgeLabel;
import org.junit.jupiter.api.function.Executable;

/**
 * The server under test, shared by all test classes of a run. Its graph must be empty at the start; every schema name
 * made here carries a suffix of the run.
 */
final class Server {

    static final String URL = System.getProperty("rhizome.url", "http://127.0.0.1:8080");
    /** The administrator's password of a server that asks for one; else empty. */
    static final String PASSWORD = System.getProperty("rhizome.password", "");
    static final String USER = PASSWORD.isEmpty() ? "" : "admin";
    static final String CLIENT_VERSION = System.getProperty("client.version", "1.5.0");

    /** Whether the server is Apache HugeGraph itself, against which these tests are checked. */
    static final boolean REFERENCE = Boolean.getBoolean("rhizome.reference");

    /** Tag of tests that Apache HugeGraph itself fails; left out when the tests are checked against it. */
    static final String BEYOND_HUGEGRAPH = "beyond-hugegraph";

    static final String ILLEGAL_ARGUMENT = "class java.lang.IllegalArgumentException";
    static final String NOT_FOUND = "class org.apache.hugegraph.exception.NotFoundException";
    static final String EXISTED = "class org.apache.hugegraph.exception.ExistedException";
    static final String NOT_ALLOWED = "class org.apache.hugegraph.exception.NotAllowException";

    private static final String RUN = "_" + Long.toString(System.currentTimeMillis(), 36);
    private static final RestClient CLIENT = new RestClient(URL, USER, PASSWORD, 60);
    private static final SchemaManager SCHEMA;
    private static final GraphManager GRAPH;
    private static final TaskManager TASKS = new TaskManager(CLIENT, "hugegraph");
    private static final JobManager JOBS = new JobManager(CLIENT, "hugegraph");
    private static final VariablesManager VARIABLES = new VariablesManager(CLIENT, "hugegraph");
    private static final GraphsManager GRAPHS = new GraphsManager(CLIENT);

    static {
        if (acceptsVersion()) {
            HugeClient client = HugeClient.builder(URL, "hugegraph").configUser(USER, PASSWORD).build();
            SCHEMA = client.schema();
            GRAPH = client.graph();
        } else {
            SCHEMA = new SchemaManager(CLIENT, "hugegraph");
            GRAPH = new GraphManager(CLIENT, "hugegraph");
        }
    }

    private Server() {
    }

    /**
     * Client 1.0.0 refuses every server of API 0.70 or newer, so HugeGraph's own since 1.2; Rhizome answers it in the
     * form of HugeGraph 1.0. Against HugeGraph itself its managers are made by hand, around the check.
     */
    static boolean acceptsVersion() {
        return !REFERENCE || !CLIENT_VERSION.equals("1.0.0");
    }

    static SchemaManager schema() {
        return SCHEMA;
    }

    static GraphManager graph() {
        return GRAPH;
    }

    static TaskManager tasks() {
        return TASKS;
    }

    static JobManager jobs() {
        return JOBS;
    }

    static VariablesManager variables() {
        return VARIABLES;
    }

    /** Administration of whole graphs. */
    static GraphsManager graphs() {
        return GRAPHS;
    }

    static TraverserManager traverser() {
        return new TraverserManager(CLIENT, GRAPH);
    }

    /** A manager of the elements of another graph. */
    static GraphManager graph(String name) {
        return new GraphManager(CLIENT, name);
    }

    static SchemaManager schema(String graph) {
        return new SchemaManager(CLIENT, graph);
    }

    /** A schema name of this run. */
    static String name(String plain) {
        return plain + RUN;
    }

    /**
     * Clients before 1.5 refuse fields they do not know, and edge labels have had two more since server 1.5
     * (edgelabel_type, links). Such a client creates the label and then fails to read the answer, with Apache
     * HugeGraph's server just as with this one; except 1.0.0, which Rhizome recognises by its user agent.
     */
    static boolean readsEdgeLabels() {
        Set<String> unable = REFERENCE ? Set.of("1.0.0", "1.2.0", "1.3.0") : Set.of("1.2.0", "1.3.0");
        return !unable.contains(CLIENT_VERSION);
    }

    /** Creates an edge label; with a client that cannot read the answer, checks that exactly this is what failed. */
    static void createEdgeLabel(EdgeLabel.Builder builder) {
        if (readsEdgeLabels()) {
            builder.create();
        } else {
            assertEdgeLabelUnreadable(builder::create);
        }
    }

    static void assertEdgeLabelUnreadable(Executable call) {
        Throwable error = assertThrows(RuntimeException.class, call, "the client has learnt the new fields");
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            messages.append(cause).append('\n');
        }
        assertTrue(messages.toString().contains("edgelabel_type"), messages.toString());
    }

    /** The call must be refused with this status and this Java class name, and a message for people. */
    static ServerException assertRefused(int status, String exception, Executable call) {
        Throwable thrown = assertThrows(Throwable.class, call);
        // The schema builders of the client are proxies and wrap what was thrown.
        while (!(thrown instanceof ServerException) && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        ServerException error = assertInstanceOf(ServerException.class, thrown);
        assertEquals(exception, error.exception(), error.getMessage());
        assertEquals(status, error.status(), error.getMessage());
        assertTrue(error.getMessage() != null && !error.getMessage().isBlank(), "a message for people");
        return error;
    }
}
