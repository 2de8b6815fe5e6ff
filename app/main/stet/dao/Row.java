package stet.dao;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import stet.core.TagList;
import stet.core.TemplateDetails;

/** The current row of a query result, read by column name. */
public record Row(ResultSet result) {
    /** Maps columns to record components: created_at to {@code createdAt}, administrator to {@code isAdministrator}. */
    private record RowShape(Constructor<?> constructor, Class<?>[] types, String[] columns) {
    }

    private static final ClassValue<RowShape> SHAPES = new ClassValue<>() {
        @Override
        protected RowShape computeValue(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] types = new Class<?>[components.length];
            String[] columns = new String[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                columns[i] = column(components[i].getName());
            }
            try {
                Constructor<?> constructor = type.getDeclaredConstructor(types);
                constructor.setAccessible(true);
                return new RowShape(constructor, types, columns);
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    };

    private static String column(String component) {
        boolean isFlag = component.length() > 2 && component.startsWith("is") && Character.isUpperCase(component.charAt(2));
        StringBuilder column = new StringBuilder();
        for (char letter : component.substring(isFlag ? 2 : 0).toCharArray()) {
            if (Character.isUpperCase(letter) && column.length() > 0) {
                column.append('_');
            }
            column.append(Character.toLowerCase(letter));
        }
        return column.toString();
    }

    private static boolean isOneColumn(Class<?> type) {
        return !type.isRecord() || type == TemplateDetails.class;
    }

    /** Reads a record from the columns named after its components, or any other type from the first column. */
    public <T> T as(Class<T> type) throws SQLException {
        if (isOneColumn(type)) {
            return type.cast(value(type, 1));
        }
        RowShape shape = SHAPES.get(type);
        Object[] values = new Object[shape.columns.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = isOneColumn(shape.types[i]) ? value(shape.types[i], result.findColumn(shape.columns[i])) : as(shape.types[i]);
        }
        try {
            return type.cast(shape.constructor.newInstance(values));
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Reads an enum from its stored word, a list from lines, and an instant from milliseconds. NULL becomes 0 for a primitive type. */
    public Object value(Class<?> type, int column) throws SQLException {
        if (type == byte[].class) {
            return result.getBytes(column);
        }
        if (type == String.class) {
            return result.getString(column);
        }
        if (type == List.class) {
            return TagList.ofLines(result.getString(column));
        }
        if (type == TemplateDetails.class) {
            return TemplateDetails.ofJson(result.getString(column));
        }
        if (type.isEnum()) {
            String word = result.getString(column);
            return word == null ? null : constantOf(type, word);
        }
        long number = result.getLong(column);
        if (result.wasNull() && !type.isPrimitive()) {
            return null;
        }
        if (type == Instant.class) {
            return Instant.ofEpochMilli(number);
        }
        if (type == boolean.class) {
            return number == 1;
        }
        if (type == int.class || type == Integer.class) {
            return (int) number;
        }
        return number;
    }

    private static Object constantOf(Class<?> type, String word) {
        return Arrays.stream(type.getEnumConstants()).filter(each -> Sql.word((Enum<?>) each).equals(word)).findFirst()
                .orElseThrow(() -> new IllegalStateException("\"" + word + "\" is not a " + type.getSimpleName()));
    }

    /** Reads an enum from its stored word, or null for SQL NULL. */
    public <T extends Enum<T>> T constant(Class<T> type, String column) throws SQLException {
        return type.cast(value(type, result.findColumn(column)));
    }

    public String text(String column) throws SQLException {
        return result.getString(column);
    }

    public byte[] bytes(String column) throws SQLException {
        return result.getBytes(column);
    }

    public long number(String column) throws SQLException {
        return result.getLong(column);
    }

    public int integer(String column) throws SQLException {
        return result.getInt(column);
    }

    /** Reads a number, or null for SQL NULL. */
    public Integer optionalInteger(String column) throws SQLException {
        return (Integer) value(Integer.class, result.findColumn(column));
    }

    /** Reads an instant; the epoch for SQL NULL. */
    public Instant instant(String column) throws SQLException {
        return Instant.ofEpochMilli(result.getLong(column));
    }

    /** Reads a number, or null for SQL NULL. */
    public Long optionalNumber(String column) throws SQLException {
        return (Long) value(Long.class, result.findColumn(column));
    }

    /** Reads an instant, or null for SQL NULL. */
    public Instant optionalInstant(String column) throws SQLException {
        return (Instant) value(Instant.class, result.findColumn(column));
    }
}
