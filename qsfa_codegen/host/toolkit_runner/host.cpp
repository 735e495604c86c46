#include "host.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "answer.h"
#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "base/context_builder/op_tiling_parse_context_builder.h"
#include "log/log.h"
#include "operator.h"
#include "standin/fail.h"
#include "tiling/platform/platform_ascendc.h"

namespace standin {
namespace {

constexpr size_t MAX_WORKSPACES = 16;

constexpr Launch BEFORE{0, 0};
constexpr Launch BEFORE_AGAIN{UINT64_MAX, UINT32_MAX};

// What every context has: the operator, its tensors and its attributes.
template <typename Builder>
void Describe(Builder &builder, const Request &request)
{
    builder.OpType(OPERATOR_TYPE).OpName(OPERATOR_TYPE);
    builder.IOInstanceNum(request.instances, std::vector<uint32_t>(OPERATOR_OUTPUTS, 1));
    for (const Value &attr : request.attrs) {
        std::visit([&builder](const auto &value) { builder.AppendAttr(value); }, attr);
    }
}

template <typename Builder>
void DescribeTensors(Builder &builder, const Request &request)
{
    for (size_t i = 0; i < request.tensors.size(); ++i) {
        builder.InputTensorDesc(i, request.tensors[i].GetDataType(), ge::FORMAT_ND, ge::FORMAT_ND);
    }
    for (size_t i = 0; i < OPERATOR_OUTPUTS; ++i) {
        builder.OutputTensorDesc(i, ge::FORMAT_ND, ge::FORMAT_ND);
    }
}

std::vector<gert::Tensor *> Pointers(std::vector<gert::Tensor> &tensors)
{
    std::vector<gert::Tensor *> pointers(tensors.size());
    std::transform(tensors.begin(), tensors.end(), pointers.begin(), [](gert::Tensor &one) { return &one; });
    return pointers;
}

template <typename Context>
Context *Built(gert::ContextHolder<Context> &holder)
{
    Context *context = holder.GetContext();
    if (context == nullptr) {
        Fail("the toolkit's libraries cannot build a context for this call");
    }
    return context;
}

uint64_t UbBytes(fe::PlatFormInfos &platform)
{
    uint64_t bytes = 0;
    platform_ascendc::PlatformAscendC(&platform).GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    return bytes;
}

// Facts as the toolkit's platform configurations have them.
void SetFacts(const Device &device, fe::PlatFormInfos &platform)
{
    std::map<std::string, std::string> version = {
        {"Short_SoC_version", "A" + device.soc.substr(1)}, {"NpuArch", std::to_string(device.arch)}};
    std::map<std::string, std::string> soc = {{"core_type_list", "CubeCore,VectorCore"},
        {"ai_core_cnt", std::to_string(device.aic)}, {"cube_core_cnt", std::to_string(device.aic)},
        {"vector_core_cnt", std::to_string(device.aiv)}};
    std::map<std::string, std::string> core = {{"ub_size", std::to_string(device.ub)}};
    platform.SetPlatformRes("version", version);
    platform.SetPlatformRes("SoCInfo", soc);
    platform.SetPlatformRes("AICoreSpec", core);
    // Some chips reserve a part of UB; the call says what is left.
    core["ub_size"] = std::to_string(device.ub + (device.ub - UbBytes(platform)));
    platform.SetPlatformRes("AICoreSpec", core);
}

Launch LaunchOf(const gert::TilingContext &context)
{
    return {context.GetTilingKey(), context.GetBlockDim()};
}

std::string Spelt(gert::TilingContext &context, const Launch &first)
{
    const Launch again = LaunchOf(context);
    std::string text = first.key == again.key ? std::to_string(first.key) : "-";
    text += ' ' + (first.blockDim == again.blockDim ? std::to_string(first.blockDim) : "-");
    text += ' ' + std::to_string(context.GetScheduleMode()) + ' ';
    const size_t workspaces = context.GetWorkspaceNum();
    const size_t *sizes = context.GetWorkspaceSizes(workspaces);
    for (size_t i = 0; i < workspaces; ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(sizes[i]);
    }
    gert::TilingData &data = *context.GetRawTilingData();
    return text + ' ' + Hexadecimal(static_cast<const uint8_t *>(data.GetData()), data.GetDataSize());
}

} // namespace

Host::Host(const std::string &library)
    : shapes_(OPERATOR_OUTPUTS), dtypes_(OPERATOR_OUTPUTS)
{
    const gert::OppSoDesc package({ge::AscendString(library.c_str())}, "qsfa_codegen");
    if (registry_.AddSoToRegistry(package) != ge::GRAPH_SUCCESS) {
        Fail("the toolkit's registry does not load %s", library.c_str());
    }
    functions_ = registry_.GetOpImpl(OPERATOR_TYPE);
    if (functions_ == nullptr) {
        Fail("the toolkit's registry has no host functions of %s", OPERATOR_TYPE);
    }
    if (!platform_.Init()) {
        Fail("the toolkit's platform information cannot be set up");
    }
}

Host::~Host()
{
    if (compileInfo_ != nullptr) {
        functions_->compile_info_deleter(compileInfo_);
    }
}

std::string Host::Answer(Request &request)
{
    failure_.clear();
    g_errors.count = 0;
    const bool tiles = functions_->tiling != nullptr && request.stage != 'i';
    const bool tilesFirst = tiles && request.stage == 't';
    const bool done = (!tilesFirst || Tile(request)) && CheckChip(request) && Infer(request) &&
        (!tiles || tilesFirst || Tile(request));
    if (!done) {
        return failure_;
    }
    std::string text = "ok\t";
    for (size_t i = 0; i < OPERATOR_OUTPUTS; ++i) {
        text += (i == 0 ? "" : " ") + Spelt(dtypes_[i], shapes_[i]);
    }
    return text + '\t' + (tiles ? tiling_ : "-");
}

bool Host::CheckChip(const Request &request)
{
    const auto *end = std::end(OPERATOR_SOCS);
    if (std::find(std::begin(OPERATOR_SOCS), end, request.device.soc) != end) {
        return true;
    }
    const std::string message = "the definition has no configuration for " + request.device.soc + " [chip]";
    failure_ = Said("no", FRAMEWORK, message.c_str());
    return false;
}

bool Host::Infer(Request &request)
{
    return InferShapes(request) && InferDataTypes(request);
}

bool Host::InferShapes(Request &request)
{
    gert::OpInferShapeContextBuilder builder;
    Describe(builder, request);
    for (size_t i = 0; i < OPERATOR_OUTPUTS; ++i) {
        builder.OutputTensorDesc(i, ge::DT_UNDEFINED, ge::FORMAT_ND, ge::FORMAT_ND);
    }
    builder.InputTensors(Pointers(request.tensors));
    auto holder = builder.Build();
    gert::InferShapeContext *context = Built(holder);
    for (size_t i = 0; i < OPERATOR_OUTPUTS; ++i) {
        context->GetOutputShape(i)->AppendDim(STALE_SIZE);
    }
    if (functions_->infer_shape != nullptr && !Ran(INFER_SHAPE, functions_->infer_shape(context))) {
        return false;
    }
    for (size_t i = 0; i < OPERATOR_OUTPUTS; ++i) {
        shapes_[i] = *context->GetOutputShape(i);
    }
    return true;
}

bool Host::InferDataTypes(const Request &request)
{
    gert::OpInferDataTypeContextBuilder builder;
    Describe(builder, request);
    DescribeTensors(builder, request);
    auto holder = builder.Build();
    gert::InferDataTypeContext *context = Built(holder);
    if (functions_->infer_datatype != nullptr &&
        !Ran(INFER_DATA_TYPE, functions_->infer_datatype(context))) {
        return false;
    }
    for (size_t i = 0; i < OPERATOR_OUTPUTS; ++i) {
        dtypes_[i] = context->GetOutputDataType(i);
    }
    return true;
}

// Asks about the device once, and again only when it is another one.
bool Host::Prepare(const Request &request)
{
    if (compileInfo_ != nullptr && request.device == preparedFor_) {
        return true;
    }
    if (compileInfo_ != nullptr) {
        functions_->compile_info_deleter(compileInfo_);
    }
    compileInfo_ = functions_->compile_info_creator();
    preparedFor_ = Device();
    SetFacts(request.device, platform_);
    gert::OpTilingParseContextBuilder builder;
    Describe(builder, request);
    for (size_t i = 0; i < request.tensors.size(); ++i) {
        builder.InputTensorDesc(i, request.tensors[i].GetDataType(), ge::FORMAT_ND, ge::FORMAT_ND);
    }
    builder.CompiledJson("{}").CompiledInfo(compileInfo_).PlatformInfo(&platform_);
    auto holder = builder.Build();
    // The registry keeps the function as one of any kernel context.
    const auto parse = reinterpret_cast<uint32_t (*)(gert::TilingParseContext *)>(functions_->tiling_parse);
    if (!Ran(TILING_PARSE, parse(Built(holder)))) {
        return false;
    }
    preparedFor_ = request.device;
    return true;
}

bool Host::Tile(Request &request)
{
    if (!Prepare(request)) {
        return false;
    }
    const auto workspaces = gert::ContinuousVector::Create<size_t>(MAX_WORKSPACES);
    gert::OpTilingContextBuilder builder;
    Describe(builder, request);
    builder.CompileInfo(compileInfo_).PlatformInfo(&platform_);
    builder.TilingDataSize(functions_->max_tiling_data_size);
    builder.Workspace(reinterpret_cast<gert::ContinuousVector *>(workspaces.get()));
    std::vector<gert::Tensor> outputs(OPERATOR_OUTPUTS);
    builder.InputTensors(Pointers(request.tensors)).OutputTensors(Pointers(outputs));
    auto holder = builder.Build();
    gert::TilingContext *context = Built(holder);
    if (!TileOnce(*context, BEFORE)) {
        return false;
    }
    const Launch first = LaunchOf(*context);
    if (!TileOnce(*context, BEFORE_AGAIN)) {
        return false;
    }
    tiling_ = Spelt(*context, first);
    return true;
}

bool Host::TileOnce(gert::TilingContext &context, const Launch &before)
{
    gert::TilingData &data = *context.GetRawTilingData();
    std::memset(data.GetData(), STALE, data.GetCapacity());
    (void)context.SetTilingKey(before.key);
    (void)context.SetBlockDim(before.blockDim);
    return Ran(TILING, functions_->tiling(&context));
}

bool Host::Ran(const char *step, ge::graphStatus status)
{
    const bool accepted = status == ge::GRAPH_SUCCESS;
    if (accepted && g_errors.count == 0) {
        return true;
    }
    failure_ = Said(accepted ? "odd" : "no", step, g_errors.count > 0 ? g_errors.first : "");
    return false;
}

} // namespace standin
