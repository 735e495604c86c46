// A stand-in for CANN's header: a definition prints what it registers, one statement a line.
#pragma once
#include <cstdint>
#include <iostream>
#include <list>
#include <sstream>
#include <string>
#include <vector>

namespace ge {
enum DataType { DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT32, DT_INT64 = 9, DT_BF16 = 27, DT_INT4 = 29, DT_FLOAT8_E5M2 = 35 };
enum Format { FORMAT_ND = 2, FORMAT_FRACTAL_NZ = 29 };
} // namespace ge

namespace ops {
enum Option { IGNORE, OPTIONAL, REQUIRED, DYNAMIC };

inline std::string Text(bool value) { return value ? "true" : "false"; }
inline std::string Text(const std::string &value) { return "<" + value + ">"; }
inline std::string Text(const char *value) { return Text(std::string(value)); }
inline std::string Text(int64_t value) { return std::to_string(value); }
inline std::string Text(float value)
{
    std::ostringstream stream;
    stream << value;
    return stream.str();
}
inline std::string Text(Option value) { return std::vector<const char *>{"IGNORE", "OPTIONAL", "REQUIRED", "DYNAMIC"}[value]; }
inline std::string Text(ge::DataType value) { return std::to_string(value); }
inline std::string Text(ge::Format value) { return std::to_string(value); }
template <typename T>
std::string Text(const std::vector<T> &values)
{
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) {
        text += (i == 0 ? "" : ",") + Text(static_cast<T>(values[i]));
    }
    return text + "]";
}

template <typename Self>
class Recorder {
public:
    std::string line;

protected:
    Self &Say(const std::string &method, const std::string &arguments)
    {
        line += (line.empty() ? "" : " ") + method + "(" + arguments + ")";
        return static_cast<Self &>(*this);
    }
};

class OpParamDef : public Recorder<OpParamDef> {
public:
    OpParamDef &ParamType(Option value) { return Say("ParamType", Text(value)); }
    OpParamDef &DataType(std::vector<ge::DataType> values) { return Say("DataType", Text(values)); }
    OpParamDef &DataTypeList(std::vector<ge::DataType> values) { return Say("DataTypeList", Text(values)); }
    OpParamDef &Format(std::vector<ge::Format> values) { return Say("Format", Text(values)); }
    OpParamDef &FormatList(std::vector<ge::Format> values) { return Say("FormatList", Text(values)); }
    OpParamDef &UnknownShapeFormat(std::vector<ge::Format> values) { return Say("UnknownShapeFormat", Text(values)); }
    OpParamDef &ValueDepend(Option value) { return Say("ValueDepend", Text(value)); }
    OpParamDef &Follow(const char *name) { return Say("Follow", Text(name)); }
    OpParamDef &AutoContiguous() { return Say("AutoContiguous", ""); }
    OpParamDef &IgnoreContiguous() { return Say("IgnoreContiguous", ""); }
    OpParamDef &Scalar() { return Say("Scalar", ""); }
    OpParamDef &ScalarList() { return Say("ScalarList", ""); }
};

class OpAttrDef : public Recorder<OpAttrDef> {
public:
    OpAttrDef &AttrType(Option value) { return Say("AttrType", Text(value)); }
    OpAttrDef &Int() { return Say("Int", ""); }
    OpAttrDef &Int(int64_t value) { return Say("Int", Text(value)); }
    OpAttrDef &Float(float value) { return Say("Float", Text(value)); }
    OpAttrDef &Bool(bool value) { return Say("Bool", Text(value)); }
    OpAttrDef &String(const char *value) { return Say("String", Text(value)); }
    OpAttrDef &ListBool(std::vector<bool> value) { return Say("ListBool", Text(value)); }
    OpAttrDef &ListInt(std::vector<int64_t> value) { return Say("ListInt", Text(value)); }
    OpAttrDef &ListFloat(std::vector<float> value) { return Say("ListFloat", Text(value)); }
    OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> value) { return Say("ListListInt", Text(value)); }
};

class OpAICoreConfig : public Recorder<OpAICoreConfig> {
public:
    OpParamDef &Input(const char *name) { return Param("Input", name); }
    OpParamDef &Output(const char *name) { return Param("Output", name); }
    OpAICoreConfig &DynamicCompileStaticFlag(bool value) { return Say("DynamicCompileStaticFlag", Text(value)); }
    OpAICoreConfig &DynamicFormatFlag(bool value) { return Say("DynamicFormatFlag", Text(value)); }
    OpAICoreConfig &DynamicRankSupportFlag(bool value) { return Say("DynamicRankSupportFlag", Text(value)); }
    OpAICoreConfig &DynamicShapeSupportFlag(bool value) { return Say("DynamicShapeSupportFlag", Text(value)); }
    OpAICoreConfig &NeedCheckSupportFlag(bool value) { return Say("NeedCheckSupportFlag", Text(value)); }
    OpAICoreConfig &PrecisionReduceFlag(bool value) { return Say("PrecisionReduceFlag", Text(value)); }
    OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value)
    {
        return Say("ExtendCfgInfo", Text(key) + "," + Text(value));
    }
    OpParamDef &Param(const std::string &kind, const std::string &name)
    {
        names.push_back(kind + " " + name);
        return params.emplace_back();
    }

    std::vector<std::string> names;
    std::list<OpParamDef> params;
};

class OpAICoreDef {
public:
    void AddConfig(const char *soc) { std::cout << "AddConfig " << soc << std::endl; }
    void AddConfig(const char *soc, OpAICoreConfig &config)
    {
        std::cout << "AddConfig " << soc << " " << config.line << std::endl;
        auto param = config.params.begin();
        for (const std::string &name : config.names) {
            std::cout << soc << " " << name << " " << (param++)->line << std::endl;
        }
    }
};

class OpDef {
public:
    explicit OpDef(const char *name) { std::cout << "OpDef " << name << std::endl; }
    ~OpDef()
    {
        for (size_t i = 0; i < names_.size(); ++i) {
            std::cout << names_[i] << " " << *lines_[i] << std::endl;
        }
    }
    OpParamDef &Input(const char *name) { return Add(params_, "Input", name); }
    OpParamDef &Output(const char *name) { return Add(params_, "Output", name); }
    OpAttrDef &Attr(const char *name) { return Add(attrs_, "Attr", name); }
    OpAICoreDef &AICore() { return aicore_; }

private:
    template <typename T>
    T &Add(std::list<T> &entries, const std::string &kind, const std::string &name)
    {
        T &entry = entries.emplace_back();
        names_.push_back(kind + " " + name);
        lines_.push_back(&entry.line);
        return entry;
    }

    std::vector<std::string> names_;
    std::vector<const std::string *> lines_;
    std::list<OpParamDef> params_;
    std::list<OpAttrDef> attrs_;
    OpAICoreDef aicore_;
};
} // namespace ops

#define OP_ADD(name) const name g_##name(#name)
