import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE;
import org.omg.BiDirPolicy.BOTH;
import org.omg.BiDirPolicy.BidirectionalPolicyValueHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SystemException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/** An ORB of JacORB's that reads no configuration file and listens on the loopback only. */
final class Peer {
  private static final String BIDIRECTIONAL =
      "org.omg.PortableInterceptor.ORBInitializerClass.bidirectional";

  final ORB orb;
  final POA poa;

  /**
   * An ORB whose references offer this version of GIOP.
   *
   * @param name of the program, a part of object keys. JacORB takes objects with the keys of its
   *     own program for local ones, so a client and a server must differ in it.
   * @param port where it listens; 0: wherever there is room
   */
  Peer(String name, String version, int port) throws Exception {
    this(name, version, port, new Properties());
  }

  /**
   * The same with further properties. With those of {@link #bidirectional}, requests to its objects
   * may come over connections that it has opened, and it calls back over those that it has accepted.
   */
  Peer(String name, String version, int port, Properties further) throws Exception {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    properties.put("OAIAddr", "127.0.0.1");
    if (port != 0) properties.put("OAPort", String.valueOf(port));
    properties.put("jacorb.giop_minor_version", version.substring(version.indexOf('.') + 1));
    properties.put("jacorb.native_char_codeset", "ISO8859_1");
    // Requests that wait for others keep a thread each.
    properties.put("jacorb.poa.thread_pool_max", "100");
    properties.put("jacorb.implname", name);
    // In milliseconds. A call without a reply fails, and the other checks go on.
    properties.put("jacorb.connection.client.pending_reply_timeout", "4000");
    // Faults are reported by exceptions.
    properties.put("jacorb.log.default.verbosity", "0");
    properties.putAll(further);
    orb = ORB.init(new String[0], properties);
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    List<Policy> policies = new ArrayList<>();
    policies.add(root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT));
    policies.add(root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID));
    if (further.containsKey(BIDIRECTIONAL)) {
      Any both = orb.create_any();
      BidirectionalPolicyValueHelper.insert(both, BOTH.value);
      policies.add(orb.create_policy(BIDIRECTIONAL_POLICY_TYPE.value, both));
    }
    poa = root.create_POA("peers", root.the_POAManager(), policies.toArray(new Policy[0]));
    root.the_POAManager().activate();
  }

  /** The properties of an ORB whose connections carry requests both ways. */
  static Properties bidirectional() {
    Properties properties = new Properties();
    properties.put(BIDIRECTIONAL, "org.jacorb.orb.giop.BiDirConnectionInitializer");
    return properties;
  }

  /** The reference to a servant that is now served under this id. */
  org.omg.CORBA.Object activate(String id, Servant servant) throws Exception {
    poa.activate_object_with_id(id.getBytes("ISO-8859-1"), servant);
    return poa.servant_to_reference(servant);
  }

  /** Shuts ORBs down, in order, when standard input is closed. */
  static void shutDownWithInput(List<ORB> orbs) {
    Thread watcher =
        new Thread(
            () -> {
              try {
                System.in.transferTo(new ByteArrayOutputStream());
              } catch (IOException closed) {
                // That is an end, too.
              }
              for (ORB orb : orbs) orb.shutdown(true);
            });
    watcher.setDaemon(true);
    watcher.start();
  }

  /** "BAD_PARAM minor 7 COMPLETED_NO", or what another exception says. */
  static String describe(Throwable thrown) {
    if (!(thrown instanceof SystemException)) return thrown.toString();
    SystemException exception = (SystemException) thrown;
    String[] completed = {"COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"};
    return exception.getClass().getSimpleName()
        + " minor "
        + exception.minor
        + " "
        + completed[exception.completed.value()]
        + (exception.getMessage() == null ? "" : " (" + exception.getMessage().trim() + ")");
  }

  /** The refusal of a value. */
  static SystemException refusal() {
    return new org.omg.CORBA.BAD_PARAM(Values.REFUSED_MINOR, CompletionStatus.COMPLETED_NO);
  }
}
