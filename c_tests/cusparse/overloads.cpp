/*
 * What C++ programs do with csrsv2 beyond calling it: overload on csrsv2Info_t, which must be a pointer type of
 * its own, and take the functions' addresses, which macros would not have.
 */

#include <cusparse.h>

#include <cstdio>
#include <type_traits>

#ifdef cusparseDcsrsv2_solve
#error "cusparseDcsrsv2_solve is a macro"
#endif

static const char *kind(cusparseHandle_t) { return "handle"; }
static const char *kind(cusparseMatDescr_t) { return "descriptor"; }
static const char *kind(csrsv2Info_t) { return "csrsv2"; }
static const char *kind(csrsm2Info_t) { return "csrsm2"; }

static_assert(std::is_pointer<csrsv2Info_t>::value && !std::is_same<csrsv2Info_t, void *>::value,
              "csrsv2Info_t is its own pointer type");

template <class Info> struct Lifetime {
    cusparseStatus_t (*create)(Info *);
    cusparseStatus_t (*destroy)(Info);
};

/* As AMGCL keeps its solve of each value type. */
using Solve = cusparseStatus_t (*)(cusparseHandle_t, cusparseOperation_t, int, int, const double *,
                                   const cusparseMatDescr_t, const double *, const int *, const int *, csrsv2Info_t,
                                   const double *, double *, cusparseSolvePolicy_t, void *);

int main()
{
    Lifetime<csrsv2Info_t> one = {cusparseCreateCsrsv2Info, cusparseDestroyCsrsv2Info};
    Lifetime<csrsm2Info_t> many = {cusparseCreateCsrsm2Info, cusparseDestroyCsrsm2Info};
    Solve solve = cusparseDcsrsv2_solve;
    csrsv2Info_t info = nullptr;
    csrsm2Info_t multi = nullptr;
    bool ok = one.create(&info) == CUSPARSE_STATUS_SUCCESS && many.create(&multi) == CUSPARSE_STATUS_SUCCESS &&
              kind(info)[5] == '2' && kind(info)[4] == 'v' && kind(multi)[4] == 'm' &&
              kind(cusparseHandle_t())[0] == 'h' && kind(cusparseMatDescr_t())[0] == 'd' &&
              solve(nullptr, CUSPARSE_OPERATION_NON_TRANSPOSE, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr, info,
                    nullptr, nullptr, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr) == CUSPARSE_STATUS_NOT_INITIALIZED &&
              one.destroy(info) == CUSPARSE_STATUS_SUCCESS && many.destroy(multi) == CUSPARSE_STATUS_SUCCESS;
    std::printf("%s overloads_and_addresses\noverloads: %d passed, %d failed, 0 skipped\n", ok ? "ok     " : "FAILED ", ok,
                !ok);
    return !ok;
}
