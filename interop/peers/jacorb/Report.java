import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;

/** The reports of the tests' clients: `ok NAME` or `FAILED NAME: why` for each check. */
final class Report {
  /** Something that may go wrong. */
  interface Check {
    void run() throws Exception;
  }

  private Report() {}

  /** Runs a check and reports on it. */
  static void run(String name, Check check) {
    try {
      check.run();
      System.out.println("ok " + name);
    } catch (Exception | Error failure) {
      String why = Peer.describe(failure).replace('\n', ' ');
      System.out.println("FAILED " + name + ": " + why);
    }
  }

  static void expect(boolean holds, String what) {
    if (!holds) throw new IllegalStateException(what);
  }

  /** Asks a call for BAD_PARAM with this minor code and completion. */
  static void expectBadParam(int minor, CompletionStatus completed, Check call) throws Exception {
    try {
      call.run();
    } catch (BAD_PARAM exception) {
      expect(
          exception.minor == minor && exception.completed.value() == completed.value(),
          Peer.describe(exception));
      return;
    }
    expect(false, "no BAD_PARAM was raised");
  }

  static void expectRefusal(Check call) throws Exception {
    expectBadParam(Values.REFUSED_MINOR, CompletionStatus.COMPLETED_NO, call);
  }

  /** Waits until a server that was told to end is gone. */
  static void expectEnd(org.omg.CORBA.Object target) throws Exception {
    long deadline = System.nanoTime() + 5_000_000_000L;
    try {
      while (!target._non_existent()) {
        expect(System.nanoTime() < deadline, "the server is still there after five seconds");
        Thread.sleep(10);
      }
    } catch (SystemException gone) {
      // It can no longer be reached.
    }
  }
}
