import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.SystemException;
import sessions.Listener;
import sessions.ListenerHelper;
import sessions.ListenerPOA;
import sessions.Session;
import sessions.SessionHelper;

/**
 * A client of Session as session_test.idl describes it.
 *
 * <pre>SessionClient [--bidirectional] [--locate]</pre>
 *
 * With --locate it asks for each object by a LocateRequest before its first call.
 *
 * Does what the lines of its standard input say, and answers each with a line: what came back, or
 * the exception. A reference that was named before is the same object reference again, with what it
 * has found out.
 *
 * <pre>
 * name REFERENCE               the server's name
 * tell REFERENCE N             what tell returns, with a listener of this client
 * tell_much REFERENCE LENGTH   what tell_much returns: 0 or 1
 * tell_later REFERENCE TIMES   `done`
 * told REFERENCE               what told returns
 * listener                     the reference to this client's listener
 * heard                        how often it has been called
 * work REFERENCE FILE PAUSE    `done`
 * </pre>
 */
public final class SessionClient {
  private static final class ListenerServant extends ListenerPOA {
    final AtomicInteger heard = new AtomicInteger();
    volatile Session session;
    Listener own;

    @Override
    public int hear(int n) {
      heard.incrementAndGet();
      return n == 0 ? 0 : 1 + session.tell(own, n - 1);
    }

    @Override
    public byte[] echo(byte[] data) {
      return data;
    }
  }

  private final Peer peer;
  private final ListenerServant servant = new ListenerServant();
  private final Map<String, Session> sessions = new HashMap<>();

  private SessionClient(Peer peer) throws Exception {
    this.peer = peer;
    servant.own = ListenerHelper.narrow(peer.activate("listener", servant));
  }

  /** Does what a line asks for. */
  private String carryOut(String[] words) {
    if (words[0].equals("listener")) return peer.orb.object_to_string(servant.own);
    if (words[0].equals("heard")) return String.valueOf(servant.heard);
    Session session =
        sessions.computeIfAbsent(
            words[1], url -> SessionHelper.unchecked_narrow(peer.orb.string_to_object(url)));
    servant.session = session;
    switch (words[0]) {
      case "name": return session.name();
      case "told": return String.valueOf(session.told());
      case "tell": return String.valueOf(session.tell(servant.own, Integer.parseInt(words[2])));
      case "tell_much":
        return session.tell_much(servant.own, Integer.parseInt(words[2])) ? "1" : "0";
      case "tell_later":
        session.tell_later(servant.own, Integer.parseInt(words[2]));
        return "done";
      case "work":
        session.work(words[2], Integer.parseInt(words[3]));
        return "done";
      default: return "no such command: " + words[0];
    }
  }

  public static void main(String[] arguments) throws Exception {
    Properties further = new Properties();
    for (String argument : arguments) {
      if (argument.equals("--bidirectional")) {
        further.putAll(Peer.bidirectional());
      } else if (argument.equals("--locate")) {
        further.put("jacorb.locate_on_bind", "on");
      } else {
        System.err.println("usage: SessionClient [--bidirectional] [--locate]");
        System.exit(2);
      }
    }
    // Calls of this client may last.
    further.put("jacorb.connection.client.pending_reply_timeout", "60000");
    SessionClient client = new SessionClient(new Peer("SessionClient", "1.2", 0, further));
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    String line;
    while ((line = input.readLine()) != null) {
      try {
        System.out.println(client.carryOut(line.split(" ")));
      } catch (SystemException exception) {
        System.out.println(Peer.describe(exception).replace('\n', ' '));
      }
    }
    System.exit(0);
  }
}
