import interop.Callback;
import interop.Param_Test;
import interop.Param_TestHelper;
import interop.Param_TestHolder;
import interop.Param_TestOperations;
import interop.Param_TestPOATie;
import interop.Param_TestPackage.A;
import interop.Param_TestPackage.B;
import interop.Param_TestPackage.Bare;
import interop.Param_TestPackage.Color;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;

/**
 * The servant of Param_Test as param_test.idl describes it.
 *
 * <pre>ParamServer [--port PORT] VERSION...</pre>
 *
 * For each version of GIOP an ORB with an object; prints their references, one a line. Ends when
 * all are shut down or when standard input is closed. Their object keys are the same each time, so
 * that a reference also leads to the object of the next server on the port.
 */
public final class ParamServer {
  /** The operations that have no table of values. */
  public static final class Servant {
    private final ORB orb;
    private final AtomicInteger notified = new AtomicInteger();
    private volatile int level;
    Param_Test own;

    Servant(ORB orb) {
      this.orb = orb;
    }

    public Param_Test test_objref(Param_Test s1, Param_TestHolder s2, Param_TestHolder s3) {
      boolean first = s2.value == null && s1 != null && s1._is_equivalent(own);
      boolean second = s1 == null && s2.value != null && s2.value._is_equivalent(own);
      if (!first && !second) throw Peer.refusal();
      s3.value = s2.value;
      s2.value = first ? own : null;
      return s1;
    }

    public byte[] echo(byte[] data) {
      return data;
    }

    public String greeting() {
      return Values.GREETING;
    }

    public int level() {
      return level;
    }

    public void level(int value) {
      level = value;
    }

    public void raise_user(int which) throws A, B, Bare {
      switch (which) {
        case 0: return;
        case 1: throw new A(Integer.MIN_VALUE, Color.blue);
        case 2: throw new B(Values.latin1(), (int[]) Values.table("test_long_seq")[2]);
        case 3: throw new Bare();
        default: throw Peer.refusal();
      }
    }

    public void raise_system() {
      throw new BAD_PARAM(42, CompletionStatus.COMPLETED_YES);
    }

    public void _notify(String message) {
      for (Object known : Values.table("test_unbounded_string"))
        if (known.equals(message)) notified.incrementAndGet();
    }

    public int notified() {
      return notified.get();
    }

    public int call_back(Callback c, int n) {
      if (c == null || n < 0) throw Peer.refusal();
      return 1 + c.call(n);
    }

    public void shutdown() {
      // Not on the thread of a request, which a shutdown waits for.
      new Thread(() -> orb.shutdown(true)).start();
    }
  }

  private ParamServer() {}

  /** Refuses the pair unless s2 follows s1 in the table; turns s2, and gives the result and s3. */
  private static Object answer(Object[] table, Object s1, Object s2, Object s3) throws Exception {
    Field s2Value = s2.getClass().getField("value");
    for (int k = 0; k < table.length; ++k) {
      if (!Values.same(table[k], s1)) continue;
      Object received = s2Value.get(s2);
      if (!Values.same(table[(k + 1) % table.length], received)) break;
      s3.getClass().getField("value").set(s3, received);
      s2Value.set(s2, Values.turned(received));
      return s1;
    }
    throw Peer.refusal();
  }

  /** The operations that have a table, and the others from a servant. */
  private static Param_TestOperations operations(Servant servant) {
    return (Param_TestOperations)
        Proxy.newProxyInstance(
            ParamServer.class.getClassLoader(),
            new Class<?>[] {Param_TestOperations.class},
            (proxy, method, arguments) -> {
              Object[] table = Values.table(method.getName());
              if (table != null) return answer(table, arguments[0], arguments[1], arguments[2]);
              Method other = Servant.class.getMethod(method.getName(), method.getParameterTypes());
              try {
                return other.invoke(servant, arguments);
              } catch (InvocationTargetException exception) {
                throw exception.getCause();
              }
            });
  }

  public static void main(String[] arguments) throws Exception {
    int port = 0;
    List<ORB> orbs = new ArrayList<>();
    for (int i = 0; i < arguments.length; ++i) {
      if (arguments[i].equals("--port")) {
        port = Integer.parseInt(arguments[++i]);
        continue;
      }
      Peer peer = new Peer("ParamServer", arguments[i], port);
      Servant servant = new Servant(peer.orb);
      org.omg.CORBA.Object object =
          peer.activate("Param_Test", new Param_TestPOATie(operations(servant)));
      servant.own = Param_TestHelper.narrow(object);
      System.out.println(peer.orb.object_to_string(object));
      orbs.add(peer.orb);
    }
    if (orbs.isEmpty()) {
      System.err.println("usage: ParamServer [--port PORT] VERSION...");
      System.exit(2);
    }
    Peer.shutDownWithInput(orbs);
    for (ORB orb : orbs) orb.run();
    System.exit(0);
  }
}
