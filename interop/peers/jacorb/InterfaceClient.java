import org.omg.CORBA.AliasDef;
import org.omg.CORBA.AttributeDescription;
import org.omg.CORBA.AttributeMode;
import org.omg.CORBA.Contained;
import org.omg.CORBA.ExceptionDescription;
import org.omg.CORBA.InterfaceDef;
import org.omg.CORBA.InterfaceDefHelper;
import org.omg.CORBA.InterfaceDefPackage.FullInterfaceDescription;
import org.omg.CORBA.ModuleDef;
import org.omg.CORBA.ORB;
import org.omg.CORBA.OperationDescription;
import org.omg.CORBA.OperationMode;
import org.omg.CORBA.ParameterDescription;
import org.omg.CORBA.PrimitiveKind;
import org.omg.CORBA.Repository;
import org.omg.CORBA.RepositoryHelper;
import org.omg.CORBA.SequenceDef;
import org.omg.CORBA.StructDef;
import org.omg.CORBA.StructMember;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.TypeDescription;
import org.omg.CORBA.TypeDescriptionHelper;
import org.omg.CORBA.ContainedPackage.Description;

/**
 * Asks an object for its interface, and an interface repository for what it has and to make
 * something new; prints what they say, one fact a line.
 *
 * <pre>InterfaceClient OBJECT REPOSITORY</pre>
 */
public final class InterfaceClient {
  private static final String[] MODES = {"in", "out", "inout"};

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 2) {
      System.err.println("usage: InterfaceClient OBJECT REPOSITORY");
      System.exit(2);
    }
    Peer peer = new Peer("InterfaceClient", "1.2", 0);
    org.omg.CORBA.Object object = peer.orb.string_to_object(arguments[0]);
    InterfaceDef definition = InterfaceDefHelper.narrow(object._get_interface_def());
    FullInterfaceDescription full = definition.describe_interface();
    print(full);

    Repository repository = RepositoryHelper.narrow(peer.orb.string_to_object(arguments[1]));
    Contained found = repository.lookup_id(full.id);
    full = InterfaceDefHelper.narrow(found).describe_interface();
    System.out.println("found " + full.id + " " + full.operations.length);
    change(peer.orb, repository);
    System.exit(0);
  }

  private static int kind(TypeCode type) {
    return type.kind().value();
  }

  private static void print(FullInterfaceDescription full) throws Exception {
    System.out.println(
        "interface " + full.name + " " + full.id + " " + full.version + " " + kind(full.type));
    for (String base : full.base_interfaces) System.out.println("base " + base);
    for (OperationDescription one : full.operations) {
      StringBuilder line = new StringBuilder("operation ");
      if (one.mode.value() == OperationMode._OP_ONEWAY) line.append("oneway ");
      line.append(kind(one.result)).append(' ').append(one.name).append(" (");
      for (ParameterDescription parameter : one.parameters) {
        boolean same = parameter.type_def.type().equal(parameter.type);
        line.append(MODES[parameter.mode.value()]).append(' ').append(kind(parameter.type));
        line.append(' ').append(parameter.name).append(same ? "," : " DIFFERS,");
      }
      line.append(')');
      for (ExceptionDescription exception : one.exceptions)
        line.append(' ').append(exception.type.id());
      System.out.println(line);
    }
    for (AttributeDescription one : full.attributes) {
      boolean isReadonly = one.mode.value() == AttributeMode._ATTR_READONLY;
      System.out.println(
          "attribute " + (isReadonly ? "readonly " : "") + kind(one.type) + " " + one.name);
    }
  }

  /** Makes definitions, looks at them, and destroys them. */
  private static void change(ORB orb, Repository repository) throws Exception {
    ModuleDef module = repository.create_module("IDL:peer/M:1.0", "M", "1.0");
    TypeCode nothing = orb.get_primitive_tc(TCKind.tk_void);
    StructMember[] members = {
      new StructMember("x", nothing, repository.get_primitive(PrimitiveKind.pk_long))
    };
    StructDef point = module.create_struct("IDL:peer/M/P:1.0", "P", "1.0", members);
    SequenceDef points = repository.create_sequence(3, point);
    AliasDef alias = module.create_alias("IDL:peer/M/Ps:1.0", "Ps", "1.0", points);
    TypeCode sequence = alias.type().content_type();
    TypeCode element = sequence.content_type();
    System.out.println(
        "made " + alias.type().id() + " " + sequence.length() + " " + element.id() + " "
            + element.member_name(0));
    System.out.println("named " + alias.absolute_name());
    Contained found = repository.lookup("::M::P");
    Description description = found.describe();
    TypeDescription described = TypeDescriptionHelper.extract(description.value);
    System.out.println(
        "described " + description.kind.value() + " " + described.id + " in "
            + described.defined_in);
    try {
      repository.create_module("IDL:peer/M:1.0", "N", "1.0");
    } catch (SystemException exception) {
      System.out.println(
          "refused " + exception.getClass().getSimpleName() + " " + (exception.minor & 0xfff));
    }
    module.destroy();
    found = repository.lookup("::M");
    System.out.println("destroyed " + (found == null ? "all" : "nothing"));
  }
}
