/// The function that the page's worker calls, with request and answer as text.

#include <string>

#include "web/model/page_model.h"

extern "C" {

/// The answer is valid until the next call.
__attribute__((used, visibility("default"))) const char* argand_model(const char* request) {
  static std::string answer;
  answer = argand::page_model(request);
  return answer.c_str();
}
}
