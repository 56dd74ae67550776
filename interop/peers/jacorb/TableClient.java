import java.util.Arrays;
import org.omg.CORBA.Any;
import table.BinStruct;
import table.CubitPackage.Many;
import table.CubitPackage.Oneof;
import table.Reading;
import table.ReadingHelper;
import table.Refused;
import table.Target;
import table.TargetHelper;

/**
 * Times calls of table::Target.
 *
 * <pre>TableClient REFERENCE</pre>
 *
 * Timing.java describes its requests on standard input. The words after `select` are
 * those of bench/src/goals/kind.rs: "void", "echo octet 8192" and so on. A flood is many one-way
 * calls, and one that waits until all have arrived.
 */
public final class TableClient {
  /** An operation that takes a sequence. */
  private interface Taker<Sequence> {
    void take(Sequence values);
  }

  /** An operation that returns a sequence. */
  private interface Echo<Sequence> {
    Sequence of(Sequence values);
  }

  private final Peer peer;
  private final Target target;

  private TableClient(Peer peer, Target target) {
    this.peer = peer;
    this.target = target;
  }

  /** Prepares a call, so that nothing is made in the timed loop; null when there is none such. */
  private Timing.Sample select(String words) throws Exception {
    String[] parts = words.split(" ");
    String what = parts.length > 1 ? parts[1] : "";
    int number = parts.length > 2 ? Integer.parseInt(parts[2]) : 0;
    switch (parts[0]) {
      case "void": return target::nothing;
      case "user_exception": return exception();
      case "string": return string();
      case "reference": return reference();
      case "any": return any();
      case "struct": return reading();
      case "cube": return cube(what, number);
      case "echo": return sequence(what, number, 0);
      case "flood": return sequence(what, number, Integer.parseInt(parts[3]));
      default: return null;
    }
  }

  /** Steps of the values of a sequence, below 95, so that chars can be printed. */
  private static int step(int place) {
    return ' ' + place % 95;
  }

  private Timing.Sample sequence(String element, int octets, int messages) {
    switch (element) {
      case "octet": {
        byte[] values = new byte[octets];
        for (int i = 0; i < values.length; ++i) values[i] = (byte) step(i);
        expect(Arrays.equals(values, target.echo_octets(values)));
        return calls(values, target::echo_octets, target::flood_octets, messages);
      }
      case "char": {
        char[] values = new char[octets];
        for (int i = 0; i < values.length; ++i) values[i] = (char) step(i);
        expect(Arrays.equals(values, target.echo_chars(values)));
        return calls(values, target::echo_chars, target::flood_chars, messages);
      }
      case "short": {
        short[] values = new short[octets / 2];
        for (int i = 0; i < values.length; ++i) values[i] = (short) step(i);
        expect(Arrays.equals(values, target.echo_shorts(values)));
        return calls(values, target::echo_shorts, target::flood_shorts, messages);
      }
      case "long": {
        int[] values = new int[octets / 4];
        Arrays.setAll(values, TableClient::step);
        expect(Arrays.equals(values, target.echo_longs(values)));
        return calls(values, target::echo_longs, target::flood_longs, messages);
      }
      case "double": {
        double[] values = new double[octets / 8];
        Arrays.setAll(values, TableClient::step);
        expect(Arrays.equals(values, target.echo_doubles(values)));
        return calls(values, target::echo_doubles, target::flood_doubles, messages);
      }
      case "struct": {
        BinStruct[] values = new BinStruct[octets / 24];
        Arrays.setAll(values, TableClient::binStruct);
        BinStruct[] back = target.echo_structs(values);
        expect(values.length == back.length);
        for (int i = 0; i < values.length; ++i) expect(same(values[i], back[i]));
        return calls(values, target::echo_structs, target::flood_structs, messages);
      }
      default: return null;
    }
  }

  private <Sequence> Timing.Sample calls(
      Sequence values, Echo<Sequence> echo, Taker<Sequence> flood, int messages) {
    if (messages == 0) return () -> echo.of(values);
    return () -> {
      for (int sent = 0; sent < messages; ++sent) flood.take(values);
      target.nothing();
    };
  }

  private static BinStruct binStruct(int place) {
    int step = step(place);
    return new BinStruct((short) step, (char) step, step, (byte) step, step);
  }

  private static boolean same(BinStruct one, BinStruct other) {
    return one.s == other.s && one.c == other.c && one.l == other.l && one.o == other.o
        && one.d == other.d;
  }

  private Timing.Sample exception() {
    try {
      target.refuse();
      expect(false);
    } catch (Refused refused) {
      expect(refused.reason == TableServer.REFUSAL_REASON);
    }
    return () -> {
      try {
        target.refuse();
      } catch (Refused refused) {
        // That is what was asked for.
      }
    };
  }

  private Timing.Sample string() {
    String text = "x".repeat(100);
    expect(target.echo_string(text).equals(text));
    return () -> target.echo_string(text);
  }

  private Timing.Sample reference() {
    expect(target.echo_reference(target)._is_equivalent(target));
    return () -> target.echo_reference(target);
  }

  private static final Reading READING =
      new Reading("boiler/3/outlet", 1_700_000_000_000_000_000L, 71.25, true);

  private static boolean same(Reading one, Reading other) {
    return one.sensor.equals(other.sensor) && one.time == other.time && one.value == other.value
        && one.valid == other.valid;
  }

  private Timing.Sample reading() {
    expect(same(target.echo_reading(READING), READING));
    return () -> target.echo_reading(READING);
  }

  private Timing.Sample any() {
    Any any = peer.orb.create_any();
    ReadingHelper.insert(any, READING);
    expect(same(ReadingHelper.extract(target.echo_any(any)), READING));
    return () -> target.echo_any(any);
  }

  private Timing.Sample cube(String what, int count) {
    Many many = new Many((byte) 7, 1_291, (short) 31);
    switch (what) {
      case "octet":
        expect(target.cube_octet((byte) 7) == TableServer.cubed((byte) 7));
        return () -> target.cube_octet((byte) 7);
      case "short":
        expect(target.cube_short((short) 31) == TableServer.cubed((short) 31));
        return () -> target.cube_short((short) 31);
      case "long":
        expect(target.cube_long(1_291) == TableServer.cubed(1_291));
        return () -> target.cube_long(1_291);
      case "struct":
        expect(same(target.cube_struct(many), TableServer.cubed(many)));
        return () -> target.cube_struct(many);
      case "union": {
        Oneof one = new Oneof();
        one.cm(many);
        Oneof cubes = target.cube_union(one);
        expect(cubes.discriminator() == 4 && same(cubes.cm(), TableServer.cubed(many)));
        return () -> target.cube_union(one);
      }
      case "longs": {
        int[] values = new int[count];
        Arrays.setAll(values, place -> place);
        int[] cubes = target.cube_longs(values);
        expect(cubes.length == count);
        for (int i = 0; i < count; ++i) expect(cubes[i] == TableServer.cubed(values[i]));
        return () -> target.cube_longs(values);
      }
      case "octets": {
        byte[] values = new byte[count];
        for (int i = 0; i < count; ++i) values[i] = (byte) i;
        byte[] cubes = target.cube_octets(values);
        expect(cubes.length == count);
        for (int i = 0; i < count; ++i) expect(cubes[i] == TableServer.cubed(values[i]));
        return () -> target.cube_octets(values);
      }
      default: return null;
    }
  }

  private static boolean same(Many one, Many other) {
    return one.o == other.o && one.l == other.l && one.s == other.s;
  }

  private static void expect(boolean holds) {
    if (!holds) throw new IllegalStateException("something else came back");
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      System.err.println("usage: TableClient REFERENCE");
      System.exit(2);
    }
    Peer peer = new Peer("TableClient", "1.2", 0, Timing.properties());
    Target target = TargetHelper.narrow(peer.orb.string_to_object(arguments[0]));
    TableClient client = new TableClient(peer, target);
    boolean understood = Timing.answerRequests("TableClient", "void", client::select);
    System.exit(understood ? 0 : 2);
  }
}
