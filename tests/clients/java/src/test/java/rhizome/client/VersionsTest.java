package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import org.apache.hugegraph.driver.HugeClient;
import org.apache.hugegraph.util.JsonUtil;
import org.junit.jupiter.api.Test;

/** The version handshake: a client's constructor reads /versions and refuses a server outside its range. */
class VersionsTest {

    @Test
    void clientAcceptsTheServer() {
        if (Server.acceptsVersion()) {
            HugeClient.builder(Server.URL, "hugegraph").configUser(Server.USER, Server.PASSWORD).build().close();
            return;
        }
        RuntimeException error = assertThrows(RuntimeException.class,
                () -> HugeClient.builder(Server.URL, "hugegraph").configUser(Server.USER, Server.PASSWORD).build());
        assertTrue(error.getMessage().startsWith("The version"), error.getMessage());
    }

    @Test
    void versionsAreStrings() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(Server.URL + "/versions")).build();
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode());
        Versions body = JsonUtil.fromJson(answer.body(), Versions.class);
        assertEquals("v1", body.versions.get("version"));
        for (String part : new String[] {"core", "gremlin", "api"}) {
            String version = body.versions.get(part);
            assertTrue(version.matches("\\d+\\.\\d+\\.\\d+.*|\\d+\\.\\d+"), part + " " + version);
        }
    }

    /** The JSON shape of /versions. */
    static class Versions {
        public java.util.Map<String, String> versions;
    }
}
