// Prints what the stand-in's headers say, one fact a line: its name, a blank, its value.
// With an argument it does something that the stand-in refuses instead.
#include <cstdio>
#include <cstring>
#include <string>

#include "ascendc/host_api/tiling/template_argument.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"
#include "platform/soc_spec.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

ASCENDC_TPL_ARGS_DECL(
    Thing,
    ASCENDC_TPL_BOOL_DECL(WIDE, 0, 1),
    ASCENDC_TPL_UINT_DECL(MODE, 3, ASCENDC_TPL_UI_LIST, 10, 20, 30),
    ASCENDC_TPL_BOOL_DECL(LAST, 0, 1),
    ASCENDC_TPL_UINT_DECL(KIND, 4, ASCENDC_TPL_UI_LIST, 7, 5));

ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_BOOL_SEL(WIDE, 0),
        ASCENDC_TPL_UINT_SEL(MODE, ASCENDC_TPL_UI_LIST, 10, 30),
        ASCENDC_TPL_BOOL_SEL(LAST, 0, 1),
        ASCENDC_TPL_UINT_SEL(KIND, ASCENDC_TPL_UI_LIST, 5)),
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(KIND, ASCENDC_TPL_UI_LIST, 5, 7),
        ASCENDC_TPL_BOOL_SEL(WIDE, 1),
        ASCENDC_TPL_UINT_SEL(MODE, ASCENDC_TPL_UI_LIST, 20),
        ASCENDC_TPL_BOOL_SEL(LAST, 1)));

namespace optiling {

BEGIN_TILING_DATA_DEF(InnerData)
TILING_DATA_FIELD_DEF(uint16_t, low);
TILING_DATA_FIELD_DEF(uint32_t, high);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerDataOp, InnerData)

BEGIN_TILING_DATA_DEF(OuterData)
TILING_DATA_FIELD_DEF(uint8_t, first);
TILING_DATA_FIELD_DEF(int64_t, second);
TILING_DATA_FIELD_DEF(uint8_t, third);
TILING_DATA_FIELD_DEF_STRUCT(InnerData, inner);
TILING_DATA_FIELD_DEF(float, last);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Thing, OuterData)

} // namespace optiling

namespace {

void Say(const char *name, unsigned long value)
{
    std::printf("%s %lu\n", name, value);
}

#define SAY(value) Say(#value, static_cast<unsigned long>(value))

void SayDtypes()
{
    SAY(ge::DT_FLOAT);
    SAY(ge::DT_FLOAT16);
    SAY(ge::DT_INT8);
    SAY(ge::DT_INT32);
    SAY(ge::DT_UINT8);
    SAY(ge::DT_INT16);
    SAY(ge::DT_UINT16);
    SAY(ge::DT_UINT32);
    SAY(ge::DT_INT64);
    SAY(ge::DT_UINT64);
    SAY(ge::DT_DOUBLE);
    SAY(ge::DT_BOOL);
    SAY(ge::DT_STRING);
    SAY(ge::DT_COMPLEX64);
    SAY(ge::DT_COMPLEX128);
    SAY(ge::DT_BF16);
    SAY(ge::DT_UNDEFINED);
    SAY(ge::DT_INT4);
    SAY(ge::DT_UINT1);
    SAY(ge::DT_INT2);
    SAY(ge::DT_UINT2);
    SAY(ge::DT_COMPLEX32);
    SAY(ge::DT_HIFLOAT8);
    SAY(ge::DT_FLOAT8_E5M2);
    SAY(ge::DT_FLOAT8_E4M3FN);
    SAY(ge::DT_FLOAT8_E8M0);
    SAY(ge::DT_FLOAT6_E3M2);
    SAY(ge::DT_FLOAT6_E2M3);
    SAY(ge::DT_FLOAT4_E2M1);
    SAY(ge::DT_FLOAT4_E1M2);
    SAY(ge::DT_HIFLOAT4);
}

void SayFormats()
{
    SAY(ge::FORMAT_NCHW);
    SAY(ge::FORMAT_NHWC);
    SAY(ge::FORMAT_ND);
    SAY(ge::FORMAT_NC1HWC0);
    SAY(ge::FORMAT_FRACTAL_Z);
    SAY(ge::FORMAT_NC1HWC0_C04);
    SAY(ge::FORMAT_FRACTAL_Z_C04);
    SAY(ge::FORMAT_CHWN);
    SAY(ge::FORMAT_HWCN);
    SAY(ge::FORMAT_C1HWNCoC0);
    SAY(ge::FORMAT_NDHWC);
    SAY(ge::FORMAT_FRACTAL_NZ);
    SAY(ge::FORMAT_NCDHW);
    SAY(ge::FORMAT_DHWCN);
    SAY(ge::FORMAT_NDC1HWC0);
    SAY(ge::FORMAT_FRACTAL_Z_3D);
    SAY(ge::FORMAT_NCL);
}

void SayOthers()
{
    SAY(ge::GRAPH_SUCCESS);
    SAY(ge::GRAPH_FAILED);
    SAY(NpuArch::DAV_2002);
    SAY(NpuArch::DAV_2201);
    SAY(NpuArch::DAV_3510);
    SAY(NpuArch::DAV_RESV);
    SAY(platform_ascendc::CoreMemType::UB);
    SAY(gert::Shape::kMaxDimNum);
    std::printf("bf16 %s\n", ge::TypeUtils::DataTypeToAscendString(ge::DT_BF16).GetString());
    std::printf("fp8 %s\n", ge::TypeUtils::DataTypeToAscendString(ge::DT_FLOAT8_E4M3FN).GetString());
    const auto reserved = static_cast<ge::DataType>(5);
    std::printf("reserved %s\n", ge::TypeUtils::DataTypeToAscendString(reserved).GetString());
}

void SayKeys()
{
    Say("key(0,30,1,5)", GET_TPL_TILING_KEY(0, 30, 1, 5));
    Say("key(1,20,1,7)", GET_TPL_TILING_KEY(1, 20, 1, 7));
    Say("key(1,20,1,5)", GET_TPL_TILING_KEY(1, 20, 1, 5));
    Say("key(0,10,0,5)", GET_TPL_TILING_KEY(0, 10, 0, 5));
    Say("key(0,20,0,5)", GET_TPL_TILING_KEY(0, 20, 0, 5));
    Say("key(0,10,0,7)", GET_TPL_TILING_KEY(0, 10, 0, 7));
    Say("key(0,40,0,5)", GET_TPL_TILING_KEY(0, 40, 0, 5));
    Say("key(2,20,1,7)", GET_TPL_TILING_KEY(2, 20, 1, 7));
    Say("key(0,10,0)", GET_TPL_TILING_KEY(0, 10, 0));
}

void SayData()
{
    optiling::OuterData data;
    data.set_first(0x11);
    data.set_second(-2);
    data.set_third(0x33);
    data.inner.set_low(0x5544);
    data.inner.set_high(0x99887766);
    data.set_last(1.0F);
    unsigned char bytes[64];
    std::memset(bytes, 0xFF, sizeof(bytes));
    data.SaveToBuffer(bytes, sizeof(bytes));
    SAY(data.GetDataSize());
    std::printf("data ");
    for (size_t i = 0; i < data.GetDataSize(); ++i) {
        std::printf("%02x", bytes[i]);
    }
    std::puts("");
}

gert::Shape ShapeOf(int64_t size, size_t rank)
{
    gert::Shape shape;
    for (size_t i = 0; i < rank; ++i) {
        shape.AppendDim(size);
    }
    return shape;
}

void SayShapes()
{
    Say("elements", static_cast<unsigned long>(ShapeOf(3, 4).GetShapeSize()));
    Say("elements of a scalar", static_cast<unsigned long>(ShapeOf(3, 0).GetShapeSize()));
    Say("overflow is invalid", ShapeOf(int64_t{1} << 32, 2).GetShapeSize() == gert::Shape::kInvalidDimValue);
    Say("axes after 30", ShapeOf(1, 30).GetDimNum());
    gert::RuntimeAttrs attrs;
    const int64_t number = 7;
    attrs.Append(&number);
    attrs.Append<char>(nullptr);
    Say("attribute", static_cast<unsigned long>(*attrs.GetAttrPointer<int64_t>(0)));
    Say("absent", attrs.GetAttrPointer<float>(1) == nullptr && attrs.GetAttrPointer<float>(2) == nullptr);
}

int Misuse(const std::string &what)
{
    if (what == "axis") {
        return static_cast<int>(ShapeOf(1, 2).GetDim(2));
    }
    if (what == "attribute") {
        gert::RuntimeAttrs attrs;
        const int64_t number = 7;
        attrs.Append(&number);
        return *attrs.GetAttrPointer<int32_t>(0);
    }
    if (what == "buffer") {
        optiling::OuterData data;
        unsigned char bytes[8];
        data.SaveToBuffer(bytes, sizeof(bytes));
        return bytes[0];
    }
    if (what == "bits") {
        const standin::TplDeclaration declaration{standin::TplArgument{"MODE", true, 1, {1, 2, 3}}};
        return static_cast<int>(declaration.Count());
    }
    if (what == "selection") {
        const standin::TplSelection selection(
            g_tilingDeclareParams, {{standin::TplArgument{"WIDE", false, 1, {0}}}});
        return static_cast<int>(selection.Encode({0, 10, 0, 5}));
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1) {
        return Misuse(argv[1]);
    }
    SayDtypes();
    SayFormats();
    SayOthers();
    SayKeys();
    SayData();
    SayShapes();
    return 0;
}
