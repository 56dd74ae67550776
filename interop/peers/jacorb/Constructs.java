import constructs.Construct_TestHelper;
import constructs.Construct_TestPackage.BriefSeqHelper;
import constructs.Construct_TestPackage.By_Boolean;
import constructs.Construct_TestPackage.By_Enum;
import constructs.Construct_TestPackage.By_EnumHelper;
import constructs.Construct_TestPackage.By_Long;
import constructs.Construct_TestPackage.By_LongHelper;
import constructs.Construct_TestPackage.By_LongLong;
import constructs.Construct_TestPackage.By_Short;
import constructs.Construct_TestPackage.Color;
import constructs.Construct_TestPackage.ColorHelper;
import constructs.Construct_TestPackage.Expression;
import constructs.Construct_TestPackage.ExpressionHelper;
import constructs.Construct_TestPackage.Fault;
import constructs.Construct_TestPackage.FaultHelper;
import constructs.Construct_TestPackage.Holder;
import constructs.Construct_TestPackage.Tree;
import constructs.Construct_TestPackage.TreeHelper;
import constructs.Point;
import constructs.PointHelper;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jacorb.orb.CDROutputStream;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.UnionMember;
import org.omg.CORBA.portable.Streamable;

/**
 * The values that the server and the client of Construct_Test agree on. What they are is written in
 * construct_test.idl; this file follows its order.
 */
final class Constructs {
  static final Point P = new Point(1, -2);
  static final Point Q = new Point(3, 4);

  /** By operation, its values, of the type that the mapping to Java gives it. */
  final Map<String, Object[]> tables = new LinkedHashMap<>();

  private final ORB orb;

  Constructs(ORB orb) {
    this.orb = orb;
    addUnions();
    addWide();
    addNumbers();
    addNested();
    addAnys();
  }

  // ---- Equality ----------------------------------------------------------------

  /** Whether two values that holders of this class can hold are the same. */
  boolean same(Object a, Object b, Class<?> holder) throws ReflectiveOperationException {
    if (a instanceof BigDecimal) return ((BigDecimal) a).compareTo((BigDecimal) b) == 0;
    if (a instanceof Any) return ((Any) a).equal((Any) b);
    if (a instanceof TypeCode) return ((TypeCode) a).equal((TypeCode) b);
    if (a instanceof Any[]) return sameAnys((Any[]) a, (Any[]) b);
    if (a instanceof String || a instanceof Character || a instanceof Double) return a.equals(b);
    return Arrays.equals(octets(a, holder), octets(b, holder));
  }

  private static boolean sameAnys(Any[] a, Any[] b) {
    if (a.length != b.length) return false;
    for (int i = 0; i < a.length; ++i) if (!a[i].equal(b[i])) return false;
    return true;
  }

  private byte[] octets(Object value, Class<?> holder) throws ReflectiveOperationException {
    Object held = holder.getConstructor().newInstance();
    holder.getField("value").set(held, value);
    try (CDROutputStream out = new CDROutputStream(orb)) {
      ((Streamable) held)._write(out);
      return out.getBufferCopy();
    }
  }

  /** Whether this is what raise_fault raises. */
  boolean isFault(Fault fault) throws ReflectiveOperationException {
    Fault expected = fault();
    return same(fault.what, expected.what, constructs.Construct_TestPackage.By_LongHolder.class)
        && same(fault.where, expected.where, constructs.Construct_TestPackage.TreeHolder.class)
        && fault.detail.equal(expected.detail);
  }

  // ---- The tables --------------------------------------------------------------

  /** The exception that raise_fault raises. */
  Fault fault() {
    return new Fault(
        (By_Long) tables.get("test_union_long")[2],
        (Tree) tables.get("test_recursive_struct")[1],
        any(any -> PointHelper.insert(any, P)));
  }

  private void add(String operation, Object... values) {
    tables.put(operation, values);
  }

  /** A value that is filled after it was made. */
  private static <T> T made(T value, Consumer<T> fill) {
    fill.accept(value);
    return value;
  }

  private Any any(Consumer<Any> insert) {
    return made(orb.create_any(), insert);
  }

  /**
   * Where a union has a `default` member, JacORB has one number of its own choice for it. So these
   * are not the values of construct_test.idl, and not those that JacORB can receive.
   */
  private void addUnions() {
    By_Long[] byLong = {
      made(new By_Long(), union -> union.real(0.5)),
      made(new By_Long(), union -> union.corner(-2, P)),
      made(new By_Long(), union -> union.corner(3, Q)),
      made(new By_Long(), union -> union.other("seven")),
      made(new By_Long(), union -> union.other(""))
    };
    add("test_union_long", (Object[]) byLong);
    add(
        "test_union_short",
        made(new By_Short(), union -> union.low((byte) 255)),
        made(new By_Short(), union -> union.high(-1)),
        made(new By_Short(), union -> union.__default((short) 0)));
    add(
        "test_union_longlong",
        made(new By_LongLong(), union -> union.minus((byte) 9)),
        made(new By_LongLong(), union -> union.other((short) -9)));
    add(
        "test_union_boolean",
        made(new By_Boolean(), union -> union.name("name")),
        made(new By_Boolean(), union -> union.__default(false)));
    add(
        "test_union_enum",
        made(new By_Enum(), union -> union.warm(Color.red, 1)),
        made(new By_Enum(), union -> union.warm(Color.green, 1)),
        made(new By_Enum(), union -> union.cold(P)));
    add("test_union_seq", new By_Long[0], byLong);
  }

  private void addWide() {
    String[] texts = {"", "a", "\u00e9\u20ac\ud83d\ude00"};
    add("test_wchar", 'a', '\u00e9', '\u20ac');
    add("test_wstring", (Object[]) texts);
    add("test_bounded_wstring", "five5", "");
    add("test_wstring_seq", new String[0], texts);
  }

  private void addNumbers() {
    add("test_fixed", decimal("0.00"), decimal("1234567.89"), decimal("-0.01"));
    add("test_fixed_even", decimal("0"), decimal("9999"), decimal("-1"));
    add("test_longdouble", 0.0, 1.5, -Math.scalb(1.0, -40));
  }

  private static BigDecimal decimal(String text) {
    return new BigDecimal(text);
  }

  private void addNested() {
    add("test_bounded_nested", new String[0], new String[] {"", "four"}, new String[] {"a", "b", "c"});
    Object[] cubes = new Object[2];
    for (int k = 0; k < 2; ++k) {
      Point[][][] cube = new Point[2][1][3];
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) cube[i][0][j] = new Point(10 * i + j, k);
      cubes[k] = cube;
    }
    add("test_array_3d", cubes);
    Object[] holders = new Object[3];
    for (int k = 0; k < 3; ++k) {
      byte[] few = new byte[k];
      short[][] grid = new short[2][2];
      boolean[][] flags = new boolean[2][k];
      for (int i = 0; i < k; ++i) few[i] = (byte) i;
      for (int i = 0; i < 2; ++i) {
        Arrays.fill(flags[i], true);
        for (int j = 0; j < 2; ++j) grid[i][j] = (short) (10 * i + j + k);
      }
      holders[k] = new Holder(new Point[] {P, Q}, "name", few, grid, flags);
    }
    add("test_members", holders);

    Tree leaf = new Tree("leaf", new Tree[0]);
    Tree node = new Tree("node", new Tree[] {leaf});
    add("test_recursive_struct", leaf, new Tree("root", new Tree[] {leaf, node}));
    Expression five = made(new Expression(), union -> union.number(5));
    Expression nothing = made(new Expression(), union -> union.sum(new Expression[0]));
    Expression sum = made(new Expression(), union -> union.sum(new Expression[] {five, nothing}));
    add("test_recursive_union", five, sum);
  }

  private void addAnys() {
    add(
        "test_any",
        orb.create_any(),
        any(any -> any.insert_short((short) -1)),
        any(any -> any.insert_ulonglong(1)),
        any(any -> any.insert_double(0.5)),
        any(any -> any.insert_boolean(true)),
        any(any -> any.insert_char('c')),
        any(any -> any.insert_octet((byte) 255)),
        any(any -> any.insert_string("text")));
    String[] brief = (String[]) tables.get("test_bounded_nested")[1];
    add(
        "test_any_constructed",
        any(any -> PointHelper.insert(any, P)),
        any(any -> BriefSeqHelper.insert(any, brief)),
        any(any -> By_LongHelper.insert(any, (By_Long) tables.get("test_union_long")[2])),
        any(any -> ColorHelper.insert(any, Color.blue)),
        any(any -> TreeHelper.insert(any, (Tree) tables.get("test_recursive_struct")[1])));
    Any point = any(any -> PointHelper.insert(any, Q));
    Any inner = any(any -> any.insert_any(point));
    Any number = any(any -> any.insert_long(1));
    add("test_any_nested", any(any -> any.insert_any(number)), any(any -> any.insert_any(inner)));
    Any seven = any(any -> any.insert_long(7));
    Any x = any(any -> any.insert_string("x"));
    add("test_any_seq", new Any[0], new Any[] {seven, x, point});
    add(
        "test_typecode",
        orb.get_primitive_tc(TCKind.tk_long),
        orb.create_string_tc(0),
        PointHelper.type(),
        By_EnumHelper.type(),
        BriefSeqHelper.type(),
        TreeHelper.type(),
        expressionType(),
        Construct_TestHelper.type(),
        FaultHelper.type());
  }

  /** Made by hand, for JacORB's own runs for ever where a union has itself as a member. */
  private TypeCode expressionType() {
    String id = ExpressionHelper.id();
    TypeCode operands = orb.create_sequence_tc(0, orb.create_recursive_tc(id));
    TypeCode alias =
        orb.create_alias_tc(id.replace("Expression", "Operands"), "Operands", operands);
    TypeCode number = orb.get_primitive_tc(TCKind.tk_long);
    UnionMember[] members = {
      new UnionMember("number", any(any -> any.insert_short((short) 0)), number, null),
      new UnionMember("sum", any(any -> any.insert_short((short) 1)), alias, null)
    };
    return orb.create_union_tc(id, "Expression", orb.get_primitive_tc(TCKind.tk_short), members);
  }
}
