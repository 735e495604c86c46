#include "definition.h"

#include <cstdio>

namespace standin {
namespace {

std::string Quoted(const std::string &text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        char escaped[8] = {c, '\0'};
        if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') {
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
        }
        quoted += escaped;
    }
    return quoted + "\"";
}

// Members of a JSON object, in the order in which they are added.
class Object {
public:
    Object &Add(const char *name, const std::string &json)
    {
        text_ += (text_.empty() ? "\"" : ", \"") + std::string(name) + "\": " + json;
        return *this;
    }

    std::string Text() const
    {
        return "{" + text_ + "}";
    }

private:
    std::string text_;
};

template <typename T, typename Describe>
std::string Array(const T &items, Describe describe)
{
    std::string text;
    for (const auto &item : items) {
        text += (text.empty() ? "" : ", ") + describe(item);
    }
    return "[" + text + "]";
}

template <typename T>
std::string Numbers(const std::vector<T> &values)
{
    return Array(values, [](T value) { return std::to_string(static_cast<int>(value)); });
}

std::string OptionName(ops::Option option)
{
    constexpr const char *NAMES[] = {"IGNORE", "OPTIONAL", "REQUIRED", "DYNAMIC", "VIRTUAL"};
    return Quoted(NAMES[option]);
}

std::string ParamJson(const ops::OpParamDef &param)
{
    const Param &told = param.Told();
    Object object;
    object.Add("name", Quoted(told.name)).Add("type", OptionName(told.type));
    if (!told.follow.empty()) {
        object.Add("follow", Quoted(told.follow));
    }
    object.Add("dtypes", Numbers(told.dtypes)).Add("dtype_list", Numbers(told.dtypeList));
    object.Add("formats", Numbers(told.formats)).Add("format_list", Numbers(told.formatList));
    object.Add("unknown_shape_formats", Numbers(told.unknownShapeFormats));
    if (told.valueDepend.has_value()) {
        object.Add("value_depend", OptionName(*told.valueDepend));
    }
    object.Add("auto_contiguous", Json(told.autoContiguous));
    object.Add("ignore_contiguous", Json(told.ignoreContiguous));
    object.Add("scalar", Json(told.scalar)).Add("scalar_list", Json(told.scalarList));
    return object.Text();
}

std::string AttrJson(const ops::OpAttrDef &attr)
{
    const Attr &told = attr.Told();
    Object object;
    object.Add("name", Quoted(told.name)).Add("type", OptionName(told.type)).Add("kind", Quoted(told.kind));
    object.Add("default", told.value.empty() ? "null" : told.value);
    return object.Text();
}

std::string ConfigJson(const Config &config)
{
    Object flags;
    for (const auto &[name, value] : config.flags) {
        flags.Add(name.c_str(), Json(value));
    }
    Object entries;
    for (const auto &[key, value] : config.entries) {
        entries.Add(key.c_str(), Quoted(value));
    }
    Object object;
    object.Add("soc", Quoted(config.soc)).Add("flags", flags.Text()).Add("entries", entries.Text());
    object.Add("inputs", Array(config.inputs, ParamJson)).Add("outputs", Array(config.outputs, ParamJson));
    return object.Text();
}

} // namespace

std::string Json(bool value)
{
    return value ? "true" : "false";
}

std::string Json(int64_t value)
{
    return std::to_string(value);
}

std::string Json(float value)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    return text;
}

std::string Json(const std::string &value)
{
    return Quoted(value);
}

std::string Describe(const ops::OpDef &definition)
{
    Object object;
    object.Add("type", Quoted(definition.Type()));
    object.Add("inputs", Array(definition.Inputs(), ParamJson));
    object.Add("attrs", Array(definition.Attrs(), AttrJson));
    object.Add("outputs", Array(definition.Outputs(), ParamJson));
    object.Add("configs", Array(definition.Configs(), ConfigJson));
    return object.Text();
}

bool Supports(const ops::OpDef &definition, const std::string &soc)
{
    for (const Config &config : definition.Configs()) {
        if (config.soc == soc) {
            return true;
        }
    }
    return false;
}

} // namespace standin
