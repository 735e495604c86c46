// The host functions of the linked operator, run on calls.
#pragma once

#include <string>
#include <vector>

#include "call.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"

namespace standin {

class Host {
public:
    Host();
    ~Host();
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;

    const ops::OpDef &Definition() const
    {
        return *definition_;
    }

    const Functions &HostFunctions() const
    {
        return functions_;
    }

    // Runs what the call asks for and gives the answer, one line without its end:
    //
    //     ok OUTPUTS TILING      with tabs between the parts, each of which is - where that did not run
    //     no STEP MESSAGE        rejected, and the first error that was logged
    //     odd STEP MESSAGE       accepted, but an error was logged
    //
    // OUTPUTS is DTYPE:SIZE,SIZE… for each output. TILING is KEY BLOCKDIM MODE WORKSPACES BYTES.
    std::string Answer(Call &call);

    // Machine work to measure: one step of the call so many times, after one that is not counted.
    void Repeat(Call &call, long times);

private:
    bool Infer(const Call &call);
    bool Tile(const Call &call);
    bool Prepare(const Call &call);
    bool CheckChip(const Call &call);
    bool Ran(const char *step, ge::graphStatus status);
    void ResetAnswer();
    std::string Outputs() const;
    std::string Tiling() const;

    const ops::OpDef *definition_;
    Functions functions_;
    CompileInfo compileInfo_;
    std::string preparedFor_;

    std::vector<gert::Shape> shapes_;
    std::vector<ge::DataType> dtypes_;
    std::vector<uint8_t> buffer_;
    TilingAnswer answer_;
    std::string failure_;
};

// What is being done, for the report of a crash.
const char *CurrentStep();

} // namespace standin
