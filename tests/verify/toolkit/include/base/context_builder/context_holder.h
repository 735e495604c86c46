// As a toolkit has it: a context and what it refers to.
#pragma once

#include <memory>
#include <utility>

namespace gert {

template <typename Context>
class ContextHolder {
public:
    ContextHolder(std::shared_ptr<void> parts, std::unique_ptr<Context> context)
        : parts_(std::move(parts)), context_(std::move(context))
    {
    }

    Context *GetContext()
    {
        return context_.get();
    }

private:
    std::shared_ptr<void> parts_;
    std::unique_ptr<Context> context_;
};

} // namespace gert
