/* A library that is linked to a cuSPARSE: its functions, as the loader has found them for this library. */

#include "generic.h"

const Cusparse plugin_cusparse = LINKED_CUSPARSE;
const Solver plugin_solver = LINKED_SOLVER;
