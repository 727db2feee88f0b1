/* Measures what an exchange of ghost values and triangular solves on another stream cost each other. */
#ifndef MPI_OVERLAP_H
#define MPI_OVERLAP_H

#include "mpi_halo.h"
#include "sptrsv.h"

/*
 * Prints the time of an exchange alone, beside solves on the whole GPU, and beside solves that leave `leave` multiprocessors to
 * others; and the solves' own time in the last two cases. `solve` enqueues solves by the handle; x are the values to exchange.
 * Every process calls this. On the host executor it says that there is nothing to measure.
 */
void measure_overlap(sptrsvHandle_t handle, void (*solve)(void *context), void *context, halo *h, const double *x, int leave);

#endif
