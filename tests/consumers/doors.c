/* A program that is linked to both libraries with cuSPARSE's names has their functions. */
#include <stdio.h>

extern int cusparseCreateCsrsv2Info(void *), cusparseDestroyCsrsv2Info(void *);
extern int cusparseSpSV_solve(void), cusparseSpSM_solve(void);

int main(void) {
  int (*const functions[])(void) = {cusparseSpSV_solve, cusparseSpSM_solve};
  void *info = 0;
  int bad = !functions[0] || functions[0] == functions[1];
  bad |= cusparseCreateCsrsv2Info(&info) != 0 || !info || cusparseDestroyCsrsv2Info(info) != 0;
  puts(bad ? "wrong" : "solved");
  return bad;
}
