#include "request.h"

#include "cursor.h"

namespace standin {
namespace {

Device ReadDevice(Cursor &cursor)
{
    Device device;
    device.soc = cursor.Text();
    for (uint64_t *fact : {&device.arch, &device.aic, &device.aiv, &device.ub}) {
        cursor.Expect('\t');
        *fact = cursor.Unsigned();
    }
    cursor.Expect('\t');
    (void)cursor.Unsigned(); // libraries decide on their own workspace
    return device;
}

void *ReadData(Cursor &cursor, ge::DataType type, Request &request)
{
    if (!cursor.Skip('=')) {
        return nullptr;
    }
    std::vector<uint8_t> &bytes = request.data.emplace_back();
    while (cursor.AtNumber()) {
        AppendElement(cursor, type, bytes);
        (void)cursor.Skip(',');
    }
    bytes.push_back(0); // data without elements has an address too
    return bytes.data();
}

void ReadTensor(Cursor &cursor, Request &request)
{
    const auto type = static_cast<ge::DataType>(cursor.Integer());
    cursor.Expect(':');
    gert::StorageShape shape;
    while (cursor.AtNumber()) {
        const int64_t size = cursor.Integer();
        shape.MutableOriginShape().AppendDim(size);
        shape.MutableStorageShape().AppendDim(size);
        (void)cursor.Skip(',');
    }
    const gert::StorageFormat format(ge::FORMAT_ND, ge::FORMAT_ND, gert::ExpandDimsType());
    void *data = ReadData(cursor, type, request);
    request.tensors.emplace_back(shape, format, gert::kOnHost, type, data);
}

void ReadInputs(Cursor &cursor, Request &request)
{
    while (!cursor.Skip('|')) {
        const size_t start = request.tensors.size();
        if (!cursor.Skip('-')) {
            do {
                ReadTensor(cursor, request);
            } while (cursor.Skip(';'));
        }
        request.instances.push_back(static_cast<uint32_t>(request.tensors.size() - start));
        (void)cursor.Skip('\t');
    }
}

Value ReadAttr(Cursor &cursor)
{
    const char kind = cursor.Take();
    switch (kind) {
        case 'i':
            return cursor.Integer();
        case 'f':
            return cursor.Real();
        case 'b':
            return cursor.Integer() != 0;
        case 's':
            return ge::AscendString(cursor.Text().c_str());
        case 'I':
            return ReadList<int64_t>(cursor, [&cursor] { return cursor.Integer(); });
        case 'F':
            return ReadList<float>(cursor, [&cursor] { return cursor.Real(); });
        case 'B':
            return ReadList<bool>(cursor, [&cursor] { return cursor.Integer() != 0; });
        case 'x':
            return std::vector<std::vector<int64_t>>(); // host code does not read it
        default:
            Fail("a call has an attribute of kind '%c'", kind);
    }
}

} // namespace

Request Read(const std::string &line)
{
    Cursor cursor(line);
    Request request;
    request.stage = cursor.Take();
    cursor.Expect('|');
    request.device = ReadDevice(cursor);
    cursor.Expect('|');
    ReadInputs(cursor, request);
    while (*cursor.At() != '\0') {
        request.attrs.push_back(ReadAttr(cursor));
        cursor.Expect('\t');
    }
    return request;
}

} // namespace standin
