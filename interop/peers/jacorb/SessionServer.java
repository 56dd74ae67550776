import java.io.FileWriter;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SystemException;
import org.omg.PortableServer.ForwardRequest;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.RequestProcessingPolicyValue;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantLocator;
import org.omg.PortableServer.ServantLocatorPackage.CookieHolder;
import org.omg.PortableServer.ServantRetentionPolicyValue;
import sessions.Listener;
import sessions.Session;
import sessions.SessionHelper;
import sessions.SessionPOA;

/**
 * The servant of Session as session_test.idl describes it.
 *
 * <pre>SessionServer [--bidirectional] [--name NAME] [--port PORT]</pre>
 *
 * Prints its reference as the first line. Ends when standard input is closed. Its object key is the
 * same each time, so that a reference also leads to the object of the next server on the port.
 */
public final class SessionServer {
  /** Answers every request with a forward. */
  private static final class Forwarder extends org.omg.CORBA.LocalObject implements ServantLocator {
    private volatile Session target;

    @Override
    public Servant preinvoke(byte[] id, POA poa, String operation, CookieHolder cookie)
        throws ForwardRequest {
      if (target == null) throw new OBJECT_NOT_EXIST();
      throw new ForwardRequest(target);
    }

    @Override
    public void postinvoke(byte[] id, POA poa, String operation, Object cookie, Servant servant) {}
  }

  private static final class SessionServant extends SessionPOA {
    private final String name;
    private final Forwarder forwarder;
    private final Session moved;
    private final AtomicInteger told = new AtomicInteger();

    SessionServant(String name, Forwarder forwarder, Session moved) {
      this.name = name;
      this.forwarder = forwarder;
      this.moved = moved;
    }

    @Override
    public int tell(Listener l, int n) {
      return 1 + l.hear(n);
    }

    @Override
    public boolean tell_much(Listener l, int length) {
      byte[] data = new byte[length];
      for (int i = 0; i < length; ++i) data[i] = (byte) (i % 251);
      return java.util.Arrays.equals(data, l.echo(data));
    }

    @Override
    public void tell_later(Listener l, int times) {
      new Thread(
              () -> {
                for (int i = 0; i < times; ++i) {
                  try {
                    if (l.hear(0) == 0) told.incrementAndGet();
                  } catch (SystemException exception) {
                    System.err.println("SessionServer: " + Peer.describe(exception));
                  }
                }
              })
          .start();
    }

    @Override
    public int told() {
      return told.get();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Session moved() {
      return moved;
    }

    @Override
    public void move(Session target) {
      forwarder.target = target;
    }

    @Override
    public void work(String file, int pause_ms) {
      try (FileWriter writer = new FileWriter(file, true)) {
        writer.write(name + "\n");
        writer.flush();
        Thread.sleep(pause_ms);
      } catch (java.io.IOException | InterruptedException failure) {
        throw new org.omg.CORBA.INTERNAL(failure.getMessage());
      }
    }
  }

  private SessionServer() {}

  private static Session moved(ORB orb, Forwarder forwarder) throws Exception {
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    Policy[] policies = {
      root.create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER),
      root.create_servant_retention_policy(ServantRetentionPolicyValue.NON_RETAIN)
    };
    POA poa = root.create_POA("moved", root.the_POAManager(), policies);
    poa.set_servant_manager(forwarder);
    return SessionHelper.unchecked_narrow(poa.create_reference(SessionHelper.id()));
  }

  public static void main(String[] arguments) throws Exception {
    Properties further = new Properties();
    String name = "JacORB";
    int port = 0;
    for (int i = 0; i < arguments.length; ++i) {
      if (arguments[i].equals("--bidirectional")) {
        further = Peer.bidirectional();
      } else if (arguments[i].equals("--name") && i + 1 < arguments.length) {
        name = arguments[++i];
      } else if (arguments[i].equals("--port") && i + 1 < arguments.length) {
        port = Integer.parseInt(arguments[++i]);
      } else {
        System.err.println("usage: SessionServer [--bidirectional] [--name NAME] [--port PORT]");
        System.exit(2);
      }
    }
    Peer peer = new Peer("SessionServer", "1.2", port, further);
    Forwarder forwarder = new Forwarder();
    SessionServant servant = new SessionServant(name, forwarder, moved(peer.orb, forwarder));
    System.out.println(peer.orb.object_to_string(peer.activate("session", servant)));
    Peer.shutDownWithInput(List.of(peer.orb));
    peer.orb.run();
    System.exit(0);
  }
}
