#pragma once
/// ARGAND_SANITIZED is defined if the address or thread sanitizer is on, or, by packaging/arm64.ini, under QEMU. Tests then take
/// twenty times as long, so the longest ones use fewer samples; the release build runs them in full.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC
#define ARGAND_SANITIZED
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ARGAND_SANITIZED
#endif
#endif

#ifdef ARGAND_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
