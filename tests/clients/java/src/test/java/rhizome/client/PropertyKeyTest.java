package rhizome.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rhizome.client.Server.name;
import static rhizome.client.Server.schema;

import java.util.List;

import org.apache.hugegraph.structure.constant.AggregateType;
import org.apache.hugegraph.structure.constant.Cardinality;
import org.apache.hugegraph.structure.constant.DataType;
import org.apache.hugegraph.structure.constant.WriteType;
import org.apache.hugegraph.structure.schema.PropertyKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Property keys: create, read, list, change user data, delete. */
class PropertyKeyTest {

    @ParameterizedTest
    @EnumSource(DataType.class)
    void everyDataType(DataType type) {
        String name = name("type_" + type.name());
        PropertyKey created = schema().propertyKey(name).dataType(type).create();
        assertTrue(created.id() > 0);
        PropertyKey read = schema().getPropertyKey(name);
        assertEquals(type, read.dataType());
        assertEquals(Cardinality.SINGLE, read.cardinality());
        assertEquals(AggregateType.NONE, read.aggregateType());
        assertEquals(WriteType.OLTP, read.writeType());
        assertEquals("CREATED", read.status());
        assertTrue(read.properties().isEmpty());
    }

    @ParameterizedTest
    @EnumSource(Cardinality.class)
    void everyCardinality(Cardinality cardinality) {
        String name = name("cardinality_" + cardinality.name());
        schema().propertyKey(name).asText().cardinality(cardinality).create();
        assertEquals(cardinality, schema().getPropertyKey(name).cardinality());
    }

    @Test
    void idsAreDistinct() {
        PropertyKey first = schema().propertyKey(name("id_first")).asInt().create();
        PropertyKey second = schema().propertyKey(name("id_second")).asInt().create();
        assertTrue(second.id() > first.id());
    }

    @Test
    void listAndListByNames() {
        String first = name("list_first");
        String second = name("list_second");
        schema().propertyKey(first).asText().create();
        schema().propertyKey(second).asLong().create();
        List<String> all = schema().getPropertyKeys().stream().map(PropertyKey::name).toList();
        assertTrue(all.containsAll(List.of(first, second)));
        assertTrue(all.stream().noneMatch(name -> name.startsWith("~")), "system keys are hidden");
        List<String> named = schema().getPropertyKeys(List.of(first, second)).stream().map(PropertyKey::name).toList();
        assertEquals(2, named.size());
        assertTrue(named.containsAll(List.of(first, second)));
        Server.assertRefused(404, Server.NOT_FOUND,
                () -> schema().getPropertyKeys(List.of(first, name("list_absent"))));
    }

    @Test
    void userDataIsAppendedAndEliminated() {
        String name = name("user_data");
        PropertyKey created = schema().propertyKey(name).asText().userdata("min", 0).userdata("max", 100).create();
        assertEquals(0, created.userdata().get("min"));
        assertTrue(created.userdata().containsKey("~create_time"));

        PropertyKey appended = schema().propertyKey(name).userdata("unit", "cm").userdata("max", 200).append();
        assertEquals("cm", appended.userdata().get("unit"));
        assertEquals(200, appended.userdata().get("max"));
        assertEquals(0, appended.userdata().get("min"));

        PropertyKey eliminated = schema().propertyKey(name).userdata("min", "").eliminate();
        assertFalse(eliminated.userdata().containsKey("min"));
        assertEquals("cm", schema().getPropertyKey(name).userdata().get("unit"));
    }

    @Test
    void existing() {
        String name = name("existing");
        PropertyKey created = schema().propertyKey(name).asText().create();
        PropertyKey again = schema().propertyKey(name).asText().ifNotExist().create();
        assertEquals(created.id(), again.id());
        Server.assertRefused(400, Server.EXISTED, () -> schema().propertyKey(name).asText().create());
        Server.assertRefused(400, Server.EXISTED, () -> schema().propertyKey(name).asInt().ifNotExist().create());
    }

    @Test
    void illegalNames() {
        for (String name : new String[] {"~hidden", "blank ", "a:b", "a>b", "a!b", "a#b"}) {
            Server.assertRefused(400, Server.ILLEGAL_ARGUMENT, () -> schema().propertyKey(name).asText().create());
        }
    }

    @Test
    void namesOfAnyLanguage() {
        String name = name("price in \u20ac \u4ef7\u683c");
        schema().propertyKey(name).asDouble().create();
        assertEquals(name, schema().getPropertyKey(name).name());
    }

    @Test
    void delete() {
        String name = name("delete");
        schema().propertyKey(name).asText().create();
        schema().removePropertyKey(name);
        Server.assertRefused(404, Server.NOT_FOUND, () -> schema().getPropertyKey(name));
        Server.assertRefused(404, Server.NOT_FOUND, () -> schema().removePropertyKey(name));
    }

    @Test
    void deleteInUse() {
        String key = name("in_use");
        schema().propertyKey(key).asText().create();
        schema().vertexLabel(name("uses_key")).useCustomizeStringId().properties(key).create();
        Server.assertRefused(400, Server.NOT_ALLOWED, () -> schema().removePropertyKey(key));
    }
}
