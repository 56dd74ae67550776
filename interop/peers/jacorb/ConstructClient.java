import constructs.Construct_Test;
import constructs.Construct_TestHelper;
import constructs.Construct_TestOperations;
import constructs.Construct_TestPackage.Fault;
import constructs.Point;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import org.omg.CORBA.ObjectHolder;

/**
 * The client of Construct_Test as construct_test.idl describes it.
 *
 * <p>For each line `check VERSION REFERENCE` of its standard input it calls every operation with
 * every value. Prints `ok NAME` or `FAILED NAME: why` for each, then `done`.
 */
public final class ConstructClient {
  /** The operations of which JacORB's compiler of IDL makes no Java. */
  private static final String[] NOT_COMPILED = {
    "test_union_ushort", "test_union_ulong", "test_union_ulonglong", "test_union_char"
  };

  private final Constructs values;
  private final Construct_Test target;

  private ConstructClient(Constructs values, Construct_Test target) {
    this.values = values;
    this.target = target;
  }

  private void checkReferences() {
    ObjectHolder s2 = new ObjectHolder();
    ObjectHolder s3 = new ObjectHolder();
    org.omg.CORBA.Object result = target.test_object(target, s2, s3);
    Report.expect(result != null && result._is_equivalent(target), "wrong result for value 0");
    Report.expect(s3.value == null, "wrong s3 for value 0");
    Report.expect(s2.value != null && s2.value._is_equivalent(target), "wrong s2 for value 0");
    s2.value = target;
    result = target.test_object(null, s2, s3);
    Report.expect(result == null, "wrong result for value 1");
    Report.expect(s3.value != null && s3.value._is_equivalent(target), "wrong s3 for value 1");
    Report.expect(s2.value == null, "wrong s2 for value 1");
  }

  private void checkFault() throws Exception {
    try {
      target.raise_fault();
    } catch (Fault fault) {
      Report.expect(values.isFault(fault), "wrong members");
      return;
    }
    Report.expect(false, "no Fault was raised");
  }

  private void checkPlace() {
    for (Point place : new Point[] {Constructs.Q, Constructs.P}) {
      target.place(place);
      Point found = target.place();
      Report.expect(found.x == place.x && found.y == place.y, "wrong value");
    }
  }

  private void checkRefusedValue() throws Exception {
    Object[] table = values.tables.get("test_bounded_nested");
    var s2 = new constructs.Construct_TestPackage.BriefSeqHolder((String[]) table[0]);
    var s3 = new constructs.Construct_TestPackage.BriefSeqHolder();
    Report.expectRefusal(() -> target.test_bounded_nested((String[]) table[0], s2, s3));
  }

  private void checkEverything() {
    Calls calls =
        new Calls(
            Construct_TestOperations.class,
            target,
            values::same,
            (table, index) -> table[(index + 1) % table.length]);
    for (Map.Entry<String, Object[]> entry : values.tables.entrySet())
      Report.run(entry.getKey(), () -> calls.check(entry.getKey(), entry.getValue()));
    for (String name : NOT_COMPILED)
      Report.run(name, () -> Report.expect(false, "not compiled by JacORB"));
    Report.run("test_object", this::checkReferences);
    Report.run("raise_fault", this::checkFault);
    Report.run("place", this::checkPlace);
    Report.run("refused_value", this::checkRefusedValue);
    Report.run(
        "shutdown",
        () -> {
          target.shutdown();
          Report.expectEnd(target);
        });
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    String line;
    while ((line = input.readLine()) != null) {
      String[] words = line.split(" ");
      if (words.length != 3 || !words[0].equals("check")) {
        System.err.println("ConstructClient: not check VERSION REFERENCE: " + line);
        System.exit(2);
      }
      Peer peer = new Peer("ConstructClient", words[1], 0);
      Construct_Test target = Construct_TestHelper.narrow(peer.orb.string_to_object(words[2]));
      new ConstructClient(new Constructs(peer.orb), target).checkEverything();
      peer.orb.shutdown(true);
      System.out.println("done");
    }
    System.exit(0);
  }
}
