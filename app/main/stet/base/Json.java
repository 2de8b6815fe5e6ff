package stet.base;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/** Reads JSON strictly and writes it as UTF-8. */
public final class Json {
    /** Limits memory use: a parsed tree takes many times the memory of its text, and 8 MB of {@code [],} would fill a small heap. */
    private static final int MAX_TOKENS = 100_000;
    private static final int MAX_DEPTH = 20;
    /** More digits than a long has, so that no number in a file is too long by mistake. */
    private static final int MAX_DIGITS = 20;
    /** Length up to which JSON is serialized once, in bytes. */
    private static final int SHORT = 1 << 20;
    private static final ObjectMapper MAPPER = mapper();

    private Json() {
    }

    private static ObjectMapper mapper() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .addModule(new SimpleModule().addSerializer(Instant.class, new TimestampSerializer())
                        .addDeserializer(Instant.class, new TimestampDeserializer()))
                .build();
        mapper.getFactory().setStreamReadConstraints(StreamReadConstraints.builder()
                .maxNestingDepth(MAX_DEPTH).maxNumberLength(MAX_DIGITS).maxTokenCount(MAX_TOKENS).build());
        return mapper;
    }

    private static final class TimestampSerializer extends JsonSerializer<Instant> {
        @Override
        public void serialize(Instant instant, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeString(Timestamp.format(instant));
        }
    }

    private static final class TimestampDeserializer extends JsonDeserializer<Instant> {
        @Override
        public Instant deserialize(JsonParser in, DeserializationContext context) throws IOException {
            return Timestamp.parse("time", in.getText());
        }
    }

    /**
     * Serializes a record, map, list, string, number or a node created with {@link #object()}. Needs at most twice {@link #SHORT} bytes
     * or, for a longer value, which is serialized twice, the bytes of the result.
     */
    public static byte[] write(Object value) {
        try {
            Sized measured = new Sized(0, SHORT);
            MAPPER.writeValue(measured, value);
            if (measured.length <= SHORT) {
                return Arrays.copyOf(measured.bytes, measured.length);
            }
            Sized whole = new Sized(measured.length, measured.length);
            MAPPER.writeValue(whole, value);
            return whole.bytes;
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException(notJson);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Stores the first bytes and counts the others. */
    private static final class Sized extends OutputStream {
        private final int most;
        private byte[] bytes;
        private int length;

        Sized(int capacity, int most) {
            this.most = most;
            this.bytes = new byte[capacity];
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int count) {
            int end = Math.addExact(length, count);
            if (end <= most) {
                if (end > bytes.length) {
                    bytes = Arrays.copyOf(bytes, Math.min(most, Math.max(end, 2 * bytes.length)));
                }
                System.arraycopy(from, offset, bytes, length, count);
            }
            length = end;
        }
    }

    /** Writes JSON with indentation, for readable Git diffs, and a final line feed. */
    public static byte[] writeLines(Object value) {
        try {
            DefaultPrettyPrinter printer = new DefaultPrettyPrinter(Separators.createDefaultInstance()
                    .withObjectFieldValueSpacing(Separators.Spacing.AFTER).withObjectEmptySeparator(""))
                    .withObjectIndenter(new DefaultIndenter("  ", "\n"))
                    .withArrayIndenter(new DefaultIndenter("  ", "\n"));
            return (MAPPER.writer(printer).writeValueAsString(value) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException(notJson);
        }
    }

    /** A new, empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Parses JSON; null if the text is not JSON or exceeds the limits. */
    public static JsonNode tree(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException notJson) {
            return null;
        }
    }

    /** Reads a record that another version of Stet may have written. Unknown fields are ignored. @throws Refusal if the JSON has another form */
    public static <T> T record(JsonNode json, Class<T> type) {
        try {
            return MAPPER.readerFor(type).without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).readValue(json);
        } catch (IOException otherKind) {
            throw new Refusal("Unexpected JSON");
        }
    }

    /** Parses one JSON object. @throws Refusal if the text is not a JSON object; syntax errors include the line and column */
    public static ObjectNode document(String text) {
        return readObject(new StringReader(text), true);
    }

    /** Parses one JSON object. @throws Refusal if the bytes are not a JSON object */
    public static ObjectNode readObject(byte[] bytes) {
        return readObject(new ByteArrayInputStream(bytes));
    }

    /** Parses a stream as it arrives, then closes the stream. */
    public static ObjectNode readObject(InputStream bytes) {
        return readObject(new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder()), false);
    }

    private static ObjectNode readObject(Reader given, boolean withColumn) {
        try (Reader text = given) {
            JsonNode node = MAPPER.readTree(text);
            if (node instanceof ObjectNode object) {
                return object;
            }
        } catch (StreamConstraintsException tooMuch) {
            throw new Refusal("The JSON has more than " + MAX_TOKENS + " tokens, or a value that is too long or nested too deeply; shorten it");
        } catch (MismatchedInputException trailing) {
            throw new Refusal("Invalid JSON: unexpected data after the end");
        } catch (JsonProcessingException notJson) {
            JsonLocation place = notJson.getLocation();
            // Removes the location that the parser adds to some messages.
            String words = notJson.getOriginalMessage().replaceFirst(" ?\\(start marker at .*", "").strip();
            throw new Refusal("Invalid JSON: " + words + (place == null ? "" : " (line "
                    + place.getLineNr() + (withColumn ? ", column " + place.getColumnNr() : "") + ")"));
        } catch (CharacterCodingException malformed) {
            throw new Refusal("Invalid UTF-8");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        throw new Refusal("The JSON must be an object");
    }
}
