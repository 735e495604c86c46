// The enumerations and traits of operations on vector registers.
#ifndef EMULATED_REG_ENUMS_H
#define EMULATED_REG_ENUMS_H

#include "emulated/enums.h"

namespace AscendC {

enum class ReduceType {
    SUM = 0,
    MAX,
    MIN
};

namespace Reg {

using ReduceType = AscendC::ReduceType;

struct DefaultType {};

enum class RegLayout {
    UNKNOWN = -1,
    ZERO,
    ONE,
    TWO,
    THREE
};

enum class SatMode {
    UNKNOWN = -1,
    NO_SAT,
    SAT
};

enum class MaskMergeMode {
    UNKNOWN,
    MERGING,
    ZEROING
};

enum class IndexOrder {
    INCREASE_ORDER,
    DECREASE_ORDER
};

enum class HighLowPart {
    LOWEST,
    HIGHEST
};

enum class PostLiteral {
    POST_MODE_NORMAL,
    POST_MODE_UPDATE
};

enum class MaskPattern {
    ALL,
    VL1,
    VL2,
    VL3,
    VL4,
    VL8,
    VL16,
    VL32,
    VL64,
    VL128,
    M3,
    M4,
    H,
    Q,
    ALLF = 15
};

enum class LoadDist {
    DIST_NORM,
    DIST_BRC_B8,
    DIST_BRC_B16,
    DIST_BRC_B32,
    DIST_US_B8 = 6,
    DIST_US_B16,
    DIST_DS_B8,
    DIST_DS_B16,
    DIST_BDINTLV,
    DIST_DINTLV_B8,
    DIST_DINTLV_B16,
    DIST_UNPACK_B8,
    DIST_UNPACK_B16,
    DIST_BLK,
    DIST_E2B_B16,
    DIST_E2B_B32,
    DIST_UNPACK_B32,
    DIST_DINTLV_B32,
    DIST_UNPACK4_B8
};

enum class StoreDist {
    DIST_NORM_B8,
    DIST_NORM_B16,
    DIST_NORM_B32,
    DIST_FIRST_ELEMENT_B8,
    DIST_FIRST_ELEMENT_B16,
    DIST_FIRST_ELEMENT_B32,
    DIST_PACK_B16,
    DIST_PACK_B32,
    DIST_INTLV_B8,
    DIST_INTLV_B16,
    DIST_PACK_B64,
    DIST_INTLV_B32,
    DIST_PACK4_B32,
    DIST_NORM = 16
};

enum class MemType {
    VEC_STORE,
    VEC_LOAD,
    SCALAR_STORE,
    SCALAR_LOAD,
    VEC_ALL,
    SCALAR_ALL
};

enum class DataCopyMode {
    DATA_BLOCK_COPY
};

struct CastTrait {
    RegLayout layoutMode = RegLayout::UNKNOWN;
    SatMode satMode = SatMode::UNKNOWN;
    MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
    RoundMode roundMode = RoundMode::UNKNOWN;
};

constexpr CastTrait castTrait = {RegLayout::UNKNOWN, SatMode::UNKNOWN, MaskMergeMode::UNKNOWN, RoundMode::UNKNOWN};

} // namespace Reg
} // namespace AscendC

#endif // EMULATED_REG_ENUMS_H
