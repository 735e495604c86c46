// The operator as plainly as it can be written: the first vector core computes everything, number by number.
// NAIVE_FAULT puts one fault in it.
#ifndef TESTS_EMULATE_NAIVE_KERNEL_H
#define TESTS_EMULATE_NAIVE_KERNEL_H

#include <cmath>

#include "kernel_operator.h"

#include "../kv_quant_sparse_flash_attention_tiling_data.h"

#define FAULT_NONE 0
#define FAULT_RESULT 1
#define FAULT_BOUNDS 2
#define FAULT_RACE 3
#define FAULT_HANG 4
#ifndef NAIVE_FAULT
#define NAIVE_FAULT FAULT_NONE
#endif

namespace KvQuantSparseFlashAttentionKernel {

using TilingData = optiling::KvQuantSparseFlashAttentionTilingDataMla;

struct Arguments {
    GM_ADDR q;
    GM_ADDR kv;
    GM_ADDR v;
    GM_ADDR indices;
    GM_ADDR table;
    GM_ADDR qLens;
    GM_ADDR kvLens;
    GM_ADDR out;
    GM_ADDR rowMax;
    GM_ADDR rowSum;
    GM_ADDR workspace;
};

template <typename T>
AscendC::GlobalTensor<T> At(GM_ADDR address, int64_t bytes = 0)
{
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T *)(address + bytes));
    return tensor;
}

template <typename QType, typename KvType, int FLASH_DECODE, int PAGED, int Q_LAYOUT, int KV_LAYOUT, int MODE, int SPLIT>
class Kernel {
public:
    void Init(const Arguments &arguments, const TilingData &tiling, AscendC::TPipe &pipe)
    {
        gm_ = arguments;
        base_ = tiling.baseParams;
        if ASCEND_IS_AIV {
            pipe.InitBuffer(buffer_, 32);
        }
        rope_ = (base_.dSizeVInput - NOPE - 16) / 2;
    }

    void Process()
    {
        if ASCEND_IS_AIC {
#if NAIVE_FAULT == FAULT_HANG
            AscendC::CrossCoreWaitFlag(3); // hang
#endif
            return;
        }
#if NAIVE_FAULT == FAULT_RACE
        // Two cores write the same bytes.
        if (AscendC::GetBlockIdx() < 2) {
            AscendC::LocalTensor<float> ones = buffer_.Get<float>();
            AscendC::Duplicate(ones, 1.0f, 8);
            AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
            AscendC::DataCopy(At<float>(gm_.workspace), ones, 8); // race
        }
#endif
        if (AscendC::GetBlockIdx() != 0) {
            return;
        }
        const int64_t rows = Q_LAYOUT == 1 ? base_.qSeqSize : int64_t(base_.batchSize) * base_.qSeqSize;
        for (int64_t row = 0; row < rows; ++row) {
            Row(row);
        }
    }

private:
    static constexpr int64_t NOPE = 512;
    static constexpr int64_t TILE = 128;

    int64_t Heads() const
    {
        return base_.nNumOfQInOneGroup;
    }

    int64_t Length(GM_ADDR lens, bool summed, int64_t batch, int64_t whole) const
    {
        if (lens == nullptr) {
            return whole;
        }
        const auto lengths = At<int32_t>(lens);
        return lengths.GetValue(batch) - (summed && batch > 0 ? lengths.GetValue(batch - 1) : 0);
    }

    void Row(int64_t row)
    {
        int64_t batch = row / base_.qSeqSize;
        int64_t position = row % base_.qSeqSize;
        if constexpr (Q_LAYOUT == 1) {
            const auto ends = At<int32_t>(gm_.qLens);
            for (batch = 0; batch < base_.batchSize && ends.GetValue(batch) <= row; ++batch) {
            }
            position = row - (batch > 0 ? ends.GetValue(batch - 1) : 0);
        }
        count_ = 0;
        if (batch < base_.batchSize) {
            Select(row, batch, position);
        }
        for (int64_t head = 0; head < Heads(); ++head) {
            Head(row, head);
        }
    }

    void Select(int64_t row, int64_t batch, int64_t position)
    {
        const int64_t qLength = Length(gm_.qLens, Q_LAYOUT == 1, batch, base_.qSeqSize);
        const int64_t kvLength = Length(gm_.kvLens, KV_LAYOUT == 1, batch, base_.seqSize);
        const int64_t limit = base_.sparseMode == 3 ? kvLength - qLength + position + 1 : kvLength;
        if (position >= qLength || limit <= 0) {
            return;
        }
        const auto list = At<int32_t>(gm_.indices, row * base_.sparseBlockCount * 4);
        for (int64_t e = 0; e < base_.sparseBlockCount && e * base_.sparseBlockSize < limit; ++e) {
            const int64_t block = list.GetValue(e);
            if (block < 0) {
                break;
            }
            for (int64_t i = 0; i < base_.sparseBlockSize; ++i) {
                const int64_t token = block * base_.sparseBlockSize + i;
                if (token < limit) {
                    rows_[count_++] = AddressOf(batch, token);
                }
            }
        }
    }

    int64_t AddressOf(int64_t batch, int64_t token) const
    {
        if constexpr (PAGED == 1) {
            const auto table = At<int32_t>(gm_.table, batch * base_.maxBlockNumPerBatch * 4);
            return table.GetValue(token / base_.blockSize) * base_.blockSize + token % base_.blockSize;
        }
        if constexpr (KV_LAYOUT == 1) {
            return token + (batch > 0 ? At<int32_t>(gm_.kvLens).GetValue(batch - 1) : 0);
        }
        return batch * base_.seqSize + token;
    }

    float Nope(int64_t row, int64_t i) const
    {
        const GM_ADDR address = gm_.kv + row * base_.dSizeVInput;
        const float scale = At<float>(address, NOPE + 2 * rope_).GetValue(i / TILE);
        return float(QType(float(At<KvType>(address).GetValue(i)) * scale));
    }

    float Logit(int64_t at, int64_t row) const
    {
        float sum = 0;
        const auto q = At<QType>(gm_.q, at * (NOPE + rope_) * 2);
        for (int64_t i = 0; i < NOPE; ++i) {
            sum += float(q.GetValue(i)) * Nope(row, i);
        }
        const auto rope = At<QType>(gm_.kv, row * base_.dSizeVInput + NOPE);
        for (int64_t i = 0; i < rope_; ++i) {
            sum += float(q.GetValue(NOPE + i)) * float(rope.GetValue(i));
        }
        return sum * base_.scaleValue;
    }

    void Head(int64_t row, int64_t head)
    {
        const int64_t at = row * Heads() + head;
        float peak = count_ > 0 ? -2e38f : 0.0f;
        for (int64_t j = 0; j < count_; ++j) {
            weights_[j] = Logit(at, rows_[j]);
            peak = weights_[j] > peak ? weights_[j] : peak;
        }
        float total = 0;
        for (int64_t j = 0; j < count_; ++j) {
            weights_[j] = std::exp(weights_[j] - peak);
            total += weights_[j];
        }
        auto out = At<QType>(gm_.out, at * NOPE * 2);
        for (int64_t i = 0; i < NOPE; ++i) {
            float sum = 0;
            for (int64_t j = 0; j < count_; ++j) {
                sum += float(QType(weights_[j])) * Nope(rows_[j], i);
            }
            out.SetValue(i, QType(count_ > 0 ? sum / total : 0.0f));
        }
#if NAIVE_FAULT == FAULT_RESULT
        out.SetValue(7, QType(3.0f));
#endif
#if NAIVE_FAULT == FAULT_BOUNDS
        At<QType>(gm_.q).GetValue((row + 1) * Heads() * (NOPE + rope_)); // bounds
#endif
        Clean(gm_.out, at * NOPE * 2, NOPE * 2);
        if (base_.returnSoftmaxLse != 0) {
            int64_t place = at;
            At<float>(gm_.rowMax).SetValue(place, peak);
            At<float>(gm_.rowSum).SetValue(place, total);
            Clean(gm_.rowMax, place * 4, 4);
            Clean(gm_.rowSum, place * 4, 4);
        }
    }

    // What the scalar unit has written reaches memory.
    void Clean(GM_ADDR address, int64_t begin, int64_t bytes) const
    {
        for (int64_t line = begin; line < begin + bytes; line += 64) {
            auto tensor = At<uint8_t>(address, line);
            AscendC::DataCacheCleanAndInvalid<uint8_t, AscendC::CacheLine::SINGLE_CACHE_LINE>(tensor);
        }
    }

    Arguments gm_{};
    optiling::KvQuantSparseFlashAttentionBaseParamsMla base_{};
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    int64_t rope_ = 0;
    int64_t count_ = 0;
    int64_t rows_[4096] = {};
    float weights_[4096] = {};
};

} // namespace KvQuantSparseFlashAttentionKernel

#endif // TESTS_EMULATE_NAIVE_KERNEL_H
