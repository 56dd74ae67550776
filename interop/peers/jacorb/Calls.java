import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls, by reflection, the operations that have a table of values: each value in turn. */
final class Calls {
  /** Whether two values are the same; the class of their holder says what they are. */
  interface Same {
    boolean test(Object a, Object b, Class<?> holder) throws Exception;
  }

  /** The value that a call leaves in s2, which had the value of this index. */
  interface Turn {
    Object of(Object[] table, int index) throws Exception;
  }

  private final Class<?> operations;
  private final Object target;
  private final Same same;
  private final Turn turn;

  Calls(Class<?> operations, Object target, Same same, Turn turn) {
    this.operations = operations;
    this.target = target;
    this.same = same;
    this.turn = turn;
  }

  /** Calls an operation with every value, and looks at what comes back. */
  void check(String operation, Object[] table) throws Exception {
    for (Method method : operations.getMethods())
      if (method.getName().equals(operation))
        for (int k = 0; k < table.length; ++k) check(method, table, k);
  }

  private void check(Method method, Object[] table, int k) throws Exception {
    String which = " for value " + k;
    int next = (k + 1) % table.length;
    Class<?> holder = method.getParameterTypes()[1];
    Field value = holder.getField("value");
    Object s2 = holder.getConstructor().newInstance();
    Object s3 = holder.getConstructor().newInstance();
    value.set(s2, table[next]);
    Object result;
    try {
      result = method.invoke(target, table[k], s2, s3);
    } catch (InvocationTargetException exception) {
      throw new IllegalStateException(Peer.describe(exception.getCause()) + which);
    }
    Report.expect(same.test(result, table[k], holder), "wrong result" + which);
    Report.expect(same.test(value.get(s3), table[next], holder), "wrong s3" + which);
    Report.expect(same.test(value.get(s2), turn.of(table, next), holder), "wrong s2" + which);
  }
}
