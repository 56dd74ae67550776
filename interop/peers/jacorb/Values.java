import interop.Param_TestPackage.Color;
import interop.Param_TestPackage.Fixed_Struct;
import interop.Param_TestPackage.Nested_Struct;
import interop.Param_TestPackage.Var_Struct;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The values that the server and the client of Param_Test agree on. What they are is written in
 * param_test.idl; this file follows its order.
 */
final class Values {
  /** The minor code of the BAD_PARAM that refuses a value. */
  static final int REFUSED_MINOR = 7;

  static final String GREETING = "Gr\u00fc\u00dfe";

  /** By operation, its values, of the type that the mapping to Java gives it. */
  static final Map<String, Object[]> TABLES = new LinkedHashMap<>();

  private Values() {}

  // ---- Equality and turning, for whatever type a value has ------------------

  /** Whether two values have the same octets on the wire. */
  static boolean same(Object a, Object b) throws IllegalAccessException {
    if (a == null || b == null || a.getClass() != b.getClass()) return a == b;
    if (a.getClass().isArray()) {
      int length = Array.getLength(a);
      if (Array.getLength(b) != length) return false;
      for (int i = 0; i < length; ++i) if (!same(Array.get(a, i), Array.get(b, i))) return false;
      return true;
    }
    if (!isStruct(a)) return a.equals(b);
    for (Field member : a.getClass().getFields())
      if (!same(member.get(a), member.get(b))) return false;
    return true;
  }

  /** The value that the inout parameter is given in place of this one. */
  static Object turned(Object value) throws ReflectiveOperationException {
    if (value instanceof Byte) return (byte) ((Byte) value + 1);
    if (value instanceof Short) return (short) ((Short) value + 1);
    if (value instanceof Integer) return (Integer) value + 1;
    if (value instanceof Long) return (Long) value + 1;
    if (value instanceof Character) return (char) (((Character) value + 1) & 0xFF);
    if (value instanceof Float) return -(Float) value;
    if (value instanceof Double) return -(Double) value;
    if (value instanceof Boolean) return !(Boolean) value;
    if (value instanceof Color) return Color.from_int((((Color) value).value() + 1) % 3);
    if (value instanceof String) return new StringBuilder((String) value).reverse().toString();
    if (value.getClass().isArray()) {
      int length = Array.getLength(value);
      Object reversed = Array.newInstance(value.getClass().getComponentType(), length);
      for (int i = 0; i < length; ++i) Array.set(reversed, i, Array.get(value, length - 1 - i));
      return reversed;
    }
    Object struct = value.getClass().getConstructor().newInstance();
    for (Field member : value.getClass().getFields()) member.set(struct, turned(member.get(value)));
    return struct;
  }

  /** Structs have their members as public fields. */
  private static boolean isStruct(Object value) {
    for (Field field : value.getClass().getFields())
      if (!Modifier.isStatic(field.getModifiers())) return true;
    return false;
  }

  // ---- The tables ------------------------------------------------------------

  static String pattern(int length, int start) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; ++i) text.append((char) (0x21 + (start + i) % 94));
    return text.toString();
  }

  static String characters(int first, int last) {
    StringBuilder text = new StringBuilder();
    for (int c = first; c <= last; ++c) text.append((char) c);
    return text.toString();
  }

  static String latin1() {
    return characters(0x20, 0x7E) + characters(0xA0, 0xFF);
  }

  static Object[] table(String operation) {
    return TABLES.get(operation);
  }

  private static void add(String operation, Object... values) {
    TABLES.put(operation, values);
  }

  /** The value of an operation at an index that goes round and round. */
  private static Object pick(String operation, int k) {
    Object[] table = table(operation);
    return table[k % table.length];
  }

  /** Sequences of these lengths, filled from the table of another operation. */
  private static Object[] filled(String operation, Class<?> item, int... lengths) {
    Object[] sequences = new Object[lengths.length];
    for (int s = 0; s < lengths.length; ++s) {
      sequences[s] = Array.newInstance(item, lengths[s]);
      for (int i = 0; i < lengths[s]; ++i) Array.set(sequences[s], i, pick(operation, i));
    }
    return sequences;
  }

  private static void addSequences(String operation, String of, Class<?> item) {
    add(operation, filled(of, item, 0, 1, 9, 10000));
  }

  private static Var_Struct varStruct(Object dummy1, Object dummy2, Object seq) {
    return new Var_Struct((String) dummy1, (String) dummy2, (String[]) seq);
  }

  static {
    add("test_short", (short) 0, (short) 1, (short) -1, (short) 32767, (short) -32768, (short) 0x1234);
    add("test_unbounded_string", "", "a", pattern(128, 0), latin1(), pattern(1000, 0));
    add("test_long", 0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x12345678);
    add("test_longlong", 0L, 1L, -1L, Long.MAX_VALUE, Long.MIN_VALUE, 0x123456789ABCDEF0L);
    // Java has no unsigned numbers: these are the same octets.
    add("test_ushort", (short) 0, (short) 1, (short) 0x7FFF, (short) 0x8000, (short) 0xFFFF, (short) 0x1234);
    add("test_ulong", 0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678);
    add("test_ulonglong", 0L, 1L, Long.MAX_VALUE, Long.MIN_VALUE, -1L, 0x123456789ABCDEF0L);
    add("test_float", 0.0f, -0.0f, 1.0f, -1.5f, 0.1f, Float.MAX_VALUE, -Float.MAX_VALUE,
        Float.MIN_NORMAL, Float.MIN_VALUE, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY);
    add("test_double", 0.0, -0.0, 1.0, -1.5, 0.1, Double.MAX_VALUE, -Double.MAX_VALUE,
        Double.MIN_NORMAL, Double.MIN_VALUE, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
    add("test_char", 'a', '\0', '~', '\u00e9', '\u00ff');
    add("test_boolean", false, true);
    add("test_octet", (byte) 0, (byte) 1, (byte) 127, (byte) 128, (byte) 255);
    add("test_enum", Color.red, Color.green, Color.blue);
    add("test_long_string", "", pattern(10000, 0), pattern(70000, 0));

    Object[] strings = table("test_unbounded_string");
    Object[] structs = new Object[6];
    for (int k = 0; k < 6; ++k)
      structs[k] =
          new Fixed_Struct(
              (Integer) pick("test_long", k), (Character) pick("test_char", k),
              (Short) pick("test_short", k), (Byte) pick("test_octet", k),
              (Float) pick("test_float", k), (Boolean) pick("test_boolean", k),
              (Double) pick("test_double", k));
    add("test_fixed_struct", structs);
    String[] nine = new String[9];
    for (int i = 0; i < 9; ++i) nine[i] = pattern(128, i);
    String[] all = (String[]) filled("test_unbounded_string", String.class, 5)[0];
    add("test_strseq", new String[0], new String[] {"a"}, nine, all);
    Object[] varStructs = new Object[4];
    Object[] nestedStructs = new Object[4];
    for (int k = 0; k < 4; ++k) {
      Var_Struct made = varStruct(strings[k], strings[k + 1], pick("test_strseq", k));
      varStructs[k] = made;
      nestedStructs[k] = new Nested_Struct(made);
    }
    add("test_var_struct", varStructs);
    add("test_nested_struct", nestedStructs);
    Object[] structSequences = filled("test_var_struct", Var_Struct.class, 0, 1, 9, 4);
    for (int i = 0; i < 9; ++i)
      Array.set(structSequences[2], i, varStruct(pattern(128, i), pattern(128, i + 1), nine));
    add("test_struct_sequence", structSequences);

    add("test_bounded_string", "", "a", characters(0xE0, 0xFF), pattern(32, 0));
    add("test_bounded_sequence", filled("test_long", int.class, 0, 1, 9));

    addSequences("test_octet_seq", "test_octet", byte.class);
    addSequences("test_char_seq", "test_char", char.class);
    addSequences("test_boolean_seq", "test_boolean", boolean.class);
    addSequences("test_short_seq", "test_short", short.class);
    addSequences("test_long_seq", "test_long", int.class);
    addSequences("test_longlong_seq", "test_longlong", long.class);
    addSequences("test_float_seq", "test_float", float.class);
    addSequences("test_double_seq", "test_double", double.class);
    addSequences("test_enum_seq", "test_enum", Color.class);
    addSequences("test_fixed_struct_seq", "test_fixed_struct", Fixed_Struct.class);
    add("test_nested_seq", filled("test_long_seq", int[].class, 0, 1, 4));

    Object[] arrays = new Object[3];
    Object[] grids = new Object[3];
    Object[] stringArrays = new Object[3];
    for (int k = 0; k < 3; ++k) {
      int[] array = new int[9];
      for (int i = 0; i < 9; ++i) array[i] = (Integer) pick("test_long", i + k);
      arrays[k] = array;
      short[][] grid = new short[3][4];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c) grid[r][c] = (Short) pick("test_short", 4 * r + c + k);
      grids[k] = grid;
      String[] texts = new String[3];
      for (int i = 0; i < 3; ++i) texts[i] = (String) strings[(i + k) % 5];
      stringArrays[k] = texts;
    }
    add("test_array", arrays);
    add("test_array_2d", grids);
    add("test_string_array", stringArrays);
  }
}
