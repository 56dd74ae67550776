import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;

/**
 * Portable interceptors of both sides: a client's request has a service context, and a server's
 * reply one that repeats it.
 */
public final class Contexts extends LocalObject implements ORBInitializer {
  private static final int ASKED = 0x4d590001;
  private static final int ANSWERED = 0x4d590002;

  /** What the last reply had, or null. */
  static volatile String answered;

  /** The properties of an ORB with these interceptors. */
  static Properties properties() {
    Properties properties = new Properties();
    properties.put("org.omg.PortableInterceptor.ORBInitializerClass.Contexts", "Contexts");
    return properties;
  }

  @Override
  public void pre_init(ORBInitInfo info) {}

  @Override
  public void post_init(ORBInitInfo info) {
    try {
      info.add_client_request_interceptor(new OfClient());
      info.add_server_request_interceptor(new OfServer());
    } catch (DuplicateName impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String text(ServiceContext context) {
    return new String(context.context_data, StandardCharsets.ISO_8859_1);
  }

  private static final class OfClient extends LocalObject implements ClientRequestInterceptor {
    @Override
    public void send_request(ClientRequestInfo info) {
      info.add_request_service_context(new ServiceContext(ASKED, octets("question")), true);
    }

    @Override
    public void receive_reply(ClientRequestInfo info) {
      try {
        answered = text(info.get_reply_service_context(ANSWERED));
      } catch (BAD_PARAM none) {
        answered = null;
      }
    }

    @Override
    public void send_poll(ClientRequestInfo info) {}

    @Override
    public void receive_exception(ClientRequestInfo info) {}

    @Override
    public void receive_other(ClientRequestInfo info) {}

    @Override
    public String name() {
      return "client";
    }

    @Override
    public void destroy() {}
  }

  private static final class OfServer extends LocalObject implements ServerRequestInterceptor {
    @Override
    public void receive_request_service_contexts(ServerRequestInfo info) {
      try {
        String asked = text(info.get_request_service_context(ASKED));
        byte[] answer = octets("answer to " + asked);
        info.add_reply_service_context(new ServiceContext(ANSWERED, answer), true);
      } catch (BAD_PARAM none) {
        // The client does not know it.
      }
    }

    @Override
    public void receive_request(ServerRequestInfo info) {}

    @Override
    public void send_reply(ServerRequestInfo info) {}

    @Override
    public void send_exception(ServerRequestInfo info) {}

    @Override
    public void send_other(ServerRequestInfo info) {}

    @Override
    public String name() {
      return "server";
    }

    @Override
    public void destroy() {}
  }
}
