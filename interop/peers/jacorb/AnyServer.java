import java.util.List;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.INTERNAL;
import org.omg.CORBA.NO_IMPLEMENT;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.UserException;
import org.omg.DynamicAny.DynAny;
import org.omg.DynamicAny.DynAnyFactory;
import org.omg.DynamicAny.DynAnyFactoryHelper;
import org.omg.DynamicAny.DynEnum;
import org.omg.DynamicAny.DynFixed;
import org.omg.DynamicAny.DynSequence;
import org.omg.DynamicAny.DynUnion;
import remade.Remaker;
import remade.RemakerPOA;

/**
 * The servant of Remaker as any_test.idl describes it.
 *
 * <pre>AnyServer VERSION</pre>
 *
 * Prints its reference as the first line. Ends when standard input is closed.
 */
public final class AnyServer {
  private static final class Servant extends RemakerPOA {
    private final DynAnyFactory factory;

    Servant(ORB orb) throws Exception {
      factory = DynAnyFactoryHelper.narrow(orb.resolve_initial_references("DynAnyFactory"));
    }

    @Override
    public Any echo(Any value) {
      return value;
    }

    @Override
    public Any remake(Any value) {
      try {
        DynAny from = factory.create_dyn_any(value);
        DynAny to = madeLike(from);
        return to.to_any();
      } catch (UserException exception) {
        throw new BAD_PARAM(exception.toString());
      }
    }

    @Override
    public Any ask(Remaker other, Any value) {
      return other.remake(value);
    }

    private DynAny madeLike(DynAny from) throws UserException {
      DynAny to = factory.create_dyn_any_from_type_code(from.type());
      copy(from, to);
      return to;
    }

    private void copy(DynAny from, DynAny to) throws UserException {
      TypeCode type = from.type();
      while (type.kind().value() == TCKind._tk_alias) type = type.content_type();
      switch (type.kind().value()) {
        case TCKind._tk_null, TCKind._tk_void -> {}
        case TCKind._tk_boolean -> to.insert_boolean(from.get_boolean());
        case TCKind._tk_octet -> to.insert_octet(from.get_octet());
        case TCKind._tk_char -> to.insert_char(from.get_char());
        case TCKind._tk_wchar -> to.insert_wchar(from.get_wchar());
        case TCKind._tk_short -> to.insert_short(from.get_short());
        case TCKind._tk_ushort -> to.insert_ushort(from.get_ushort());
        case TCKind._tk_long -> to.insert_long(from.get_long());
        case TCKind._tk_ulong -> to.insert_ulong(from.get_ulong());
        case TCKind._tk_longlong -> to.insert_longlong(from.get_longlong());
        case TCKind._tk_ulonglong -> to.insert_ulonglong(from.get_ulonglong());
        case TCKind._tk_float -> to.insert_float(from.get_float());
        case TCKind._tk_double -> to.insert_double(from.get_double());
        case TCKind._tk_string -> to.insert_string(from.get_string());
        case TCKind._tk_wstring -> to.insert_wstring(from.get_wstring());
        case TCKind._tk_TypeCode -> to.insert_typecode(from.get_typecode());
        case TCKind._tk_objref -> to.insert_reference(from.get_reference());
        case TCKind._tk_any -> to.insert_dyn_any(madeLike(from.get_dyn_any()));
        case TCKind._tk_enum -> ((DynEnum) to).set_as_ulong(((DynEnum) from).get_as_ulong());
        case TCKind._tk_fixed -> ((DynFixed) to).set_value(((DynFixed) from).get_value());
        case TCKind._tk_union -> copyUnion((DynUnion) from, (DynUnion) to);
        case TCKind._tk_sequence -> {
          ((DynSequence) to).set_length(from.component_count());
          copyComponents(from, to);
        }
        case TCKind._tk_array, TCKind._tk_struct, TCKind._tk_except -> copyComponents(from, to);
        default -> throw new NO_IMPLEMENT("kind " + type.kind().value());
      }
    }

    private void copyUnion(DynUnion from, DynUnion to) throws UserException {
      to.set_discriminator(from.get_discriminator());
      if (from.has_no_active_member() != to.has_no_active_member()) throw new INTERNAL("member");
      if (!from.has_no_active_member()) copy(from.member(), to.member());
    }

    private void copyComponents(DynAny from, DynAny to) throws UserException {
      int count = from.component_count();
      if (to.component_count() != count) throw new INTERNAL("count");
      for (int index = 0; index < count; ++index) {
        if (!from.seek(index) || !to.seek(index)) throw new INTERNAL("seek");
        copy(from.current_component(), to.current_component());
      }
    }
  }

  private AnyServer() {}

  public static void main(String[] versions) throws Exception {
    if (versions.length != 1) {
      System.err.println("usage: AnyServer VERSION");
      System.exit(2);
    }
    Peer peer = new Peer("AnyServer", versions[0], 0);
    org.omg.CORBA.Object object = peer.activate("Remaker", new Servant(peer.orb));
    System.out.println(peer.orb.object_to_string(object));
    Peer.shutDownWithInput(List.of(peer.orb));
    peer.orb.run();
    System.exit(0);
  }
}
