#pragma once
/// Rejects files written by PyTorch's torch.save().

#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"

namespace argand {

/// Throws Error("op: ..."), which gives the reason and explains how to convert the file.
[[noreturn]] inline void refuse_torch_file(std::string_view op, const std::string& path) {
  fail(op,
       "{} is a PyTorch pickle, which can run arbitrary code, so argand does not read it; convert it with Python: "
       "safetensors.torch.save_file(torch.load(\"{}\", weights_only=True), \"{}\")",
       path, path, std::filesystem::path(path).replace_extension(".safetensors").string());
}

}  // namespace argand
