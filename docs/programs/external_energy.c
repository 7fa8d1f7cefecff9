/* A function and its gradient for `argand gradcheck --external`, in plain C: the Rosenbrock function
   L = (1 - x)^2 + 100 (y - x^2)^2 of an input of two real numbers.

     cc -O1 external_energy.c -o external_energy
     argand gradcheck --external ./external_energy        (with any argument, a factor of the gradient is wrong) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  char line[4096];
  (void)argv;
  while (fgets(line, sizeof line, stdin)) {
    if (strstr(line, "\"function\"")) {
      puts("{\"name\": \"rosenbrock\", \"inputs\": [{\"name\": \"x\", \"values\": [-1.2, 1]}]}");
    } else { /* {"ask": ..., "inputs": [[x, y]], ...} */
      char *next = strstr(line, "[[");
      if (next == NULL) return 1;
      const double x = strtod(next + 2, &next), y = strtod(next + 1, &next), valley = y - x * x;
      if (strstr(line, "\"value\""))
        printf("{\"value\": %.17g}\n", (1 - x) * (1 - x) + 100 * valley * valley);
      else
        printf("{\"gradient\": [[%.17g, %.17g]]}\n", -2 * (1 - x) - (argc > 1 ? 200 : 400) * x * valley, 200 * valley);
    }
    fflush(stdout);
  }
  return 0;
}
