// The servant of Remaker as any_test.idl describes it.
//
//     any_server [ORB options]
//
// Prints its reference as the first line. Ends when standard input is closed.

#include "orb.h"

#include "any_test.hh"
#include <omniORB4/dynAny.h>

namespace {

using DynamicAny::DynAny_ptr;
using DynamicAny::DynAny_var;

class Copier {
public:
  explicit Copier(DynamicAny::DynAnyFactory_ptr factory) : factory_(factory) {}

  CORBA::Any* remake(const CORBA::Any& value) {
    DynAny_var from = factory_->create_dyn_any(value);
    DynAny_var to = made_like(from);
    // Not asked whether they are equal: omniORB says no of two anys in anys. The caller compares.
    DynAny_var twin = to->copy();
    CORBA::Any* result = twin->to_any();
    twin->destroy();
    to->destroy();
    from->destroy();
    return result;
  }

private:
  DynAny_ptr made_like(DynAny_ptr from) {
    CORBA::TypeCode_var type = from->type();
    DynAny_var to = factory_->create_dyn_any_from_type_code(type);
    copy(from, to);
    return to._retn();
  }

  void copy(DynAny_ptr from, DynAny_ptr to) {
    CORBA::TypeCode_var alias = from->type();
    CORBA::TypeCode_var type = CORBA::TypeCode::_duplicate(alias);
    while (type->kind() == CORBA::tk_alias) type = type->content_type();
    switch (type->kind()) {
      case CORBA::tk_null:
      case CORBA::tk_void: return;
      case CORBA::tk_boolean: return to->insert_boolean(from->get_boolean());
      case CORBA::tk_octet: return to->insert_octet(from->get_octet());
      case CORBA::tk_char: return to->insert_char(from->get_char());
      case CORBA::tk_wchar: return to->insert_wchar(from->get_wchar());
      case CORBA::tk_short: return to->insert_short(from->get_short());
      case CORBA::tk_ushort: return to->insert_ushort(from->get_ushort());
      case CORBA::tk_long: return to->insert_long(from->get_long());
      case CORBA::tk_ulong: return to->insert_ulong(from->get_ulong());
      case CORBA::tk_longlong: return to->insert_longlong(from->get_longlong());
      case CORBA::tk_ulonglong: return to->insert_ulonglong(from->get_ulonglong());
      case CORBA::tk_float: return to->insert_float(from->get_float());
      case CORBA::tk_double: return to->insert_double(from->get_double());
      case CORBA::tk_string: return to->insert_string(CORBA::String_var(from->get_string()));
      case CORBA::tk_wstring: return to->insert_wstring(CORBA::WString_var(from->get_wstring()));
      case CORBA::tk_TypeCode: return to->insert_typecode(CORBA::TypeCode_var(from->get_typecode()));
      case CORBA::tk_objref: return to->insert_reference(CORBA::Object_var(from->get_reference()));
      case CORBA::tk_any: {
        DynAny_var held = from->get_dyn_any();
        DynAny_var again = made_like(held);
        return to->insert_dyn_any(again);
      }
      case CORBA::tk_enum: return narrowed<DynamicAny::DynEnum>(to)->set_as_ulong(
          narrowed<DynamicAny::DynEnum>(from)->get_as_ulong());
      case CORBA::tk_fixed: {
        CORBA::String_var text = narrowed<DynamicAny::DynFixed>(from)->get_value();
        narrowed<DynamicAny::DynFixed>(to)->set_value(text);
        return;
      }
      case CORBA::tk_union: return copy_union(from, to);
      case CORBA::tk_sequence:
        narrowed<DynamicAny::DynSequence>(to)->set_length(from->component_count());
        return copy_components(from, to);
      case CORBA::tk_array:
      case CORBA::tk_struct:
      case CORBA::tk_except: return copy_components(from, to);
      default: throw CORBA::NO_IMPLEMENT();
    }
  }

  void copy_union(DynAny_ptr from, DynAny_ptr to) {
    auto source = narrowed<DynamicAny::DynUnion>(from);
    auto target = narrowed<DynamicAny::DynUnion>(to);
    DynAny_var discriminator = source->get_discriminator();
    target->set_discriminator(discriminator);
    if (source->has_no_active_member() != target->has_no_active_member()) throw CORBA::INTERNAL();
    if (source->has_no_active_member()) return;
    copy(DynAny_var(source->member()), DynAny_var(target->member()));
  }

  void copy_components(DynAny_ptr from, DynAny_ptr to) {
    const CORBA::ULong count = from->component_count();
    if (to->component_count() != count) throw CORBA::INTERNAL();
    for (CORBA::ULong index = 0; index < count; ++index) {
      if (!from->seek(index) || !to->seek(index)) throw CORBA::INTERNAL();
      copy(DynAny_var(from->current_component()), DynAny_var(to->current_component()));
    }
  }

  template <class Kind>
  static typename Kind::_var_type narrowed(DynAny_ptr any) {
    return Kind::_narrow(any);
  }

  DynamicAny::DynAnyFactory_ptr factory_;
};

class Servant : public POA_remade::Remaker {
public:
  explicit Servant(CORBA::ORB_ptr orb) {
    CORBA::Object_var object = orb->resolve_initial_references("DynAnyFactory");
    factory_ = DynamicAny::DynAnyFactory::_narrow(object);
  }

  CORBA::Any* echo(const CORBA::Any& value) override { return new CORBA::Any(value); }

  CORBA::Any* remake(const CORBA::Any& value) override {
    try {
      return Copier(factory_).remake(value);
    } catch (const CORBA::UserException& exception) {
      std::cerr << "any_server: " << exception._name() << std::endl;
      throw CORBA::BAD_PARAM();
    }
  }

  CORBA::Any* ask(remade::Remaker_ptr other, const CORBA::Any& value) override {
    return other->remake(value);
  }

private:
  DynamicAny::DynAnyFactory_var factory_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    PortableServer::Servant_var<Servant> servant = new Servant(orb.get());
    CORBA::Object_var object = servant->_this();
    orb.serve(object);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "any_server: " << exception._name() << std::endl;
    return 1;
  }
}
