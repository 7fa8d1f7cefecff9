/// The function that the page's worker calls: the lab, with request and answer as text.

#include <string>

#include "lab/lab_page.h"

extern "C" {

/// The answer is valid until the next call.
__attribute__((used, visibility("default"))) const char* argand_lab(const char* request) {
  static std::string answer;
  answer = argand::lab_page(request);
  return answer.c_str();
}
}
