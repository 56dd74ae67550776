import bench.PingerPOA;
import java.util.List;

/**
 * The servant of bench::Pinger, behind portable interceptors.
 *
 * <p>Prints its reference as the first line. Ends when standard input is closed.
 */
public final class InterceptorServer {
  private static final class Pinger extends PingerPOA {
    @Override
    public void ping() {}
  }

  public static void main(String[] arguments) throws Exception {
    Peer peer = new Peer("InterceptorServer", "1.2", 0, Contexts.properties());
    System.out.println(peer.orb.object_to_string(peer.activate("pinger", new Pinger())));
    Peer.shutDownWithInput(List.of(peer.orb));
    peer.orb.run();
    System.exit(0);
  }
}
