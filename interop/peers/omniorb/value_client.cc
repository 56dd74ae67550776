// Calls a Gardener with every value on which both sides agree.
//
//     value_client REFERENCE [ORB options]
//
// Prints a line for each check, "ok NAME" or "failed NAME: why", and exits with
// 1 when one failed.

#include "orb.h"

#include "graphs.h"

namespace {

using namespace interop::graphs;

int failures = 0;

void check(const std::string& name, const std::string& expected, const std::string& found) {
  if (expected == found) {
    std::cout << "ok " << name << std::endl;
  } else {
    std::cout << "failed " << name << ": " << found << ", not " << expected << std::endl;
    ++failures;
  }
}

template <class Body>
void attempt(const std::string& name, Body body) {
  try {
    body();
  } catch (const CORBA::SystemException& exception) {
    std::ostringstream minor;
    minor << exception._name() << " " << std::hex << exception.minor();
    check(name, "no exception", minor.str());
  }
}

void check_graphs(Gardener_ptr gardener) {
  const std::vector<Node_var> table = graphs::table();
  for (std::size_t k = 0; k < table.size(); ++k) {
    const std::string name = "graph " + std::to_string(k);
    const Node_var& a = table[k];
    Node* next = table[(k + 1) % table.size()];
    const std::string text = graphs::describe(a);
    attempt(name, [&] {
      CORBA::String_var described = gardener->describe(a);
      check(name + " describe", text, described.in());
      Node_var echo = gardener->echo(a);
      check(name + " echo", text, graphs::describe(echo));
      Node_var b = graphs::kept(next), c;
      Node_var result = gardener->turn(a, b.inout(), c.out());
      check(name + " turn result", text, graphs::describe(result));
      check(name + " turn inout", text, graphs::describe(b));
      check(name + " turn out", graphs::describe(next), graphs::describe(c));
      check(name + " turn identity", "1", std::to_string(result.in() == b.in()));
      check(name + " same", a.in() ? "1" : "0", std::to_string(gardener->same(a, a)));
      CORBA::Any any;
      any <<= a.in();
      CORBA::Any_var back = gardener->echo_any(any);
      Node* inside = nullptr;
      check(name + " any", "1", std::to_string(back >>= inside));
      check(name + " any value", text, graphs::describe(inside));
    });
  }
}

void check_boxes(Gardener_ptr gardener) {
  attempt("boxes", [&] {
    Text_var text = new Text("a text");
    Text_var text_back = gardener->echo_text(text);
    check("text", "a text", text_back->_value());
    Text_var no_text = gardener->echo_text(nullptr);
    check("no text", "1", std::to_string(no_text.in() == nullptr));
    Numbers_var numbers = new Numbers;
    numbers->length(3);
    for (CORBA::ULong k = 0; k < 3; ++k) (*numbers)[k] = CORBA::Long(10 * k);
    Numbers_var numbers_back = gardener->echo_numbers(numbers);
    check("numbers", "3 20", std::to_string(numbers_back->length()) + " " +
                                 std::to_string((*numbers_back)[2]));
  });
}

void check_abstract(Gardener_ptr gardener) {
  attempt("abstract", [&] {
    Printable_var printable = Printable::_duplicate(gardener);
    Printable_var object = gardener->echo_printable(printable);
    CORBA::String_var name = gardener->print();
    CORBA::String_var printed = object->print();
    check("object", name.in(), printed.in());
    Note_var note = new graphs::NoteValue("words");
    Printable_var value = gardener->echo_printable(note.in());
    CORBA::String_var words = value->print();
    check("value", "words", words.in());
    Printable_var nil = gardener->echo_printable(Printable::_nil());
    check("nil", "1", std::to_string(CORBA::is_nil(nil)));
    CORBA::ValueBase* base = gardener->echo_base(note.in());
    Note* note_back = Note::_downcast(base);
    check("base", "words", note_back ? note_back->words() : "no note");
    CORBA::remove_ref(base);
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    graphs::register_types(orb.get());
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest().at(0).c_str());
    Gardener_var gardener = Gardener::_narrow(object);
    if (CORBA::is_nil(gardener)) throw CORBA::INV_OBJREF();
    check_graphs(gardener);
    check_boxes(gardener);
    check_abstract(gardener);
    return failures ? 1 : 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "value_client: " << exception._name() << std::endl;
    return 1;
  }
}
