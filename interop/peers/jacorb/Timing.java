import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.Properties;

/**
 * The protocol between a driver of benchmarks and the client that makes the calls, line by line,
 * as ../omniorb/timing.h describes it: this one knows `select`, `run`, `samples` and `quit`.
 */
final class Timing {
  /** A sample: a call, or as many as a client makes of it. */
  interface Sample {
    void take() throws Exception;
  }

  /** The calls that a client has. */
  interface Kinds {
    /** Those of this kind; null when there is no such kind. What comes back is looked at once. */
    Sample select(String words) throws Exception;
  }

  /** More would not fit the memory of a small machine. */
  private static final int SAMPLES_MAX = 100_000_000;

  /** For so long calls are made before any is timed: until then Java compiles what they run. */
  private static final long WARM_UP_NS = 1_000_000_000;

  private Timing() {}

  /**
   * How the ORBs of benchmarks differ from those of tests: calls last as long as they last. Requests
   * wait until a thread has time for them, and are carried out in order, for there is one.
   */
  static Properties properties() {
    Properties properties = new Properties();
    properties.put("jacorb.connection.client.pending_reply_timeout", "0");
    properties.put("jacorb.poa.queue_wait", "on");
    properties.put("jacorb.poa.thread_pool_min", "1");
    properties.put("jacorb.poa.thread_pool_max", "1");
    return properties;
  }

  /**
   * Answers requests until the input ends or says `quit`. False, with a line on standard error, for
   * a request that is none.
   *
   * @param first what is called as long as nothing else has been selected
   */
  static boolean answerRequests(String program, String first, Kinds kinds) throws Exception {
    Sample sample = kinds.select(first);
    boolean isCold = true;
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    String line;
    while ((line = input.readLine()) != null && !line.equals("quit")) {
      String[] words = line.split(" ", 2);
      boolean selects = words[0].equals("select") && words.length == 2;
      boolean times = words[0].equals("run") || words[0].equals("samples");
      int count = times && words.length == 2 ? count(words[1]) : 0;
      if (selects) sample = kinds.select(words[1]);
      if (sample == null || !selects && count == 0) {
        System.err.println(program + ": the request is not understood: " + line);
        return false;
      }
      if (selects || isCold) warmUp(sample);
      isCold = false;
      if (words[0].equals("run")) System.out.println(summary(timed(sample, count)));
      if (words[0].equals("samples")) System.out.println(joined(timed(sample, count)));
    }
    return true;
  }

  private static int count(String text) {
    if (!text.matches("[0-9]{1,9}")) return 0;
    int count = Integer.parseInt(text);
    return count <= SAMPLES_MAX ? count : 0;
  }

  private static void warmUp(Sample sample) throws Exception {
    long end = System.nanoTime() + WARM_UP_NS;
    while (System.nanoTime() < end) sample.take();
  }

  private static long[] timed(Sample sample, int count) throws Exception {
    long[] times = new long[count];
    for (int i = 0; i < count; ++i) {
      long before = System.nanoTime();
      sample.take();
      times[i] = System.nanoTime() - before;
    }
    return times;
  }

  /** The nearest rank: the least sample that a share `percent` of all do not exceed. */
  private static long percentile(long[] sorted, long percent) {
    return sorted[(int) ((sorted.length * percent + 99) / 100) - 1];
  }

  private static String summary(long[] times) {
    Arrays.sort(times);
    long sum = Arrays.stream(times).sum();
    long[] figures = {
      percentile(times, 50), percentile(times, 99), times[0], times[times.length - 1],
      sum / times.length
    };
    return joined(figures);
  }

  private static String joined(long[] numbers) {
    StringBuilder line = new StringBuilder();
    for (long number : numbers) line.append(line.length() == 0 ? "" : " ").append(number);
    return line.toString();
  }
}
