/*
 * What the stand-in for libcusparse.so.12 has beyond cuSPARSE: a version that can be chosen, and counts of the
 * calls of SpSV and SpSM, csrilu02 and csric02, by which a test sees what a drop-in passed on. Real libraries have none of these
 * symbols: find them with dlsym.
 */

#ifndef STANDIN_H
#define STANDIN_H

#include <cusparse.h>

/* There only to be found. */
extern const int cusparse_is_a_stand_in;

enum {
    SPSV_CREATE,
    SPSV_DESTROY,
    SPSV_SIZE,
    SPSV_ANALYSIS,
    SPSV_SOLVE,
    SPSV_UPDATE,
    SPSM_CREATE,
    SPSM_DESTROY,
    SPSM_SIZE,
    SPSM_ANALYSIS,
    SPSM_SOLVE,
    SPSM_UPDATE,
    /* csrilu02 and csric02 together */
    FACTOR_CREATE,
    FACTOR_DESTROY,
    FACTOR_SIZE,
    FACTOR_ANALYSIS,
    FACTORISE,
    FACTOR_PIVOT,
    FACTOR_BOOST,
    STANDIN_CALLS
};
extern int cusparse_standin_calls[STANDIN_CALLS];

/* The version that the stand-in says it is and behaves as: 12904, or what CUSPARSE_STANDIN_VERSION says. Before
 * 12.9 there are no CUSPARSE_SPSV_ALG1 and ALG2, and no CSC in SpSV and SpSM. */
int cusparse_standin_version(void);
void cusparse_standin_set_version(int version);

#endif
