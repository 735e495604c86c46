// Stands in for register/op_def_registry.h and the register/op_def.h that it includes.
// A definition keeps what it is told, in order; the SDK's tools merge and expand it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/types.h"

namespace ops {

enum Option {
    IGNORE = 0,
    OPTIONAL = 1,
    REQUIRED = 2,
    DYNAMIC = 3,
    VIRTUAL = 4,
};

} // namespace ops

namespace standin {

struct Param {
    std::string name;
    ops::Option type = ops::IGNORE;
    std::vector<ge::DataType> dtypes;
    std::vector<ge::DataType> dtypeList;
    std::vector<ge::Format> formats;
    std::vector<ge::Format> formatList;
    std::vector<ge::Format> unknownShapeFormats;
    std::optional<ops::Option> valueDepend;
    std::string follow;
    bool autoContiguous = false;
    bool ignoreContiguous = false;
    bool scalar = false;
    bool scalarList = false;
};

// `value` is the default as JSON; empty where none is registered.
struct Attr {
    std::string name;
    ops::Option type = ops::IGNORE;
    const char *kind = "";
    std::string value;
};

std::string Json(bool value);
std::string Json(int64_t value);
std::string Json(float value);
std::string Json(const std::string &value);

template <typename T>
std::string Json(const std::vector<T> &values)
{
    std::string text;
    for (const T &value : values) {
        text += (text.empty() ? "" : ", ") + Json(value);
    }
    return "[" + text + "]";
}

template <typename T>
T &FindOrAdd(std::deque<T> &all, const char *name)
{
    for (T &one : all) {
        if (one.Told().name == name) {
            return one;
        }
    }
    return all.emplace_back(name);
}

} // namespace standin

namespace ops {

class OpParamDef {
public:
    explicit OpParamDef(const char *name)
    {
        told_.name = name;
    }

    OpParamDef &ParamType(Option param_type)
    {
        told_.type = param_type;
        return *this;
    }

    OpParamDef &DataType(std::vector<ge::DataType> types)
    {
        told_.dtypes = std::move(types);
        return *this;
    }

    OpParamDef &DataTypeList(std::vector<ge::DataType> types)
    {
        told_.dtypeList = std::move(types);
        return *this;
    }

    OpParamDef &Format(std::vector<ge::Format> formats)
    {
        told_.formats = std::move(formats);
        return *this;
    }

    OpParamDef &FormatList(std::vector<ge::Format> formats)
    {
        told_.formatList = std::move(formats);
        return *this;
    }

    OpParamDef &UnknownShapeFormat(std::vector<ge::Format> formats)
    {
        told_.unknownShapeFormats = std::move(formats);
        return *this;
    }

    OpParamDef &ValueDepend(Option value_depend)
    {
        told_.valueDepend = value_depend;
        return *this;
    }

    OpParamDef &Follow(const char *paramName)
    {
        told_.follow = paramName;
        return *this;
    }

    OpParamDef &AutoContiguous()
    {
        told_.autoContiguous = true;
        return *this;
    }

    OpParamDef &IgnoreContiguous()
    {
        told_.ignoreContiguous = true;
        return *this;
    }

    OpParamDef &Scalar()
    {
        told_.scalar = true;
        return *this;
    }

    OpParamDef &ScalarList()
    {
        told_.scalarList = true;
        return *this;
    }

    // For the runner.
    const standin::Param &Told() const
    {
        return told_;
    }

private:
    standin::Param told_;
};

class OpAttrDef {
public:
    explicit OpAttrDef(const char *name)
    {
        told_.name = name;
    }

    OpAttrDef &AttrType(Option attr_type)
    {
        told_.type = attr_type;
        return *this;
    }

    OpAttrDef &Bool()
    {
        return Keep("bool", "");
    }

    OpAttrDef &Bool(bool value)
    {
        return Keep("bool", standin::Json(value));
    }

    OpAttrDef &Float()
    {
        return Keep("float", "");
    }

    OpAttrDef &Float(float value)
    {
        return Keep("float", standin::Json(value));
    }

    OpAttrDef &Int()
    {
        return Keep("int", "");
    }

    OpAttrDef &Int(int64_t value)
    {
        return Keep("int", standin::Json(value));
    }

    OpAttrDef &String()
    {
        return Keep("str", "");
    }

    OpAttrDef &String(const char *value)
    {
        return Keep("str", standin::Json(std::string(value)));
    }

    OpAttrDef &ListBool()
    {
        return Keep("list_bool", "");
    }

    OpAttrDef &ListBool(std::vector<bool> value)
    {
        return Keep("list_bool", standin::Json(value));
    }

    OpAttrDef &ListFloat()
    {
        return Keep("list_float", "");
    }

    OpAttrDef &ListFloat(std::vector<float> value)
    {
        return Keep("list_float", standin::Json(value));
    }

    OpAttrDef &ListInt()
    {
        return Keep("list_int", "");
    }

    OpAttrDef &ListInt(std::vector<int64_t> value)
    {
        return Keep("list_int", standin::Json(value));
    }

    OpAttrDef &ListListInt()
    {
        return Keep("list_list_int", "");
    }

    OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> value)
    {
        return Keep("list_list_int", standin::Json(value));
    }

    // For the runner.
    const standin::Attr &Told() const
    {
        return told_;
    }

private:
    OpAttrDef &Keep(const char *kind, std::string value)
    {
        told_.kind = kind;
        told_.value = std::move(value);
        return *this;
    }

    standin::Attr told_;
};

} // namespace ops

namespace standin {

// What is said of one chip: parameters that differ there, flags, and entries of the configuration.
struct Config {
    std::string soc;
    std::deque<ops::OpParamDef> inputs;
    std::deque<ops::OpParamDef> outputs;
    std::vector<std::pair<std::string, bool>> flags;
    std::vector<std::pair<std::string, std::string>> entries;
};

} // namespace standin

namespace ops {

class OpAICoreConfig {
public:
    OpParamDef &Input(const char *name)
    {
        return standin::FindOrAdd(told_.inputs, name);
    }

    OpParamDef &Output(const char *name)
    {
        return standin::FindOrAdd(told_.outputs, name);
    }

    OpAICoreConfig &DynamicCompileStaticFlag(bool flag)
    {
        return Keep("DynamicCompileStaticFlag", flag);
    }

    OpAICoreConfig &DynamicFormatFlag(bool flag)
    {
        return Keep("DynamicFormatFlag", flag);
    }

    OpAICoreConfig &DynamicRankSupportFlag(bool flag)
    {
        return Keep("DynamicRankSupportFlag", flag);
    }

    OpAICoreConfig &DynamicShapeSupportFlag(bool flag)
    {
        return Keep("DynamicShapeSupportFlag", flag);
    }

    OpAICoreConfig &NeedCheckSupportFlag(bool flag)
    {
        return Keep("NeedCheckSupportFlag", flag);
    }

    OpAICoreConfig &PrecisionReduceFlag(bool flag)
    {
        return Keep("PrecisionReduceFlag", flag);
    }

    OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value)
    {
        told_.entries.emplace_back(key, value);
        return *this;
    }

    // For the stand-in.
    const standin::Config &Told() const
    {
        return told_;
    }

private:
    OpAICoreConfig &Keep(const char *flag, bool value)
    {
        told_.flags.emplace_back(flag, value);
        return *this;
    }

    standin::Config told_;
};

class OpAICoreDef {
public:
    OpAICoreDef &AddConfig(const char *soc)
    {
        OpAICoreConfig plain;
        return AddConfig(soc, plain);
    }

    OpAICoreDef &AddConfig(const char *soc, OpAICoreConfig &aicore_config)
    {
        configs_.push_back(aicore_config.Told());
        configs_.back().soc = soc;
        return *this;
    }

    // For the runner.
    const std::vector<standin::Config> &Configs() const
    {
        return configs_;
    }

private:
    std::vector<standin::Config> configs_;
};

class OpDef {
public:
    explicit OpDef(const char *type)
        : type_(type)
    {
    }

    OpParamDef &Input(const char *name)
    {
        return standin::FindOrAdd(inputs_, name);
    }

    OpParamDef &Output(const char *name)
    {
        return standin::FindOrAdd(outputs_, name);
    }

    OpAttrDef &Attr(const char *name)
    {
        return standin::FindOrAdd(attrs_, name);
    }

    OpAICoreDef &AICore()
    {
        return aicore_;
    }

    // For the runner.
    const std::string &Type() const
    {
        return type_;
    }

    const std::deque<OpParamDef> &Inputs() const
    {
        return inputs_;
    }

    const std::deque<OpParamDef> &Outputs() const
    {
        return outputs_;
    }

    const std::deque<OpAttrDef> &Attrs() const
    {
        return attrs_;
    }

    const std::vector<standin::Config> &Configs() const
    {
        return aicore_.Configs();
    }

private:
    std::string type_;
    std::deque<OpParamDef> inputs_;
    std::deque<OpParamDef> outputs_;
    std::deque<OpAttrDef> attrs_;
    OpAICoreDef aicore_;
};

} // namespace ops

namespace standin {

// The definitions that are linked to the program.
inline std::deque<ops::OpDef> &Definitions()
{
    static std::deque<ops::OpDef> definitions;
    return definitions;
}

} // namespace standin

#define OP_ADD(opType) \
    [[maybe_unused]] static const bool g_##opType##_added = \
        (standin::Definitions().push_back(opType(#opType)), true)
