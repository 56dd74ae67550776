import java.io.FileWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.SystemException;
import org.omg.PortableInterceptor.ForwardRequest;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;
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
  /**
   * Answers every request to the object `moved` with a forward. Not a servant manager, as would be
   * usual: JacORB 3.9 never answers a request whose servant manager has raised an exception.
   */
  private static final class Forwarder extends org.omg.CORBA.LocalObject
      implements ServerRequestInterceptor {
    private volatile Session target;

    @Override
    public void receive_request(ServerRequestInfo request) throws ForwardRequest {
      if (!Arrays.equals(request.object_id(), MOVED.getBytes())) return;
      if (target == null) throw new OBJECT_NOT_EXIST();
      throw new ForwardRequest(target);
    }

    @Override
    public void receive_request_service_contexts(ServerRequestInfo request) {}

    @Override
    public void send_reply(ServerRequestInfo request) {}

    @Override
    public void send_exception(ServerRequestInfo request) {}

    @Override
    public void send_other(ServerRequestInfo request) {}

    @Override
    public String name() {
      return "Forwarder";
    }

    @Override
    public void destroy() {}
  }

  /** Puts the forwarder into the ORB. JacORB makes one by its class's name. */
  public static final class Initializer extends org.omg.CORBA.LocalObject
      implements ORBInitializer {
    @Override
    public void pre_init(ORBInitInfo info) {}

    @Override
    public void post_init(ORBInitInfo info) {
      try {
        info.add_server_request_interceptor(FORWARDER);
      } catch (DuplicateName impossible) {
        throw new IllegalStateException(impossible);
      }
    }
  }

  private static final String MOVED = "moved";
  private static final Forwarder FORWARDER = new Forwarder();

  private static final class SessionServant extends SessionPOA {
    private final String name;
    private final AtomicInteger told = new AtomicInteger();
    private Session moved;

    SessionServant(String name) {
      this.name = name;
    }

    @Override
    public int tell(Listener l, int n) {
      return 1 + l.hear(n);
    }

    @Override
    public boolean tell_much(Listener l, int length) {
      byte[] data = new byte[length];
      for (int i = 0; i < length; ++i) data[i] = (byte) (i % 251);
      return Arrays.equals(data, l.echo(data));
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
      FORWARDER.target = target;
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
    further.put(
        "org.omg.PortableInterceptor.ORBInitializerClass.forwarder", Initializer.class.getName());
    Peer peer = new Peer("SessionServer", "1.2", port, further);
    SessionServant servant = new SessionServant(name);
    servant.moved = SessionHelper.narrow(peer.activate(MOVED, new SessionServant("moved")));
    System.out.println(peer.orb.object_to_string(peer.activate("session", servant)));
    Peer.shutDownWithInput(List.of(peer.orb));
    peer.orb.run();
    System.exit(0);
  }
}
