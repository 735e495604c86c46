// Stands for the header of this name in a toolkit: the intrinsics of Ascend 950, which the API's headers lower calls to.
//
// Those that the emulator carries out, or a kernel may well meet, have their types here; the rest is in others.h.
#ifndef EMULATOR_INTRINSICS_ARCH35_STUB_FUN_H
#define EMULATOR_INTRINSICS_ARCH35_STUB_FUN_H

#include "enums.h"
#include "others.h"
#include "stub_def.h"

// ------------------------------------------------------------------ who the core is, control registers

int64_t get_block_idx();
int64_t get_block_num();
int64_t get_subblockid();
int64_t get_subblockdim();
int64_t get_ctrl();
void set_ctrl(uint64_t value);
uint64_t sbitset0(uint64_t value, int64_t bit);
uint64_t sbitset1(uint64_t value, int64_t bit);
int64_t sff0(uint64_t value);
int64_t sff1(uint64_t value);
int64_t bcnt0(uint64_t value);
int64_t bcnt1(uint64_t value);
int64_t clz(uint64_t value);
void set_padding(uint64_t value);
void set_mov_pad_val(uint64_t value);
void set_quant_pre(uint64_t value);
void set_st_atomic_cfg(uint64_t value);
void set_st_atomic_cfg(atomic_type_t type, atomic_op_t operation);
void set_mte2_nz_para(uint64_t value);
void set_loop3_para(uint64_t value);
void set_loop_size_outtoub(uint64_t value);
void set_loop_size_ubtoout(uint64_t value);
void set_vector_mask(uint64_t high, uint64_t low);
void set_mask_count();
void set_mask_norm();
void set_atomic_none();
void set_atomic_add();
void set_atomic_max();
void set_atomic_min();
void set_atomic_f32();
void set_atomic_f16();
void set_atomic_bf16();
void set_atomic_s32();
void set_atomic_s16();
void set_atomic_s8();

// ------------------------------------------------------------------ flags and barriers

void set_flag(pipe_t from, pipe_t to, event_t id);
void wait_flag(pipe_t from, pipe_t to, event_t id);
void pipe_barrier(pipe_t pipe);
void set_intra_block(pipe_t pipe, uint8_t id);
void wait_intra_block(pipe_t pipe, uint8_t id);
void ffts_cross_core_sync(pipe_t pipe, uint64_t message);
void wait_flag_dev(pipe_t pipe, uint8_t id);
void dcci(void *address, uint64_t entire);
void dcci(void *address, uint64_t entire, uint64_t to);
void dsb(mem_dsb_t memory);

void mem_bar(Literal order);

// ------------------------------------------------------------------ what TPipe tells

void AscendCBufAbsAddr(uint8_t hardware, uint64_t address, uint64_t bytes);
void AscendCBufInit(uint8_t, uint8_t, uint8_t number, uint64_t address, uint64_t bytes);

// ------------------------------------------------------------------ copies

#define EMULATED_COPY_IN(T) \
    void copy_gm_to_ubuf_align_v2(T *dst, T *src, uint8_t sid, uint32_t bursts, uint32_t length, uint8_t left, uint8_t right, \
        bool pads, uint8_t cache, uint64_t srcStride, uint32_t dstStride); \
    void copy_gm_to_cbuf_align_v2(T *dst, T *src, uint8_t sid, uint32_t bursts, uint32_t length, uint8_t left, uint8_t right, \
        bool pads, uint8_t cache, uint64_t srcStride, uint32_t dstStride);

EMULATED_COPY_IN(uint8_t)
EMULATED_COPY_IN(uint16_t)
EMULATED_COPY_IN(uint32_t)
EMULATED_COPY_IN(int32_t)

#undef EMULATED_COPY_IN

#define EMULATED_ND_TO_NZ(T) \
    void copy_gm_to_cbuf_multi_nd2nz(T *dst, T *src, uint8_t sid, uint64_t rowStride, uint8_t cache, uint16_t rows, \
        uint32_t columns, uint64_t matrixStride, bool smallC0);

EMULATED_ND_TO_NZ(int8_t)
EMULATED_ND_TO_NZ(half)
EMULATED_ND_TO_NZ(float)

#undef EMULATED_ND_TO_NZ

void copy_ubuf_to_gm_align_v2(void *dst, void *src, uint8_t sid, uint32_t bursts, uint32_t length, uint8_t cache,
    uint64_t dstStride, uint32_t srcStride);
void copy_ubuf_to_cbuf(void *dst, void *src, bool subBlock, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap);

// ------------------------------------------------------------------ cube

#define EMULATED_LOAD(T) \
    void load_cbuf_to_ca(T *dst, T *src, uint16_t mStart, uint16_t kStart, uint8_t mStep, uint8_t kStep, int16_t srcStride, \
        uint16_t dstStride, bool transpose); \
    void load_cbuf_to_cb(T *dst, T *src, uint16_t mStart, uint16_t kStart, uint8_t mStep, uint8_t kStep, int16_t srcStride, \
        uint16_t dstStride, bool transpose);

EMULATED_LOAD(half)
EMULATED_LOAD(bfloat16_t)
EMULATED_LOAD(float)
EMULATED_LOAD(int8_t)

#undef EMULATED_LOAD

#define EMULATED_MMAD(C, A) \
    void mad(C *c, A *a, A *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag, bool disableGemv, bool fromBias, bool fromZero);

EMULATED_MMAD(float, half)
EMULATED_MMAD(float, bfloat16_t)
EMULATED_MMAD(float, float)
EMULATED_MMAD(int32_t, int8_t)

#undef EMULATED_MMAD

#define EMULATED_FIXPIPE(TO, FROM) \
    void copy_matrix_cc_to_ub(TO *dst, FROM *src, uint8_t sid, uint16_t nSize, uint16_t mSize, uint32_t dstStride, \
        uint16_t srcStride, uint8_t dualDst, bool subBlock, uint8_t clipRelu, uint8_t unitFlag, uint64_t quant, uint8_t relu, \
        bool split, bool toNd, uint64_t quantAfter, uint8_t reluAfter, bool clipReluAfter, bool loopEnhance, uint8_t eltwise, \
        bool eltwiseAntiquant, bool loopMerge, bool padC0, bool winograd, bool broadcast, bool toDn); \
    void copy_matrix_cc_to_gm(TO *dst, FROM *src, uint8_t sid, uint16_t nSize, uint16_t mSize, uint32_t dstStride, \
        uint16_t srcStride, uint8_t cache, uint8_t clipRelu, uint8_t unitFlag, uint64_t quant, uint8_t relu, bool split, \
        bool toNd, uint64_t quantAfter, uint8_t reluAfter, bool clipReluAfter, bool loopEnhance, uint8_t eltwise, \
        bool eltwiseAntiquant, bool loopMerge, bool padC0, bool winograd, bool broadcast, bool toDn);

EMULATED_FIXPIPE(float, float)
EMULATED_FIXPIPE(half, float)
EMULATED_FIXPIPE(bfloat16_t, float)
EMULATED_FIXPIPE(int32_t, int32_t)

#undef EMULATED_FIXPIPE

void create_cbuf_matrix(half *dst, int64_t config, half value);
void create_cbuf_matrix(float *dst, int64_t config, uint32_t value);
void create_cbuf_matrix(int32_t *dst, int64_t config, uint32_t value);
void create_cbuf_matrix(uint32_t *dst, int64_t config, uint32_t value);
void create_cbuf_matrix(int16_t *dst, int64_t config, half value);
void create_cbuf_matrix(uint16_t *dst, int64_t config, half value);
void create_cbuf_matrix_bf16(bfloat16_t *dst, int64_t config, bfloat16_t value);

// ------------------------------------------------------------------ masks

vector_bool plt_b8(uint32_t &count, Literal post);
vector_bool plt_b16(uint32_t &count, Literal post);
vector_bool plt_b32(uint32_t &count, Literal post);

#define EMULATED_PATTERN(PATTERN) \
    vector_bool pset_b8(PATTERN pattern); \
    vector_bool pset_b16(PATTERN pattern); \
    vector_bool pset_b32(PATTERN pattern);

EMULATED_PATTERN(Pat)
EMULATED_PATTERN(Literal)

#undef EMULATED_PATTERN

void pand(vector_bool &dst, vector_bool src0, vector_bool src1, vector_bool mask);
void por(vector_bool &dst, vector_bool src0, vector_bool src1, vector_bool mask);
void pxor(vector_bool &dst, vector_bool src0, vector_bool src1, vector_bool mask);
void pnot(vector_bool &dst, vector_bool src, vector_bool mask);
void movvp(vector_bool &dst, const vector_u32 &src, int16_t part);
void movvp(vector_bool &dst, const vector_u16 &src, int16_t part);
vector_bool movp_b16();
vector_bool movp_b32();

// ------------------------------------------------------------------ registers

// What a lane has that the mask leaves out: the headers say so by two enumerations.
struct LaneMode {
    bool zeroes;

    LaneMode(CpuMode mode)
        : zeroes(mode != MERGING_VALUE)
    {
    }
    LaneMode(Literal mode)
        : zeroes(mode != MODE_MERGING)
    {
    }
    template <CpuMode mode>
    LaneMode(std::integral_constant<CpuMode, mode>)
        : LaneMode(mode)
    {
    }
};

#define EMULATED_INTEGERS(FORM, ...) \
    FORM(vector_s8, __VA_ARGS__) \
    FORM(vector_u8, __VA_ARGS__) \
    FORM(vector_s16, __VA_ARGS__) \
    FORM(vector_u16, __VA_ARGS__) \
    FORM(vector_s32, __VA_ARGS__) \
    FORM(vector_u32, __VA_ARGS__)

#define EMULATED_FLOATS(FORM, ...) \
    FORM(vector_f16, __VA_ARGS__) \
    FORM(vector_f32, __VA_ARGS__)

#define EMULATED_NUMBERS(FORM, ...) \
    EMULATED_INTEGERS(FORM, __VA_ARGS__) \
    EMULATED_FLOATS(FORM, __VA_ARGS__)

#define EMULATED_ALL(FORM, ...) \
    EMULATED_NUMBERS(FORM, __VA_ARGS__) \
    FORM(vector_bf16, __VA_ARGS__)

#define EMULATED_BINARY(V, NAME) void NAME(V &dst, const V &src0, const V &src1, vector_bool mask, LaneMode mode = MODE_ZEROING);

EMULATED_ALL(EMULATED_BINARY, vadd)
EMULATED_ALL(EMULATED_BINARY, vsub)
EMULATED_ALL(EMULATED_BINARY, vmul)
EMULATED_ALL(EMULATED_BINARY, vmax)
EMULATED_ALL(EMULATED_BINARY, vmin)
EMULATED_INTEGERS(EMULATED_BINARY, vand)
EMULATED_INTEGERS(EMULATED_BINARY, vor)
EMULATED_INTEGERS(EMULATED_BINARY, vxor)
EMULATED_NUMBERS(EMULATED_BINARY, vdiv)
EMULATED_ALL(EMULATED_BINARY, vmadd)
EMULATED_ALL(EMULATED_BINARY, vmula)

#undef EMULATED_BINARY

#define EMULATED_UNARY(V, NAME) void NAME(V &dst, const V &src, vector_bool mask, LaneMode mode = MODE_ZEROING);

EMULATED_FLOATS(EMULATED_UNARY, vexp)
EMULATED_FLOATS(EMULATED_UNARY, vln)
EMULATED_FLOATS(EMULATED_UNARY, vsqrt)
EMULATED_NUMBERS(EMULATED_UNARY, vabs)
EMULATED_NUMBERS(EMULATED_UNARY, vneg)
EMULATED_NUMBERS(EMULATED_UNARY, vrelu)
EMULATED_ALL(EMULATED_UNARY, vnot)
EMULATED_ALL(EMULATED_UNARY, vmov)
EMULATED_FLOATS(EMULATED_UNARY, vcadd)
EMULATED_UNARY(vector_s32, vcadd)
EMULATED_UNARY(vector_u32, vcadd)
EMULATED_NUMBERS(EMULATED_UNARY, vcmax)
EMULATED_NUMBERS(EMULATED_UNARY, vcmin)

#undef EMULATED_UNARY

#define EMULATED_SCALAR(V, NAME) void NAME(V &dst, const V &src, V::ActualT scalar, vector_bool mask, LaneMode mode = MODE_ZEROING);

EMULATED_ALL(EMULATED_SCALAR, vadds)
EMULATED_ALL(EMULATED_SCALAR, vmuls)
EMULATED_ALL(EMULATED_SCALAR, vmaxs)
EMULATED_ALL(EMULATED_SCALAR, vmins)

#undef EMULATED_SCALAR

#define EMULATED_SHIFT(V, NAME) void NAME(V &dst, const V &src, int16_t distance, vector_bool mask, LaneMode mode = MODE_ZEROING);

EMULATED_INTEGERS(EMULATED_SHIFT, vshls)
EMULATED_INTEGERS(EMULATED_SHIFT, vshrs)

#undef EMULATED_SHIFT

#define EMULATED_DUPLICATE(V, ...) \
    void vdup(V &dst, V::ActualT value, vector_bool mask, LaneMode mode); \
    void vdup(V &dst, const V &src, vector_bool mask, Pos place, LaneMode mode); \
    void vbr(V &dst, V::ActualT value);

EMULATED_ALL(EMULATED_DUPLICATE)

#undef EMULATED_DUPLICATE

#define EMULATED_COMPARE(V, NAME) \
    void vcmp_##NAME(vector_bool &dst, const V &src0, const V &src1, vector_bool mask); \
    void vcmps_##NAME(vector_bool &dst, const V &src, V::ActualT scalar, vector_bool mask);

EMULATED_ALL(EMULATED_COMPARE, eq)
EMULATED_ALL(EMULATED_COMPARE, ne)
EMULATED_ALL(EMULATED_COMPARE, gt)
EMULATED_ALL(EMULATED_COMPARE, ge)
EMULATED_ALL(EMULATED_COMPARE, lt)
EMULATED_ALL(EMULATED_COMPARE, le)

#undef EMULATED_COMPARE

#define EMULATED_PLACES(V, ...) \
    void vsqz(V &dst, const V &src, vector_bool mask, StoreMode mode); \
    void vgather2(V &dst, V::ActualT *src, const vector_u32 &index, vector_bool mask); \
    void vsel(V &dst, const V &src0, const V &src1, vector_bool mask); \
    void vintlv(V &dst0, V &dst1, const V &src0, const V &src1); \
    void vdintlv(V &dst0, V &dst1, const V &src0, const V &src1);

EMULATED_ALL(EMULATED_PLACES)

#undef EMULATED_PLACES

#define EMULATED_MOVE(V, ...) void vmov(V &dst, const V &src);

EMULATED_ALL(EMULATED_MOVE)

#undef EMULATED_MOVE

#define EMULATED_INDEX(V) void vci(V &dst, V::ActualT first, Order order);

EMULATED_INDEX(vector_s8)
EMULATED_INDEX(vector_s16)
EMULATED_INDEX(vector_s32)
EMULATED_INDEX(vector_f16)
EMULATED_INDEX(vector_f32)

#undef EMULATED_INDEX

// ------------------------------------------------------------------ casts

#define EMULATED_WIDEN(TO, FROM, PART) void vcvt(TO &dst, const FROM &src, vector_bool mask, PART part, LaneMode mode);

EMULATED_WIDEN(vector_f16, vector_s8, Part)
EMULATED_WIDEN(vector_f16, vector_u8, Part)
EMULATED_WIDEN(vector_f32, vector_f16, Part)
EMULATED_WIDEN(vector_f32, vector_bf16, Part)
EMULATED_WIDEN(vector_f32, vector_s16, Part)
EMULATED_WIDEN(vector_f32, vector_f8e4m3, Part_T)
EMULATED_WIDEN(vector_f32, vector_hif8, Part_T)
EMULATED_WIDEN(vector_f16, vector_hif8, Part)

#undef EMULATED_WIDEN

void vcvt(vector_f16 &dst, const vector_f32 &src, vector_bool mask, ROUND round, RoundingSaturation saturation, Part part, LaneMode mode);
void vcvt(vector_bf16 &dst, const vector_f32 &src, vector_bool mask, ROUND round, RoundingSaturation saturation, Part part, LaneMode mode);
void vcvt(vector_s32 &dst, const vector_f32 &src, vector_bool mask, ROUND round, RoundingSaturation saturation, LaneMode mode);
void vcvt(vector_f32 &dst, const vector_s32 &src, vector_bool mask, ROUND round, LaneMode mode);
void vcvt(vector_f32 &dst, const vector_s64 &src, vector_bool mask, Literal round, Literal part);
void vcvt(vector_s64 &dst, const vector_f32 &src, vector_bool mask, Literal round, Literal saturation, Literal part);
void vcvt(vector_s64 &dst, const vector_f32 &src, vector_bool mask, ROUND round, RoundingSaturation saturation, Part part, LaneMode mode);

// ------------------------------------------------------------------ loads and stores

#define EMULATED_MEMORY(V, ...) \
    void vlds(V &dst, V::ActualT *src, int32_t offset, Dist dist); \
    void vlds(V &dst0, V &dst1, V::ActualT *src, int32_t offset, Dist dist); \
    void vlds(V &dst, V::ActualT *&src, int32_t offset, Dist dist, Post post); \
    void vlds(V &dst0, V &dst1, V::ActualT *&src, int32_t offset, Dist dist, Post post); \
    void vsts(const V &src, V::ActualT *dst, int32_t offset, DistVST dist, vector_bool mask); \
    void vsts(const V &src, V::ActualT *&dst, int32_t offset, DistVST dist, vector_bool mask, Post post); \
    void vsts(const V &src0, const V &src1, V::ActualT *dst, int32_t offset, DistVST dist, vector_bool mask); \
    void vsldb(V &dst, V::ActualT *src, int32_t strides, vector_bool mask); \
    void vsldb(V &dst, V::ActualT *&src, int32_t strides, vector_bool mask, Post post); \
    void vsstb(const V &src, V::ActualT *dst, int32_t strides, vector_bool mask); \
    void vsstb(const V &src, V::ActualT *&dst, int32_t strides, vector_bool mask, Post post);

EMULATED_ALL(EMULATED_MEMORY)

// Without alignment: a load of a whole register, a store of what vsqz has put together behind what was stored so far, and
// the bits of a mask.
#define EMULATED_UNALIGNED(V, ...) \
    void vldas(vector_align &state, V::ActualT *src); \
    void vldus(V &dst, vector_align &state, V::ActualT *src); \
    void vstur(vector_align &state, const V &src, V::ActualT *dst, Post post); \
    void vstar(vector_align &state, V::ActualT *dst); \
    void vstas(vector_align &state, V::ActualT *&dst, int32_t offset); \
    void vstas(vector_align &state, V::ActualT *&dst, int32_t offset, Literal post);

EMULATED_ALL(EMULATED_UNALIGNED)
EMULATED_UNALIGNED(vector_s64)

#undef EMULATED_UNALIGNED

void pstu(vector_align &state, vector_bool mask, uint16_t *&dst);
void pstu(vector_align &state, vector_bool mask, uint32_t *&dst);
void sprclr(Spr number);
int64_t get_ar();

#undef EMULATED_MEMORY
#undef EMULATED_ALL
#undef EMULATED_NUMBERS
#undef EMULATED_FLOATS
#undef EMULATED_INTEGERS

#endif // EMULATOR_INTRINSICS_ARCH35_STUB_FUN_H
