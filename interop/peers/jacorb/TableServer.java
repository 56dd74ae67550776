import java.util.List;
import org.omg.CORBA.Any;
import table.BinStruct;
import table.CubitPackage.Many;
import table.CubitPackage.Oneof;
import table.Reading;
import table.Refused;
import table.Target;
import table.TargetPOA;

/**
 * The servant of table::Target, as table.idl describes it, for benchmarks.
 *
 * <p>Prints its reference as the first line. Ends when standard input is closed.
 */
public final class TableServer {
  /** The reason of table::Refused. */
  static final int REFUSAL_REASON = 42;

  /** Cubes, as they wrap around in their type. */
  static byte cubed(byte value) {
    return (byte) (value * value * value);
  }

  static short cubed(short value) {
    return (short) (value * value * value);
  }

  static int cubed(int value) {
    return value * value * value;
  }

  static Many cubed(Many values) {
    return new Many(cubed(values.o), cubed(values.l), cubed(values.s));
  }

  private static final class Servant extends TargetPOA {
    @Override
    public byte cube_octet(byte o) {
      return cubed(o);
    }

    @Override
    public short cube_short(short s) {
      return cubed(s);
    }

    @Override
    public int cube_long(int l) {
      return cubed(l);
    }

    @Override
    public Many cube_struct(Many values) {
      return cubed(values);
    }

    @Override
    public Oneof cube_union(Oneof value) {
      Oneof cubes = new Oneof();
      switch (value.discriminator()) {
        case 1: cubes.o(cubed(value.o())); break;
        case 2: cubes.s(cubed(value.s())); break;
        case 3: cubes.l(cubed(value.l())); break;
        case 4: cubes.cm(cubed(value.cm())); break;
        default: cubes.__default();
      }
      return cubes;
    }

    @Override
    public int[] cube_longs(int[] values) {
      int[] cubes = new int[values.length];
      for (int i = 0; i < values.length; ++i) cubes[i] = cubed(values[i]);
      return cubes;
    }

    @Override
    public byte[] cube_octets(byte[] values) {
      byte[] cubes = new byte[values.length];
      for (int i = 0; i < values.length; ++i) cubes[i] = cubed(values[i]);
      return cubes;
    }

    @Override
    public void nothing() {}

    @Override
    public void refuse() throws Refused {
      throw new Refused(REFUSAL_REASON);
    }

    @Override
    public byte[] echo_octets(byte[] values) {
      return values;
    }

    @Override
    public char[] echo_chars(char[] values) {
      return values;
    }

    @Override
    public short[] echo_shorts(short[] values) {
      return values;
    }

    @Override
    public int[] echo_longs(int[] values) {
      return values;
    }

    @Override
    public double[] echo_doubles(double[] values) {
      return values;
    }

    @Override
    public BinStruct[] echo_structs(BinStruct[] values) {
      return values;
    }

    @Override
    public String echo_string(String text) {
      return text;
    }

    @Override
    public String[] echo_strings(String[] texts) {
      return texts;
    }

    @Override
    public Target echo_reference(Target reference) {
      return reference;
    }

    @Override
    public Any echo_any(Any value) {
      return value;
    }

    @Override
    public Reading echo_reading(Reading value) {
      return value;
    }

    @Override
    public void flood_octets(byte[] values) {}

    @Override
    public void flood_chars(char[] values) {}

    @Override
    public void flood_shorts(short[] values) {}

    @Override
    public void flood_longs(int[] values) {}

    @Override
    public void flood_doubles(double[] values) {}

    @Override
    public void flood_structs(BinStruct[] values) {}
  }

  public static void main(String[] arguments) throws Exception {
    Peer peer = new Peer("TableServer", "1.2", 0, Timing.properties());
    System.out.println(peer.orb.object_to_string(peer.activate("target", new Servant())));
    Peer.shutDownWithInput(List.of(peer.orb));
    peer.orb.run();
    System.exit(0);
  }
}
