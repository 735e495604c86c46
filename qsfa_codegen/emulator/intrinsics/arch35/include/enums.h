// The enumerations in the signatures of intrinsics for Ascend 950.
#ifndef EMULATOR_INTRINSICS_ARCH35_ENUMS_H
#define EMULATOR_INTRINSICS_ARCH35_ENUMS_H

#include <cstdint>

// The headers turn those of their API into these by number.
enum Dist {
    DIST_NORM = 0,
    DIST_BRC_B32 = 3
};
enum DistVST {
    DIST_NORM_B8 = 0
};
enum Post {
    NO_POST_UPDATE_VALUE = 0,
    POST_UPDATE_VALUE = 1
};
enum Part {
    EVEN = 0,
    ODD = 1
};
enum Part_T {
    P0 = 0,
    P1,
    P2,
    P3
};
enum HiloPart {
    Lower = 0,
    Higher = 1
};
enum ROUND {
    CAST_RINT = 0,
    CAST_ROUND,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_TRUNC,
    CAST_ODD,
    CAST_HYBRID
};
enum RoundingSaturation {
    RS_DISABLE_VALUE = 0,
    RS_ENABLE_VALUE = 1
};
enum CpuMode {
    UNKNOWN_VALUE = 0,
    MERGING_VALUE,
    ZEROING_VALUE
};
enum Pat {
    ALL = 0
};
enum Pos {
    LOWEST = 0,
    HIGHEST = 1
};
enum Spr {
    SPR_AR_VALUE = 74
};
enum Order {
    INC_ORDER_VALUE = 0
};
enum StoreMode {
    NOSTORED = 0,
    STORED = 1
};
enum Bin {
    Bin_N0 = 0
};

enum Literal {
    MODE_ZEROING = 0,
    POST_UPDATE,
    NORM,
    LOWER,
    HIGHER,
    PAT_ALL,
    PAT_ALLF,
    PAT_H,
    PAT_VL8,
    PAT_VL16,
    PAT_VL32,
    PAT_VL64,
    MODE_MERGING,
    PART_EVEN,
    ROUND_R,
    ROUND_Z,
    RS_DISABLE,
    VV_ALL,
    VS_ALL,
    SV_ALL,
    VST_VLD,
    VLD_VST,
    VST_VST,
    VST_LD,
    VST_ST,
    VLD_ST,
    ST_VLD,
    ST_VST,
    LD_VST
};
enum mem_t {
    L1 = 0,
    L0A,
    L0B,
    L0C,
    UB,
    BT
};
enum atomic_type_t {
    ATOMIC_NONE = 0,
    ATOMIC_F32,
    ATOMIC_F16,
    ATOMIC_S16,
    ATOMIC_S32,
    ATOMIC_S8,
    ATOMIC_BF16
};
enum atomic_op_t {
    ATOMIC_SUM = 0
};

enum cache_line_t {
    SINGLE_CACHE_LINE = 0,
    ENTIRE_DATA_CACHE
};
enum dcci_dst_t {
    CACHELINE_ALL = 0,
    CACHELINE_UB,
    CACHELINE_OUT,
    CACHELINE_ATOMIC
};
enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VQF322HIF8_PRE = 2,
    QF322HIF8_PRE = 3,
    VQF322HIF8_PRE_HYBRID = 4,
    QF322HIF8_PRE_HYBRID = 5,
    VREQ8 = 8,
    REQ8 = 9,
    VDEQF16 = 10,
    DEQF16 = 11,
    VQF322FP8_PRE = 12,
    QF322FP8_PRE = 13,
    VQF322F32_PRE = 14,
    QF322F32_PRE = 15,
    F322BF16 = 16,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24,
    VQF322F16_PRE = 31,
    QF322F16_PRE = 32,
    VQF322BF16_PRE = 33,
    QF322BF16_PRE = 34,
    VQS322BF16_PRE = 35,
    QS322BF16_PRE = 36
};
enum QuantMode_post {
    NoConv = 0
};
enum ub_addr8_t {
    VA0 = 0,
    VA1,
    VA2,
    VA3,
    VA4,
    VA5,
    VA6,
    VA7
};
enum pad_t {
    PAD_NONE = 0
};
enum mem_dsb_t {
    DSB_ALL = 0,
    DSB_DDR,
    DSB_UB,
    DSB_SEQ
};
enum Order_t {
    VALUE_INDEX = 0,
    INDEX_VALUE,
    ONLY_VALUE,
    ONLY_INDEX
};
enum addr_cal_mode_t {
    inc = 0,
    dec = 1
};

#endif // EMULATOR_INTRINSICS_ARCH35_ENUMS_H
