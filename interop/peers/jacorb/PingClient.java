import bench.Pinger;
import bench.PingerHelper;

/**
 * Times calls of bench::Pinger::ping.
 *
 * <pre>PingClient REFERENCE</pre>
 *
 * Timing.java describes its requests on standard input.
 */
public final class PingClient {
  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      System.err.println("usage: PingClient REFERENCE");
      System.exit(2);
    }
    Peer peer = new Peer("PingClient", "1.2", 0, Timing.properties());
    Pinger pinger = PingerHelper.narrow(peer.orb.string_to_object(arguments[0]));
    Timing.Sample ping = pinger::ping;
    boolean understood =
        Timing.answerRequests("PingClient", "void", kind -> kind.equals("void") ? ping : null);
    System.exit(understood ? 0 : 2);
  }
}
