import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.omg.CosNaming.Binding;
import org.omg.CosNaming.BindingHolder;
import org.omg.CosNaming.BindingIterator;
import org.omg.CosNaming.BindingIteratorHolder;
import org.omg.CosNaming.BindingListHolder;
import org.omg.CosNaming.BindingType;
import org.omg.CosNaming.NameComponent;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;
import org.omg.CosNaming.NamingContextPackage.AlreadyBound;
import org.omg.CosNaming.NamingContextPackage.CannotProceed;
import org.omg.CosNaming.NamingContextPackage.NotEmpty;
import org.omg.CosNaming.NamingContextPackage.NotFound;

/**
 * Does to naming contexts what it is told, a line for each operation: the operation, the number of
 * the context among the references that are its arguments, and a name as it is written. Answers each
 * with a line.
 */
final class NamingClient {
  private final Peer peer = new Peer("NamingClient", "1.2", 0);
  private final List<NamingContextExt> contexts = new ArrayList<>();

  private NamingClient(String[] references) throws Exception {
    for (String reference : references) {
      contexts.add(NamingContextExtHelper.narrow(peer.orb.string_to_object(reference)));
    }
  }

  public static void main(String[] arguments) throws Exception {
    NamingClient client = new NamingClient(arguments);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      System.out.println(client.answer(line.split(" ")));
    }
    client.peer.orb.shutdown(true);
  }

  private String answer(String[] words) {
    try {
      return carryOut(words);
    } catch (NotFound notFound) {
      String[] reasons = {"missing_node", "not_context", "not_object"};
      return "NotFound " + reasons[notFound.why.value()] + " " + text(notFound.rest_of_name);
    } catch (CannotProceed cannotProceed) {
      return "CannotProceed " + text(cannotProceed.rest_of_name);
    } catch (AlreadyBound alreadyBound) {
      return "AlreadyBound";
    } catch (NotEmpty notEmpty) {
      return "NotEmpty";
    } catch (Exception exception) {
      return Peer.describe(exception);
    }
  }

  private String carryOut(String[] words) throws Exception {
    NamingContextExt context = contexts.get(Integer.parseInt(words[1]));
    String name = words.length > 2 ? words[2] : "";
    switch (words[0]) {
      case "bind":
        context.bind(context.to_name(name), object(words[3]));
        return "done";
      case "rebind":
        context.rebind(context.to_name(name), object(words[3]));
        return "done";
      case "bind_context":
        context.bind_context(context.to_name(name), contexts.get(Integer.parseInt(words[3])));
        return "done";
      case "bind_new_context":
        context.bind_new_context(context.to_name(name));
        return "done";
      case "resolve":
        return peer.orb.object_to_string(context.resolve(context.to_name(name)));
      case "resolve_str":
        return peer.orb.object_to_string(context.resolve_str(name));
      case "unbind":
        context.unbind(context.to_name(name));
        return "done";
      case "destroy":
        {
          org.omg.CORBA.Object bound = context.resolve(context.to_name(name));
          NamingContext inner = NamingContextExtHelper.narrow(bound);
          inner.destroy();
          return "done";
        }
      case "list":
        return list(context);
      case "to_string":
        return context.to_string(context.to_name(name));
      case "to_url":
        return context.to_url(words[3], name);
      default:
        return "no such operation: " + words[0];
    }
  }

  private org.omg.CORBA.Object object(String reference) {
    return peer.orb.string_to_object(reference);
  }

  /** All names of a context, sorted: the first by the list, two by two and then one by one. */
  private String list(NamingContextExt context) throws Exception {
    BindingListHolder some = new BindingListHolder();
    BindingIteratorHolder rest = new BindingIteratorHolder();
    context.list(1, some, rest);
    TreeSet<String> all = new TreeSet<>();
    add(all, some.value);
    BindingIterator iterator = rest.value;
    if (iterator != null) {
      if (iterator.next_n(2, some)) add(all, some.value);
      BindingHolder one = new BindingHolder();
      while (iterator.next_one(one)) add(all, new Binding[] {one.value});
      iterator.destroy();
    }
    return String.join(" ", all);
  }

  private static void add(TreeSet<String> all, Binding[] bindings) {
    for (Binding binding : bindings) {
      boolean isContext = binding.binding_type == BindingType.ncontext;
      all.add(text(binding.binding_name) + (isContext ? "/" : ""));
    }
  }

  /** The components with a slash between them; ids and kinds have none that would need an escape. */
  private static String text(NameComponent[] name) {
    List<String> components = new ArrayList<>();
    for (NameComponent one : name) {
      components.add(one.kind.isEmpty() ? one.id : one.id + "." + one.kind);
    }
    return String.join("/", components);
  }
}
