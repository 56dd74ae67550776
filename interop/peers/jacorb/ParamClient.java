import interop.Callback;
import interop.CallbackHelper;
import interop.CallbackPOA;
import interop.Param_Test;
import interop.Param_TestHelper;
import interop.Param_TestHolder;
import interop.Param_TestOperations;
import interop.Param_TestPackage.A;
import interop.Param_TestPackage.B;
import interop.Param_TestPackage.Bare;
import interop.Param_TestPackage.Color;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.Map;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.ShortHolder;
import org.omg.CORBA.StringHolder;
import org.omg.CORBA.SystemException;

/**
 * The client of Param_Test as param_test.idl describes it.
 *
 * <p>Does what the lines of its standard input say, in the version of GIOP of the reference:
 *
 * <pre>
 * check VERSION REFERENCE   calls every operation with every value; its own objects offer VERSION.
 *                           Prints `ok NAME` or `FAILED NAME: why` for each, then `done`
 * call VERSION REFERENCE    calls test_long once, and prints `done` or why not
 * </pre>
 */
public final class ParamClient {
  private static final class CallbackServant extends CallbackPOA {
    private final Param_Test target;
    private Callback own;

    CallbackServant(Param_Test target) {
      this.target = target;
    }

    @Override
    public int call(int n) {
      return n == 0 ? 0 : 1 + target.call_back(own, n - 1);
    }
  }

  private final Peer peer;
  private final Param_Test target;

  private ParamClient(Peer peer, Param_Test target) {
    this.peer = peer;
    this.target = target;
  }

  private void checkRefusedValue() throws Exception {
    Report.expectRefusal(() -> target.test_short((short) 2, new ShortHolder((short) 1), new ShortHolder()));
    Report.expectRefusal(
        () -> target.test_unbounded_string("", new StringHolder("b"), new StringHolder()));
  }

  private void checkType() {
    // Asks the server, whereas _is_a is content with what the stub knows.
    for (String id : new String[] {"taut.test/interop/Param_Test", "omg.org/CORBA/Object"})
      Report.expect(asksIsA("IDL:" + id + ":1.0"), "not of the type " + id);
    Report.expect(!asksIsA("IDL:taut.test/interop/Callback:1.0"), "of a type that it does not have");
  }

  private boolean asksIsA(String id) {
    org.omg.CORBA.Request request = target._request("_is_a");
    request.add_in_arg().insert_string(id);
    request.set_return_type(peer.orb.get_primitive_tc(org.omg.CORBA.TCKind.tk_boolean));
    request.invoke();
    Exception exception = request.env().exception();
    if (exception instanceof SystemException) throw (SystemException) exception;
    return request.return_value().extract_boolean();
  }

  private void checkReferences() {
    Param_TestHolder s2 = new Param_TestHolder();
    Param_TestHolder s3 = new Param_TestHolder();
    Param_Test result = target.test_objref(target, s2, s3);
    Report.expect(result != null && result._is_equivalent(target), "wrong result for value 0");
    Report.expect(s3.value == null, "wrong s3 for value 0");
    Report.expect(s2.value != null && s2.value._is_equivalent(target), "wrong s2 for value 0");
    Report.expect(s2.value.greeting().equals(Values.GREETING), "a call on s2 failed");

    s2.value = target;
    result = target.test_objref(null, s2, s3);
    Report.expect(result == null, "wrong result for value 1");
    Report.expect(s3.value != null && s3.value._is_equivalent(target), "wrong s3 for value 1");
    Report.expect(s2.value == null, "wrong s2 for value 1");
  }

  private void checkLevel() {
    for (Object value : Values.table("test_long")) {
      target.level((Integer) value);
      Report.expect(target.level() == (Integer) value, "wrong value after " + value);
    }
    target.level(0);
  }

  private void checkUserExceptions() throws Exception {
    target.raise_user(0);
    int raised = 0;
    try {
      target.raise_user(1);
    } catch (A a) {
      ++raised;
      Report.expect(a.code == Integer.MIN_VALUE && a.shade == Color.blue, "wrong members of A");
    }
    try {
      target.raise_user(2);
    } catch (B b) {
      ++raised;
      Report.expect(b.why.equals(Values.latin1()), "wrong member why of B");
      Report.expect(Values.same(b.details, Values.table("test_long_seq")[2]), "wrong details of B");
    }
    try {
      target.raise_user(3);
    } catch (Bare bare) {
      ++raised;
    }
    Report.expect(raised == 3, raised + " of 3 exceptions were raised");
    Report.expectRefusal(() -> target.raise_user(4));
  }

  private void checkOneWay() throws Exception {
    int before = target.notified();
    target._notify("not counted");
    Object[] messages = Values.table("test_unbounded_string");
    for (Object message : messages) target._notify((String) message);
    long deadline = System.nanoTime() + 5_000_000_000L;
    int arrived = 0;
    while ((arrived = target.notified() - before) < messages.length
        && System.nanoTime() < deadline) Thread.sleep(1);
    Report.expect(arrived == messages.length, arrived + " messages were counted");
  }

  private void checkNestedCalls() throws Exception {
    CallbackServant servant = new CallbackServant(target);
    servant.own = CallbackHelper.narrow(peer.activate("Callback", servant));
    for (int n : new int[] {0, 1, 3}) {
      int result = target.call_back(servant.own, n);
      Report.expect(result == 2 * n + 1, "wrong result " + result + " for " + n);
    }
    Report.expectRefusal(() -> target.call_back(null, 0));
    Report.expectRefusal(() -> target.call_back(servant.own, -1));
  }

  private void checkLargeMessages() {
    for (int length : new int[] {1 << 20, 15 << 20}) {
      byte[] data = new byte[length];
      for (int i = 0; i < length; ++i) data[i] = (byte) (i % 251);
      Report.expect(Arrays.equals(target.echo(data), data), "wrong result of " + length + " octets");
    }
  }

  private void checkShutdown() throws Exception {
    target.shutdown();
    Report.expectEnd(target);
  }

  private void checkEverything() {
    Calls calls =
        new Calls(
            Param_TestOperations.class,
            target,
            (a, b, holder) -> Values.same(a, b),
            (table, index) -> Values.turned(table[index]));
    for (Map.Entry<String, Object[]> entry : Values.TABLES.entrySet())
      Report.run(entry.getKey(), () -> calls.check(entry.getKey(), entry.getValue()));
    Report.run("refused_value", this::checkRefusedValue);
    Report.run("is_a", this::checkType);
    Report.run("non_existent", () -> Report.expect(!target._non_existent(), "the object does not exist"));
    Report.run("test_objref", this::checkReferences);
    Report.run("greeting", () -> Report.expect(target.greeting().equals(Values.GREETING), "wrong value"));
    Report.run("level", this::checkLevel);
    Report.run("raise_user", this::checkUserExceptions);
    Report.run(
        "raise_system",
        () -> Report.expectBadParam(42, CompletionStatus.COMPLETED_YES, target::raise_system));
    Report.run("notify", this::checkOneWay);
    Report.run("call_back", this::checkNestedCalls);
    Report.run("echo", this::checkLargeMessages);
    Report.run("shutdown", this::checkShutdown);
  }

  private static void call(Param_Test target) {
    try {
      int result = target.test_long(0, new IntHolder(1), new IntHolder());
      System.out.println(result == 0 ? "done" : "wrong result " + result);
    } catch (SystemException exception) {
      System.out.println(Peer.describe(exception));
    }
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    String line;
    Peer caller = null;
    while ((line = input.readLine()) != null) {
      String[] words = line.split(" ");
      if (words.length != 3 || !(words[0].equals("check") || words[0].equals("call"))) {
        System.err.println("ParamClient: neither check nor call VERSION REFERENCE: " + line);
        System.exit(2);
      }
      if (words[0].equals("call")) {
        // Always the same ORB, whose connections shall be found dead.
        if (caller == null) caller = new Peer("ParamClient", words[1], 0);
        call(Param_TestHelper.unchecked_narrow(caller.orb.string_to_object(words[2])));
        continue;
      }
      Peer peer = new Peer("ParamClient", words[1], 0);
      Param_Test target = Param_TestHelper.narrow(peer.orb.string_to_object(words[2]));
      new ParamClient(peer, target).checkEverything();
      peer.orb.shutdown(true);
      System.out.println("done");
    }
    System.exit(0);
  }
}
