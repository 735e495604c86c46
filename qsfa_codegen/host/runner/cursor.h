// Reads the parts of a call from its line; call.h has the grammar.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "graph/types.h"
#include "standin/fail.h"

namespace standin {

// Reads a line from left to right.
class Cursor {
public:
    explicit Cursor(const std::string &line)
        : at_(line.c_str())
    {
    }

    bool Skip(char wanted)
    {
        if (*at_ != wanted) {
            return false;
        }
        ++at_;
        return true;
    }

    void Expect(char wanted)
    {
        if (!Skip(wanted)) {
            Fail("a call has '%s' where '%c' should stand", at_, wanted);
        }
    }

    char Take()
    {
        return *at_ == '\0' ? '\0' : *at_++;
    }

    bool AtNumber() const
    {
        return *at_ == '-' || (*at_ >= '0' && *at_ <= '9');
    }

    int64_t Integer()
    {
        char *end = nullptr;
        const int64_t value = std::strtoll(at_, &end, 10);
        return Passed(end, value);
    }

    uint64_t Unsigned()
    {
        char *end = nullptr;
        const uint64_t value = std::strtoull(at_, &end, 10);
        return Passed(end, value);
    }

    float Real()
    {
        char *end = nullptr;
        const float value = std::strtof(at_, &end);
        return Passed(end, value);
    }

    // Up to the next tab, bar or end.
    std::string Text()
    {
        std::string text;
        while (*at_ != '\t' && *at_ != '|' && *at_ != '\0') {
            const char next = *at_++;
            text += next == '%' ? Escaped() : next;
        }
        return text;
    }

    const char *At() const
    {
        return at_;
    }

private:
    template <typename T>
    T Passed(const char *end, T value)
    {
        if (end == at_) {
            Fail("a call has '%s' where a number should stand", at_);
        }
        at_ = end;
        return value;
    }

    char Escaped()
    {
        const char digits[] = {Take(), Take(), '\0'};
        return static_cast<char>(std::strtoul(digits, nullptr, 16));
    }

    const char *at_;
};

template <typename T>
void Append(std::vector<uint8_t> &bytes, T element)
{
    const auto *first = reinterpret_cast<const uint8_t *>(&element);
    bytes.insert(bytes.end(), first, first + sizeof(T));
}

inline void AppendElement(Cursor &cursor, ge::DataType type, std::vector<uint8_t> &bytes)
{
    switch (type) {
        case ge::DT_INT8:
        case ge::DT_UINT8:
        case ge::DT_BOOL:
            return Append(bytes, static_cast<uint8_t>(cursor.Integer()));
        case ge::DT_INT16:
        case ge::DT_UINT16:
            return Append(bytes, static_cast<uint16_t>(cursor.Integer()));
        case ge::DT_INT32:
        case ge::DT_UINT32:
            return Append(bytes, static_cast<uint32_t>(cursor.Integer()));
        case ge::DT_INT64:
            return Append(bytes, cursor.Integer());
        case ge::DT_UINT64:
            return Append(bytes, cursor.Unsigned());
        case ge::DT_FLOAT:
            return Append(bytes, cursor.Real());
        default:
            Fail("a call has data of a dtype that the host never reads, number %d", static_cast<int>(type));
    }
}

template <typename T, typename Read>
std::vector<T> ReadList(Cursor &cursor, Read read)
{
    std::vector<T> items;
    while (cursor.At()[0] != '\t' && cursor.At()[0] != '\0') {
        items.push_back(static_cast<T>(read()));
        (void)cursor.Skip(',');
    }
    return items;
}

} // namespace standin
