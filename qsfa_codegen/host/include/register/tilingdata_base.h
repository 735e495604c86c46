// Stands in for register/tilingdata_base.h: tiling data as classes made by macros.
// Fields stand at multiples of their size, nested classes and the end at multiples of 8, padding is zero.
// This one keeps the bytes in the object and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "standin/fail.h"

namespace optiling {

class TilingDef {
public:
    TilingDef() = default;
    TilingDef(const TilingDef &) = delete;
    TilingDef &operator=(const TilingDef &) = delete;

    size_t GetDataSize() const
    {
        return size_;
    }

    // Does nothing in a nested class, whose bytes are those of the outer one.
    void SaveToBuffer(void *pdata, size_t capacity)
    {
        if (data_ != bytes_) {
            return;
        }
        if (capacity < size_) {
            standin::Fail("tiling data of %zu bytes is saved into a buffer of %zu", size_, capacity);
        }
        std::memcpy(pdata, data_, size_);
    }

protected:
    static constexpr size_t STRUCT_ALIGNMENT = 8;

    size_t Place(size_t size, size_t alignment)
    {
        const size_t offset = (size_ + alignment - 1) / alignment * alignment;
        size_ = offset + size;
        return offset;
    }

    size_t PlaceStruct(TilingDef &nested)
    {
        nested.offset_ = Place(nested.size_, STRUCT_ALIGNMENT);
        nested.next_ = nested_;
        nested_ = &nested;
        return nested.offset_;
    }

    void Close()
    {
        (void)Place(0, STRUCT_ALIGNMENT);
    }

    void Own()
    {
        if (size_ > sizeof(bytes_)) {
            standin::Fail("tiling data of %zu bytes, there is room for %zu", size_, sizeof(bytes_));
        }
        std::memset(bytes_, 0, size_);
        PointTo(bytes_);
    }

    template <typename T>
    void Set(size_t offset, T value)
    {
        std::memcpy(data_ + offset, &value, sizeof(value));
    }

private:
    void PointTo(uint8_t *data)
    {
        data_ = data;
        for (TilingDef *nested = nested_; nested != nullptr; nested = nested->next_) {
            nested->PointTo(data + nested->offset_);
        }
    }

    size_t size_ = 0;
    size_t offset_ = 0; // in the class around this one
    TilingDef *next_ = nullptr; // beside this one
    TilingDef *nested_ = nullptr; // the last one in this one
    uint8_t *data_ = nullptr;
    uint8_t bytes_[2048];
};

} // namespace optiling

// clang-format off
#define BEGIN_TILING_DATA_DEF(class_name)     \
    class class_name : public TilingDef {     \
    public:                                   \
        class_name()                          \
        {                                     \
            Close();                          \
            Own();                            \
        }                                     \
        explicit class_name(std::nullptr_t)   \
        {                                     \
            Close();                          \
        }

#define TILING_DATA_FIELD_DEF(data_type, field_name)   \
public:                                                \
    void set_##field_name(data_type field_name)        \
    {                                                  \
        Set(field_name##_offset_, field_name);         \
    }                                                  \
                                                       \
private:                                               \
    size_t field_name##_offset_ = Place(sizeof(data_type), sizeof(data_type))

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) \
public:                                                       \
    struct_type field_name{nullptr};                          \
                                                              \
private:                                                      \
    size_t field_name##_offset_ = PlaceStruct(field_name)

#define END_TILING_DATA_DEF }

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                   \
    namespace {                                                                           \
    [[maybe_unused]] constexpr size_t g_##op_type##class_name##Init = sizeof(class_name); \
    }
// clang-format on
