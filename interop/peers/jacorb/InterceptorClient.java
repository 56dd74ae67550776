import bench.Pinger;
import bench.PingerHelper;

/**
 * Calls bench::Pinger::ping behind portable interceptors, and prints the service context of the
 * reply.
 *
 * <pre>InterceptorClient REFERENCE</pre>
 */
public final class InterceptorClient {
  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      System.err.println("usage: InterceptorClient REFERENCE");
      System.exit(2);
    }
    Peer peer = new Peer("InterceptorClient", "1.2", 0, Contexts.properties());
    Pinger pinger = PingerHelper.unchecked_narrow(peer.orb.string_to_object(arguments[0]));
    pinger.ping();
    System.out.println(Contexts.answered);
    System.exit(0);
  }
}
