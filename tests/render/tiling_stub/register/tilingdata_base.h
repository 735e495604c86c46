#pragma once
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>
// The macro form of tiling data: fields at multiples of their size, structs and the end at multiples of 8.
namespace optiling {
inline std::map<std::string, size_t> &StructSizes()
{
    static std::map<std::string, size_t> sizes;
    return sizes;
}
class TilingDef {
public:
    size_t GetDataSize() const { return size_; }
    void SaveToBuffer(void *to, size_t capacity) { std::memcpy(to, own_.data(), size_ < capacity ? size_ : capacity); }
    void PointTo(uint8_t *data)
    {
        data_ = data;
        for (auto &[part, offset] : parts_) part->PointTo(data + offset);
    }
protected:
    size_t Take(size_t size, size_t align)
    {
        size_ = (size_ + align - 1) / align * align;
        const size_t offset = size_;
        size_ += size;
        return offset;
    }
    size_t TakeStruct(const char *type, TilingDef *part)
    {
        const size_t offset = Take(StructSizes().at(type), 8);
        parts_.emplace_back(part, offset);
        return offset;
    }
    void Finish(const char *type)
    {
        Take(0, 8);
        StructSizes()[type] = size_;
        own_.assign(size_, 0);
        PointTo(own_.data());
    }
    uint8_t *data_ = nullptr;
private:
    size_t size_ = 0;
    std::vector<uint8_t> own_;
    std::vector<std::pair<TilingDef *, size_t>> parts_;
};
} // namespace optiling
#define BEGIN_TILING_DATA_DEF(type)    \
    class type : public TilingDef {    \
    public:                            \
        type() { Finish(#type); }
#define TILING_DATA_FIELD_DEF(ctype, name)                                              \
public:                                                                                 \
    void set_##name(ctype value) { std::memcpy(data_ + name##_, &value, sizeof(value)); } \
private:                                                                                \
    size_t name##_ = Take(sizeof(ctype), sizeof(ctype));
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) \
public:                                          \
    type name;                                   \
private:                                         \
    size_t name##_ = TakeStruct(#type, &name);
#define END_TILING_DATA_DEF \
    }
#define REGISTER_TILING_DATA_CLASS(op, type) static type g_##op##type;
