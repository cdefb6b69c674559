package org.apache.hugegraph.util;

// HugeGraph 1.7.0 with authentication does not start on Java 17: its own class of this name hides fields from reflection by a method that
// Java no longer has. This one is found first and hides nothing.
public class Reflection {
    public static void registerFieldsToFilter(Class<?> containingClass, String... fieldNames) {}

    public static void registerMethodsToFilter(Class<?> containingClass, String... methodNames) {}

    public static Class<?> loadClass(String clazz) {
        try {
            return Class.forName(clazz);
        } catch (ClassNotFoundException error) {
            throw new IllegalStateException(error);
        }
    }
}
