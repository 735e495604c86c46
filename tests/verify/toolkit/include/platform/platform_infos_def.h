// As a toolkit has it: facts as text, by label and key; libplatform.so keeps them.
#pragma once

#include <map>
#include <string>

namespace fe {

class PlatFormInfos {
public:
    bool Init();
    bool GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &val);
    void SetPlatformRes(const std::string &label, std::map<std::string, std::string> &res);

private:
    std::map<std::string, std::map<std::string, std::string>> facts_;
};

} // namespace fe
