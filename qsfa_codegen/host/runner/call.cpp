#include "call.h"

#include "cursor.h"

namespace standin {
namespace {

// An attribute of a type for which the SDK has no reader that generated code uses.
struct Unreadable {
};

constexpr Unreadable UNREADABLE{};

void ReadDevice(Cursor &cursor, Call &call)
{
    const char *start = cursor.At();
    Device &device = call.device;
    device.soc = cursor.Text();
    cursor.Expect('\t');
    device.arch = static_cast<uint32_t>(cursor.Unsigned());
    cursor.Expect('\t');
    device.aic = static_cast<uint32_t>(cursor.Unsigned());
    cursor.Expect('\t');
    device.aiv = static_cast<uint32_t>(cursor.Unsigned());
    cursor.Expect('\t');
    device.ub = cursor.Unsigned();
    cursor.Expect('\t');
    device.libapiWorkspace = static_cast<uint32_t>(cursor.Unsigned());
    call.deviceText.assign(start, cursor.At());
}

// Where the data of a tensor stands, when the call has it.
const void *ReadData(Cursor &cursor, ge::DataType type, Call &call)
{
    if (!cursor.Skip('=')) {
        return nullptr;
    }
    std::vector<uint8_t> &bytes = call.data.emplace_back();
    while (cursor.AtNumber()) {
        AppendElement(cursor, type, bytes);
        (void)cursor.Skip(',');
    }
    // Data without elements has an address too.
    bytes.push_back(0);
    return bytes.data();
}

void ReadTensor(Cursor &cursor, Call &call)
{
    Node &node = call.node;
    const auto type = static_cast<ge::DataType>(cursor.Integer());
    node.descs.emplace_back().SetDataType(type);
    cursor.Expect(':');
    gert::StorageShape &shape = node.shapes.emplace_back();
    while (cursor.AtNumber()) {
        const int64_t size = cursor.Integer();
        shape.MutableOriginShape().AppendDim(size);
        shape.MutableStorageShape().AppendDim(size);
        (void)cursor.Skip(',');
    }
    node.tensors.emplace_back(shape, type, ReadData(cursor, type, call));
}

void ReadInputs(Cursor &cursor, Call &call)
{
    Node &node = call.node;
    node.inputs.clear();
    node.shapes.clear();
    node.descs.clear();
    node.tensors.clear();
    call.data.clear();
    while (!cursor.Skip('|')) {
        const size_t start = node.shapes.size();
        if (!cursor.Skip('-')) {
            do {
                ReadTensor(cursor, call);
            } while (cursor.Skip(';'));
        }
        const size_t count = node.shapes.size() - start;
        node.inputs.emplace_back(static_cast<uint32_t>(start), static_cast<uint32_t>(count));
        (void)cursor.Skip('\t');
    }
}

void AddList(char kind, Cursor &cursor, Value &value, gert::RuntimeAttrs &attrs)
{
    if (kind == 'F') {
        value.reals = ReadList<float>(cursor, [&cursor] { return cursor.Real(); });
        value.realList = {value.reals.data(), value.reals.size()};
        attrs.Append(&value.realList);
        return;
    }
    value.integers = ReadList<int64_t>(cursor, [&cursor] { return cursor.Integer(); });
    if (kind == 'I') {
        value.integerList = {value.integers.data(), value.integers.size()};
        attrs.Append(&value.integerList);
        return;
    }
    value.flags = std::make_unique<bool[]>(value.integers.size());
    for (size_t i = 0; i < value.integers.size(); ++i) {
        value.flags[i] = value.integers[i] != 0;
    }
    value.flagList = {value.flags.get(), value.integers.size()};
    attrs.Append(&value.flagList);
}

void AddAttr(Cursor &cursor, Value &value, gert::RuntimeAttrs &attrs)
{
    const char kind = cursor.Take();
    switch (kind) {
        case '-':
            attrs.Append<char>(nullptr);
            break;
        case 'i':
            value.integer = cursor.Integer();
            attrs.Append(&value.integer);
            break;
        case 'f':
            value.real = cursor.Real();
            attrs.Append(&value.real);
            break;
        case 'b':
            value.flag = cursor.Integer() != 0;
            attrs.Append(&value.flag);
            break;
        case 's':
            value.text = cursor.Text();
            attrs.Append(value.text.c_str());
            break;
        case 'I':
        case 'F':
        case 'B':
            AddList(kind, cursor, value, attrs);
            break;
        case 'x':
            attrs.Append(&UNREADABLE);
            break;
        default:
            Fail("a call has an attribute of kind '%c'", kind);
    }
}

void ReadAttrs(Cursor &cursor, Call &call)
{
    size_t count = 0;
    for (const char *at = cursor.At(); *at != '\0'; ++at) {
        count += *at == '\t' ? 1 : 0;
    }
    call.node.attrs.Clear();
    call.values.resize(count);
    for (Value &value : call.values) {
        AddAttr(cursor, value, call.node.attrs);
        cursor.Expect('\t');
    }
}

} // namespace

void Parse(const std::string &line, Call &call)
{
    Cursor cursor(line);
    call.stage = static_cast<Stage>(cursor.Take());
    cursor.Expect('|');
    ReadDevice(cursor, call);
    cursor.Expect('|');
    ReadInputs(cursor, call);
    ReadAttrs(cursor, call);
}

} // namespace standin
