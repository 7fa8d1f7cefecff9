#pragma once
/// ARGAND_SANITIZED: whether the address sanitizer watches. Tests then run twenty times as slow; the longest take fewer samples,
/// and the release build goes all the way.

#if defined(__SANITIZE_ADDRESS__)  // GCC
#define ARGAND_SANITIZED
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer)
#define ARGAND_SANITIZED
#endif
#endif
