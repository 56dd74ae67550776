"""A back end for omniidl that says what it made of an IDL file.

    omniidl -p DIRECTORY -b taut_model FILE

One line for each definition and each operation of the file and of what it
includes, in the form that the crate taut-corpus writes of Taut's own model
(corpus/src/outline.rs), so that the two can be compared as sets of lines.
"""

import struct
import sys

from omniidl import idlast, idltype

PRIMITIVES = {
    idltype.tk_void: "void",
    idltype.tk_short: "short",
    idltype.tk_long: "long",
    idltype.tk_ushort: "unsigned short",
    idltype.tk_ulong: "unsigned long",
    idltype.tk_float: "float",
    idltype.tk_double: "double",
    idltype.tk_boolean: "boolean",
    idltype.tk_char: "char",
    idltype.tk_octet: "octet",
    idltype.tk_any: "any",
    idltype.tk_TypeCode: "CORBA::TypeCode",
    idltype.tk_longlong: "long long",
    idltype.tk_ulonglong: "unsigned long long",
    idltype.tk_longdouble: "long double",
    idltype.tk_wchar: "wchar",
}


def scoped(name):
    return "::".join(name)


def bounded(what, bound):
    return "%s<%d>" % (what, bound) if bound else what


def type_text(ty):
    """A type where it is used."""
    if isinstance(ty, idltype.Base):
        return PRIMITIVES.get(ty.kind(), repr(ty))
    if isinstance(ty, idltype.String):
        return bounded("string", ty.bound())
    if isinstance(ty, idltype.WString):
        return bounded("wstring", ty.bound())
    if isinstance(ty, idltype.Sequence):
        inner = type_text(ty.seqType())
        return "sequence<%s, %d>" % (inner, ty.bound()) if ty.bound() else "sequence<%s>" % inner
    if isinstance(ty, idltype.Fixed):
        return "fixed<%d, %d>" % (ty.digits(), ty.scale())
    name = scoped(ty.scopedName())
    return {"CORBA::Object": "Object", "CORBA::ValueBase": "ValueBase"}.get(name, name)


def declared_type(ty, declarator):
    """The type of a declarator: with the dimensions of an array."""
    return type_text(ty) + "".join("[%d]" % size for size in declarator.sizes() or [])


def octets(text):
    return text.encode("latin-1", "surrogateescape").hex()


def constant(kind, value):
    """The value of a constant or a label."""
    if kind == idltype.tk_enum:
        return scoped(value.scopedName())
    if kind == idltype.tk_boolean:
        return "TRUE" if value else "FALSE"
    if kind == idltype.tk_char:
        return "'%s'" % octets(value)
    if kind == idltype.tk_string:
        return '"%s"' % octets(value)
    if kind == idltype.tk_wchar:
        return "L'%x'" % value
    if kind == idltype.tk_wstring:
        return 'L"%s"' % " ".join("%x" % unit for unit in value)
    if kind in (idltype.tk_float, idltype.tk_double):
        return struct.pack(">d", value).hex()
    return str(value)


def names(declarations):
    """The names of bases or exceptions, typedefs followed."""
    found = []
    for declaration in declarations:
        declaration = declaration.fullDecl()
        if isinstance(declaration, idlast.Declarator):
            declaration = declaration.alias().aliasType().unalias().decl().fullDecl()
        found.append(scoped(declaration.scopedName()))
    return "(%s)" % ", ".join(found)


def parameters(of):
    return "(%s)" % ", ".join(
        "%s %s %s" % (p.dirtext(), type_text(p.paramType()), p.identifier()) for p in of
    )


class Writer:
    """Writes the lines."""

    def __init__(self, stream):
        self.stream = stream
        self.written = set()

    def line(self, text):
        # A module that is reopened and a repeated declaration count once.
        if text not in self.written:
            self.written.add(text)
            self.stream.write(text + "\n")

    def definition(self, kind, declaration, rest=""):
        text = "%s %s %s %s" % (kind, scoped(declaration.scopedName()), declaration.repoId(), rest)
        self.line(text.rstrip())

    def visit(self, declarations):
        for declaration in declarations:
            if declaration is None:
                continue
            method = getattr(self, type(declaration).__name__, None)
            if method is None:
                raise ValueError("no line for %r" % declaration)
            method(declaration)

    def constructed(self, ty, is_defined_here):
        """A type that a member or a typedef defines in place."""
        if is_defined_here:
            self.visit([ty.decl()])

    def members(self, of):
        listed = []
        for member in of:
            self.constructed(member.memberType(), member.constrType())
            for declarator in member.declarators():
                ty = declared_type(member.memberType(), declarator)
                listed.append("%s %s;" % (ty, declarator.identifier()))
        return "{ %s }" % " ".join(listed) if listed else "{ }"

    def Module(self, module):
        self.line("module " + scoped(module.scopedName()))
        self.visit(module.definitions())

    def Interface(self, interface):
        kind = "abstract " if interface.abstract() else "local " if interface.local() else ""
        self.definition(kind + "interface", interface, names(interface.inherits()))
        self.visit(interface.contents())

    def Forward(self, forward):
        if forward.fullDecl() is forward or forward.fullDecl() is None:
            kind = "abstract " if forward.abstract() else "local " if forward.local() else ""
            self.definition("declared " + kind + "interface", forward)

    def Const(self, const):
        kind = const.constType().unalias().kind()
        text = "%s = %s" % (type_text(const.constType()), constant(kind, const.value()))
        self.definition("const", const, text)

    def Typedef(self, typedef):
        self.constructed(typedef.aliasType(), typedef.constrType())
        for declarator in typedef.declarators():
            self.definition("typedef", declarator, declared_type(typedef.aliasType(), declarator))

    def Struct(self, struct_):
        self.definition("struct", struct_, self.members(struct_.members()))

    def Exception(self, exception):
        self.definition("exception", exception, self.members(exception.members()))

    def StructForward(self, forward):
        pass

    def UnionForward(self, forward):
        pass

    def Union(self, union):
        self.constructed(union.switchType(), union.constrType())
        cases = []
        for case in union.cases():
            self.constructed(case.caseType(), case.constrType())
            labels = [
                "default" if label.default() else constant(label.labelKind(), label.value())
                for label in case.labels()
            ]
            ty = declared_type(case.caseType(), case.declarator())
            cases.append("%s: %s %s;" % (", ".join(labels), ty, case.declarator().identifier()))
        text = "switch (%s) { %s }" % (type_text(union.switchType()), " ".join(cases))
        self.definition("union", union, text)

    def Enum(self, enum):
        listed = ", ".join(enumerator.identifier() for enumerator in enum.enumerators())
        self.definition("enum", enum, "{ %s }" % listed)

    def Attribute(self, attribute):
        ty = type_text(attribute.attrType())
        for declarator in attribute.declarators():
            scope, name = declarator.scopedName()[:-1], declarator.identifier()
            self.line("operation %s::_get_%s %s () raises ()" % (scoped(scope), name, ty))
            if not attribute.readonly():
                self.line("operation %s::_set_%s void (in %s) raises ()" % (scoped(scope), name, ty))

    def Operation(self, operation):
        contexts = ", ".join('"%s"' % context for context in operation.contexts())
        self.line(
            "%soperation %s %s %s raises %s%s"
            % (
                "oneway " if operation.oneway() else "",
                scoped(operation.scopedName()),
                type_text(operation.returnType()),
                parameters(operation.parameters()),
                names(operation.raises()),
                " context (%s)" % contexts if contexts else "",
            )
        )

    def Native(self, native):
        self.definition("native", native)

    def ValueForward(self, forward):
        if forward.fullDecl() is forward or forward.fullDecl() is None:
            self.definition("declared valuetype", forward)

    def ValueBox(self, box):
        self.constructed(box.boxedType(), box.constrType())
        self.definition("valuebox", box, type_text(box.boxedType()))

    def ValueAbs(self, value):
        text = "%s supports %s { }" % (names(value.inherits()), names(value.supports()))
        self.definition("abstract valuetype", value, text)
        self.visit(value.contents())

    def Value(self, value):
        state = []
        for member in value.statemembers():
            access = "private" if member.memberAccess() else "public"
            self.constructed(member.memberType(), member.constrType())
            for declarator in member.declarators():
                ty = declared_type(member.memberType(), declarator)
                state.append("%s %s %s;" % (access, ty, declarator.identifier()))
        text = "%s%s supports %s {%s }" % (
            "truncatable " if value.truncatable() else "",
            names(value.inherits()),
            names(value.supports()),
            "".join(" " + member for member in state),
        )
        self.definition("custom valuetype" if value.custom() else "valuetype", value, text)
        self.scope = scoped(value.scopedName())
        self.visit(value.contents())

    def StateMember(self, member):
        pass  # written with its value type

    def Factory(self, factory):
        self.line(
            "factory %s::%s %s raises %s"
            % (
                self.scope,
                factory.identifier(),
                parameters(factory.parameters()),
                names(factory.raises()),
            )
        )


def run(tree, arguments):
    writer = Writer(sys.stdout)
    writer.visit(tree.declarations())
