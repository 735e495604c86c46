#include "finding.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace emulator {
namespace {

constexpr size_t MOST = 200; // places that are told apart; the program is wrong enough by then

const char *Name(Severity severity)
{
    return severity == Severity::WARNING ? "warning" : "error";
}

bool SamePlace(const Finding &one, const Finding &other)
{
    return std::strcmp(one.code, other.code) == 0 && one.site == other.site && one.other == other.other &&
        one.instruction == other.instruction;
}

std::string Place(const Site &site)
{
    return Text("{\"file\":%s,\"line\":%d}", Quoted(site.file).c_str(), site.line);
}

std::string Json(const Finding &finding)
{
    std::string text = Text("{\"code\":\"%s\",\"severity\":\"%s\"", finding.code, Name(finding.severity));
    text += ",\"message\":" + Quoted(finding.message) + ",\"help\":" + Quoted(finding.help);
    text += ",\"at\":" + Place(finding.site) + ",\"other\":" + Place(finding.other);
    text += ",\"core\":" + Quoted(finding.core) + ",\"pipe\":" + Quoted(finding.pipe);
    text += ",\"instruction\":" + Quoted(finding.instruction) + ",\"buffer\":" + Quoted(finding.buffer);
    return text + Text(",\"offset\":%lld,\"times\":%llu}", static_cast<long long>(finding.offset), static_cast<unsigned long long>(finding.times));
}

} // namespace

void Findings::Add(Finding finding)
{
    const auto known = std::find_if(all_.begin(), all_.end(),
        [&finding](const Finding &other) { return SamePlace(finding, other); });
    if (known != all_.end()) {
        const uint64_t times = known->times + 1;
        if (finding.severity > known->severity) {
            *known = std::move(finding);
        }
        known->times = times;
    } else if (all_.size() < MOST || finding.severity == Severity::FATAL) {
        all_.push_back(std::move(finding));
    }
}

bool Findings::Has(Severity severity) const
{
    return std::any_of(all_.begin(), all_.end(),
        [severity](const Finding &finding) { return finding.severity == severity; });
}

std::string Findings::Json() const
{
    std::string text = "[";
    for (const Finding &finding : all_) {
        text += (text.size() > 1 ? "," : "") + emulator::Json(finding);
    }
    return text + "]";
}

std::string Text(const char *format, ...)
{
    std::va_list arguments;
    va_start(arguments, format);
    std::va_list again;
    va_copy(again, arguments);
    const int size = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    std::string text(static_cast<size_t>(size), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    return text;
}

std::string Quoted(const std::string &text)
{
    std::string quoted = "\"";
    for (const char next : text) {
        if (next == '"' || next == '\\') {
            quoted += '\\';
            quoted += next;
        } else if (static_cast<unsigned char>(next) < 0x20) {
            quoted += Text("\\u%04x", next);
        } else {
            quoted += next;
        }
    }
    return quoted + '"';
}

} // namespace emulator
