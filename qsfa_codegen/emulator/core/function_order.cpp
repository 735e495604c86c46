#include "function_order.h"

namespace emulator {

void FunctionOrder::Begin()
{
    events_.clear();
    first_ = number_ + 1;
    loadsAfterStores_ = storesAfterLoads_ = storesAfterStores_ = number_; // vector functions run one after the other
}

uint32_t FunctionOrder::BeginLoad(Site site)
{
    events_.push_back({site});
    return ++number_;
}

void FunctionOrder::BeginStore(const void *registerOf, Site site)
{
    events_.push_back({site, registerOf});
    ++number_;
}

Unordered FunctionOrder::Load(uint64_t begin, uint64_t end)
{
    Unordered wrong;
    for (uint64_t at = begin; at < end; ++at) {
        if (stored_[at] > loadsAfterStores_ && !wrong.found) {
            wrong = {true, at, Of(stored_[at]).site, false};
        }
        loaded_[at] = number_;
    }
    return wrong;
}

Unordered FunctionOrder::Store(uint64_t begin, uint64_t end, const Origin &origin)
{
    Unordered wrong;
    const void *registerOf = Of(number_).registerOf;
    for (uint64_t at = begin; at < end; ++at) {
        const uint32_t store = stored_[at];
        const uint32_t load = loaded_[at];
        if (store > storesAfterStores_ && store != number_ && Of(store).registerOf != registerOf && !wrong.found) {
            wrong = {true, at, Of(store).site, false};
        }
        if (load > storesAfterLoads_ && !origin.Has(load) && !wrong.found) {
            wrong = {true, at, Of(load).site, true};
        }
        stored_[at] = number_;
    }
    return wrong;
}

} // namespace emulator
