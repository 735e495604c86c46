// Where in the kernel's source something stands.
#ifndef EMULATOR_CORE_SITE_H
#define EMULATOR_CORE_SITE_H

namespace emulator {

struct Site {
    const char *file = "";
    int line = 0;

    // As the default argument of a function: the place from where that function is called.
    static constexpr Site Here(const char *file = __builtin_FILE(), int line = __builtin_LINE())
    {
        return {file, line};
    }

    bool operator==(const Site &other) const
    {
        return file == other.file && line == other.line;
    }
};

} // namespace emulator

#endif // EMULATOR_CORE_SITE_H
