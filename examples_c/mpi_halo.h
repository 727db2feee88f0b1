/* The exchange of ghost values between the processes of an MPI program, directly out of GPU memory where MPI can do that. */
#ifndef MPI_HALO_H
#define MPI_HALO_H

#include <mpi.h>

#include "partition.h"

/* Values that this process sends to others, and values that it gets from them: for its ghosts. */
typedef struct {
    int neighbours, *rank;
    int *sends, *first_send; /* for each neighbour: how many values, and where they begin; neighbours + 1 beginnings */
    int *ghosts, *first_ghost;
    int *index, *d_index;    /* the owned rows to send, counted from this process's first; also on the executor */
    double *ghost;           /* on the executor */
    int direct;              /* whether MPI is given memory of the executor */
    double *send, *got;      /* what MPI is given: such memory, got is ghost then; or page-locked memory of the host */
    MPI_Request *request;
} halo;

/* Whether MPI takes addresses in GPU memory. */
int mpi_is_cuda_aware(void);

/* The exchange for the ghosts of a region; every process calls this. direct: MPI is given addresses in GPU memory. */
halo halo_new(const partition *p, const region *r, int direct);
void halo_free(halo *h);

/* Sends the values of owned rows, x, and waits for those of the ghosts, h->ghost; work in between overlaps with it. */
void halo_begin(halo *h, const double *x);
void halo_end(halo *h);

/* The other way: h->ghost goes to the owners of the ghosts, who add it to their rows of x. */
void halo_add(halo *h, double *x);

#endif
