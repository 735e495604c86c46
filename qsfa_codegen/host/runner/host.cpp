#include "host.h"

#include <cstring>

#include "answer.h"
#include "definition.h"
#include "log/log.h"

namespace standin {
namespace {

const char *g_step = FRAMEWORK;

const ops::OpDef *OnlyDefinition()
{
    if (Definitions().size() != 1) {
        Fail("the program has %zu operator definitions, it must have one", Definitions().size());
    }
    return &Definitions().front();
}

Functions FunctionsOf(const std::string &type)
{
    for (const auto &[name, functions] : Registered()) {
        if (name != type) {
            Fail("host functions are registered for %s, but the definition is of %s", name.c_str(),
                type.c_str());
        }
    }
    const Functions functions = Registered()[type];
    if (functions.tiling != nullptr && functions.tilingParse == nullptr) {
        Fail("%s has a Tiling function but no TilingParse function", type.c_str());
    }
    return functions;
}

} // namespace

const char *CurrentStep()
{
    return g_step;
}

Host::Host()
    : definition_(OnlyDefinition()), functions_(FunctionsOf(definition_->Type())),
      shapes_(definition_->Outputs().size()), dtypes_(definition_->Outputs().size()),
      buffer_(functions_.maxTilingData), answer_(gert::TilingData(nullptr, 0))
{
}

Host::~Host()
{
    if (compileInfo_.info != nullptr) {
        functions_.deleteCompileInfo(compileInfo_.info);
    }
}

std::string Host::Answer(Call &call)
{
    failure_.clear();
    g_errors.count = 0;
    call.node.type = definition_->Type();
    const bool tiles = functions_.tiling != nullptr && call.stage != Stage::INFER;
    const bool tilesFirst = tiles && call.stage == Stage::TILING;
    const bool done = (!tilesFirst || Tile(call)) && CheckChip(call) && Infer(call) &&
        (!tiles || tilesFirst || Tile(call));
    g_step = FRAMEWORK;
    return done ? "ok\t" + Outputs() + '\t' + (tiles ? Tiling() : "-") : failure_;
}

void Host::Repeat(Call &call, long times)
{
    (void)Answer(call);
    gert::InferShapeContext shapes(call.node, shapes_);
    gert::TilingContext tiling(call.node, compileInfo_, answer_);
    const bool infers = call.stage == Stage::INFER;
    for (long i = 0; i < times; ++i) {
        (void)(infers ? functions_.inferShape(&shapes) : functions_.tiling(&tiling));
    }
}

// As in the SDK, nothing is asked of an operator that has no configuration for the chip.
bool Host::CheckChip(const Call &call)
{
    if (Supports(*definition_, call.device.soc)) {
        return true;
    }
    const std::string message = "the definition has no configuration for " + call.device.soc + " [chip]";
    failure_ = Said("no", FRAMEWORK, message.c_str());
    return false;
}

bool Host::Infer(const Call &call)
{
    for (gert::Shape &shape : shapes_) {
        shape.SetDimNum(0);
        shape.AppendDim(STALE_SIZE);
    }
    dtypes_.assign(dtypes_.size(), ge::DT_MAX);
    if (functions_.inferShape != nullptr) {
        g_step = INFER_SHAPE;
        gert::InferShapeContext context(call.node, shapes_);
        if (!Ran(INFER_SHAPE, functions_.inferShape(&context))) {
            return false;
        }
    }
    if (functions_.inferDataType == nullptr) {
        return true;
    }
    g_step = INFER_DATA_TYPE;
    gert::InferDataTypeContext context(call.node, dtypes_);
    return Ran(INFER_DATA_TYPE, functions_.inferDataType(&context));
}

// Asks about the device once, and again only when it is another one.
bool Host::Prepare(const Call &call)
{
    if (compileInfo_.info != nullptr && call.deviceText == preparedFor_) {
        return true;
    }
    if (compileInfo_.info != nullptr) {
        functions_.deleteCompileInfo(compileInfo_.info);
    }
    compileInfo_ = {functions_.createCompileInfo(), functions_.compileInfoType};
    preparedFor_.clear();
    g_step = TILING_PARSE;
    fe::PlatFormInfos platform(call.device);
    gert::TilingParseContext context(call.node, compileInfo_, platform);
    if (!Ran(TILING_PARSE, functions_.tilingParse(&context))) {
        return false;
    }
    preparedFor_ = call.deviceText;
    return true;
}

bool Host::Tile(const Call &call)
{
    if (!Prepare(call)) {
        return false;
    }
    std::memset(buffer_.data(), STALE, buffer_.size());
    answer_ = TilingAnswer(gert::TilingData(buffer_.data(), buffer_.size()));
    g_step = TILING;
    gert::TilingContext context(call.node, compileInfo_, answer_);
    return Ran(TILING, functions_.tiling(&context));
}

// Whether host code succeeded, without a word; otherwise `failure_` says what happened.
bool Host::Ran(const char *step, ge::graphStatus status)
{
    const bool accepted = status == ge::GRAPH_SUCCESS;
    if (accepted && g_errors.count == 0) {
        return true;
    }
    failure_ = Said(accepted ? "odd" : "no", step, g_errors.count > 0 ? g_errors.first : "");
    return false;
}

std::string Host::Outputs() const
{
    std::string text;
    for (size_t i = 0; i < shapes_.size(); ++i) {
        text += (i == 0 ? "" : " ") + Spelt(dtypes_[i], shapes_[i]);
    }
    return text;
}

std::string Host::Tiling() const
{
    std::string text = answer_.key.has_value() ? std::to_string(*answer_.key) : "-";
    text += ' ' + (answer_.blockDim.has_value() ? std::to_string(*answer_.blockDim) : "-");
    text += ' ' + std::to_string(answer_.scheduleMode) + ' ';
    for (size_t i = 0; i < answer_.workspaceCount; ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(answer_.workspaces[i]);
    }
    text += ' ';
    return text + Hexadecimal(buffer_.data(), answer_.data.GetDataSize());
}

} // namespace standin
