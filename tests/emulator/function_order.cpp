// Runs scripts of loads, stores and barriers of vector functions, for Python.
#include "core/function_order.h"

using namespace emulator;

namespace {

constexpr int BYTES = 24;
constexpr int REGISTERS = 4;

enum Step : int {
    LOAD, // a register from `begin` to `end`
    STORE,
    JOIN, // a register from itself and another
    LOAD_WAITS,
    STORE_WAITS,
    STORES_IN_ORDER,
    NEXT_FUNCTION
};

} // namespace

// Four numbers a step; to `found` goes the first byte that is wrong, or −1.
extern "C" void run_script(const int *steps, int count, int *found)
{
    FunctionOrder order(BYTES);
    Origin registers[REGISTERS];
    order.Begin();
    for (int i = 0; i < count; ++i) {
        const int *step = steps + 4 * i;
        const int which = step[1];
        const auto begin = static_cast<uint64_t>(step[2]);
        const auto end = static_cast<uint64_t>(step[3]);
        Unordered wrong;
        switch (step[0]) {
            case LOAD:
                registers[which] = Origin(order.BeginLoad({}));
                wrong = order.Load(begin, end);
                break;
            case STORE:
                order.BeginStore(&registers[which], {});
                wrong = order.Store(begin, end, registers[which]);
                break;
            case JOIN:
                registers[which].Join(registers[step[2]]);
                break;
            case LOAD_WAITS:
                order.LoadsAfterStores();
                break;
            case STORE_WAITS:
                order.StoresAfterLoads();
                break;
            case STORES_IN_ORDER:
                order.StoresAfterStores();
                break;
            default:
                order.Begin();
                for (Origin &origin : registers) {
                    origin = {};
                }
        }
        found[i] = wrong.found ? static_cast<int>(wrong.offset) : -1;
    }
}
