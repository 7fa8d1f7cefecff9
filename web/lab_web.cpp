/// What the worker of the page calls: the lab, its request and its answer as text.

#include <string>

#include "lab/lab_page.h"

extern "C" {

/// The answer stands until the next call.
__attribute__((used, visibility("default"))) const char* argand_lab(const char* request) {
  static std::string answer;
  answer = argand::lab_page(request);
  return answer.c_str();
}
}
