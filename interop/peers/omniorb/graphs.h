// The values on which both sides of the tests of value types agree.

#ifndef PEERS_GRAPHS_H
#define PEERS_GRAPHS_H

#include "value_types.hh"

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace graphs {

using namespace interop::graphs;

class NoteValue : public virtual OBV_interop::graphs::Note,
                  public virtual CORBA::DefaultValueRefCountBase {
public:
  NoteValue() {}
  explicit NoteValue(const char* text) { words(text); }
  char* print() { return CORBA::string_dup(words()); }
};

template <class Value>
class Factory : public CORBA::ValueFactoryBase {
  CORBA::ValueBase* create_for_unmarshal() { return new Value; }
  void* _ptrToFactory(const char* id) { return CORBA::ValueFactoryBase::_ptrToFactory(id); }
};

template <class Value>
void register_type(CORBA::ORB_ptr orb, const char* name) {
  const std::string id = std::string("IDL:taut.example.org/interop/graphs/") + name + ":1.0";
  CORBA::ValueFactoryBase_var factory = new Factory<Value>;
  CORBA::ValueFactory before = orb->register_value_factory(id.c_str(), factory);
  if (before) before->_remove_ref();
}

inline void register_types(CORBA::ORB_ptr orb) {
  register_type<OBV_interop::graphs::Node>(orb, "Node");
  register_type<OBV_interop::graphs::Labelled>(orb, "Labelled");
  register_type<OBV_interop::graphs::Sealed>(orb, "Sealed");
  register_type<NoteValue>(orb, "Note");
}

// A value as text: its type, and a number where it was met before.
class Describer {
public:
  std::string text(Node* node) {
    describe(node);
    return out_.str();
  }

private:
  void describe(Node* node) {
    if (!node) {
      out_ << "-";
      return;
    }
    const auto met = met_.emplace(node, met_.size());
    if (!met.second) {
      out_ << "#" << met.first->second;
      return;
    }
    Labelled* labelled = Labelled::_downcast(node);
    Sealed* sealed = Sealed::_downcast(node);
    out_ << (sealed ? "Sealed" : labelled ? "Labelled" : "Node") << "(" << node->id() << ",";
    describe(node->left());
    out_ << ",";
    describe(node->right());
    if (labelled) {
      out_ << ",'" << labelled->label() << "',";
      describe(labelled->extra());
    }
    if (sealed) out_ << "," << sealed->weight();
    out_ << ")";
  }

  std::ostringstream out_;
  std::map<Node*, std::size_t> met_;
};

inline std::string describe(Node* node) { return Describer().text(node); }

// omniORB's constructors take over what they are given.
inline Node* kept(Node* node) {
  if (node) CORBA::add_ref(node);
  return node;
}

inline Node_var node(CORBA::Long id, Node* left, Node* right) {
  return new OBV_interop::graphs::Node(id, kept(left), kept(right));
}

inline Labelled_var labelled(CORBA::Long id, Node* left, Node* right, const char* label,
                             Node* extra) {
  return new OBV_interop::graphs::Labelled(id, kept(left), kept(right), label, kept(extra));
}

// The same graphs as in interop/tests/it/value_types/suite.rs, in its order.
inline std::vector<Node_var> table() {
  std::vector<Node_var> all;
  all.push_back(Node_var());
  all.push_back(node(1, nullptr, nullptr));
  Node_var shared = node(2, nullptr, nullptr);
  all.push_back(node(1, shared, shared));
  Node_var four = node(4, nullptr, nullptr);
  Labelled_var three = labelled(3, nullptr, nullptr, "label", four);
  all.push_back(kept(three));
  Node_var seven = node(7, nullptr, nullptr);
  Labelled_var six = labelled(6, seven, nullptr, "", seven);
  all.push_back(node(5, six, seven));
  Sealed_var sealed =
      new OBV_interop::graphs::Sealed(8, kept(six), nullptr, "sealed", kept(six), 2.5);
  // The constructor does not reach the base of its base.
  sealed->id(8);
  sealed->left(six);
  all.push_back(kept(sealed));
  Node_var chain;
  for (CORBA::Long id = 20; id > 0; --id) {
    if (id % 3 == 0) {
      Labelled_var link = labelled(id, chain, shared, "link", chain);
      chain = kept(link);
    } else {
      chain = node(id, chain, shared);
    }
  }
  all.push_back(chain);
  return all;
}

}  // namespace graphs

#endif
