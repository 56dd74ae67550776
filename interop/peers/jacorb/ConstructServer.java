import constructs.Construct_TestOperations;
import constructs.Construct_TestPOATie;
import constructs.Construct_TestPackage.Fault;
import constructs.Point;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ObjectHolder;

/**
 * The servant of Construct_Test as construct_test.idl describes it.
 *
 * <pre>ConstructServer VERSION...</pre>
 *
 * For each version of GIOP an ORB with an object; prints their references, one a line. Ends when
 * all are shut down or when standard input is closed.
 */
public final class ConstructServer {
  /** The operations that have no table of values. */
  public static final class Servant {
    private final ORB orb;
    private final Constructs values;
    private volatile Point place = Constructs.P;
    org.omg.CORBA.Object own;

    Servant(ORB orb, Constructs values) {
      this.orb = orb;
      this.values = values;
    }

    public org.omg.CORBA.Object test_object(
        org.omg.CORBA.Object s1, ObjectHolder s2, ObjectHolder s3) {
      boolean first = s2.value == null && s1 != null && s1._is_equivalent(own);
      boolean second = s1 == null && s2.value != null && s2.value._is_equivalent(own);
      if (!first && !second) throw Peer.refusal();
      s3.value = s2.value;
      s2.value = s1;
      return s1;
    }

    public void raise_fault() throws Fault {
      throw values.fault();
    }

    public Point place() {
      return place;
    }

    public void place(Point value) {
      place = value;
    }

    public void shutdown() {
      // Not on the thread of a request, which a shutdown waits for.
      new Thread(() -> orb.shutdown(true)).start();
    }
  }

  private ConstructServer() {}

  /** Refuses the pair unless s2 follows s1 in the table; gives the result, s2 and s3. */
  private static Object answer(Constructs values, Object[] table, Object s1, Object s2, Object s3)
      throws ReflectiveOperationException {
    Class<?> holder = s2.getClass();
    Field value = holder.getField("value");
    Object received = value.get(s2);
    for (int k = 0; k < table.length; ++k) {
      if (!values.same(table[k], s1, holder)) continue;
      if (!values.same(table[(k + 1) % table.length], received, holder)) break;
      value.set(s3, received);
      value.set(s2, table[(k + 2) % table.length]);
      return s1;
    }
    throw Peer.refusal();
  }

  /** The operations that have a table, and the others from a servant. */
  private static Construct_TestOperations operations(Constructs values, Servant servant) {
    return (Construct_TestOperations)
        Proxy.newProxyInstance(
            ConstructServer.class.getClassLoader(),
            new Class<?>[] {Construct_TestOperations.class},
            (proxy, method, arguments) -> {
              Object[] table = values.tables.get(method.getName());
              if (table != null)
                return answer(values, table, arguments[0], arguments[1], arguments[2]);
              Method other = Servant.class.getMethod(method.getName(), method.getParameterTypes());
              try {
                return other.invoke(servant, arguments);
              } catch (InvocationTargetException exception) {
                throw exception.getCause();
              }
            });
  }

  public static void main(String[] versions) throws Exception {
    if (versions.length == 0) {
      System.err.println("usage: ConstructServer VERSION...");
      System.exit(2);
    }
    List<ORB> orbs = new ArrayList<>();
    for (String version : versions) {
      Peer peer = new Peer("ConstructServer", version, 0);
      Constructs values = new Constructs(peer.orb);
      Servant servant = new Servant(peer.orb, values);
      servant.own =
          peer.activate("Construct_Test", new Construct_TestPOATie(operations(values, servant)));
      System.out.println(peer.orb.object_to_string(servant.own));
      orbs.add(peer.orb);
    }
    Peer.shutDownWithInput(orbs);
    for (ORB orb : orbs) orb.run();
    System.exit(0);
  }
}
