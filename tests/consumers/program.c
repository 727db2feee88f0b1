#include "solve.h"

int main(void) { return solve(); }
