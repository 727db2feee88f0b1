#include "../solve.h"

int main() { return solve(); }
