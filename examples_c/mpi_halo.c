/* Exchange of ghost values. A neighbour is a process that this one sends to or gets from. */
#include "mpi_halo.h"

#include <stdlib.h>

#include "example.h"
#include "gpu.h"
#include "vectors.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { TAG_FORWARD = 1, TAG_BACK = 2 };

int mpi_is_cuda_aware(void) {
#if defined(OPEN_MPI) && defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support();
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000
    return MPIX_Query_cuda_support();
#else
    return 0; /* it has no way to ask */
#endif
}

static void *allocate(size_t count, size_t size) {
    void *array = calloc(count ? count : 1, size);
    if (!array) example_die(1, "out of memory: %zu bytes", count * size);
    return array;
}

/* Fills in who sends what: each process tells the owners of its ghosts which rows it wants. */
static void find_neighbours(halo *h, const partition *p, const region *r) {
    int size = p->processes, wanted = 0;
    int *ghosts = allocate((size_t)size, sizeof(int)), *first_ghost = allocate((size_t)size + 1, sizeof(int));
    int *sends = allocate((size_t)size, sizeof(int)), *first_send = allocate((size_t)size + 1, sizeof(int));
    for (int i = 0; i < r->ghosts; i++) ghosts[partition_owner(p, r->ghost[i])]++;
    MPI_Alltoall(ghosts, 1, MPI_INT, sends, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < size; k++) {
        first_ghost[k + 1] = first_ghost[k] + ghosts[k];
        first_send[k + 1] = wanted += sends[k];
        h->neighbours += ghosts[k] || sends[k];
    }
    long long *row = allocate((size_t)wanted, sizeof(long long));
    MPI_Alltoallv(r->ghost, ghosts, first_ghost, MPI_LONG_LONG, row, sends, first_send, MPI_LONG_LONG, MPI_COMM_WORLD);
    h->index = allocate((size_t)wanted, sizeof(int));
    for (int i = 0; i < wanted; i++) h->index[i] = (int)(row[i] - r->first);

    size_t count = (size_t)h->neighbours;
    h->rank = allocate(count, sizeof(int));
    h->sends = allocate(count, sizeof(int));
    h->ghosts = allocate(count, sizeof(int));
    h->first_send = allocate(count + 1, sizeof(int));
    h->first_ghost = allocate(count + 1, sizeof(int));
    for (int k = 0, at = 0; k < size; k++) {
        if (!ghosts[k] && !sends[k]) continue;
        h->rank[at] = k;
        h->sends[at] = sends[k];
        h->ghosts[at] = ghosts[k];
        h->first_send[at + 1] = first_send[k + 1];
        h->first_ghost[++at] = first_ghost[k + 1];
    }
    free(ghosts);
    free(first_ghost);
    free(sends);
    free(first_send);
    free(row);
}

/* Memory that MPI takes: the executor's, or page-locked memory of the host, which kernels read and write too. */
static double *for_mpi(int count, int direct) {
    size_t bytes = (size_t)(count ? count : 1) * sizeof(double);
    return direct || !example_on_gpu() ? example_alloc(bytes) : gpu_alloc_host(bytes);
}

static void free_for_mpi(double *array, int direct) {
    if (direct || !example_on_gpu()) example_free(array);
    else gpu_free_host(array);
}

halo halo_new(const partition *p, const region *r, int direct) {
    halo h = {.direct = direct || !example_on_gpu()};
    find_neighbours(&h, p, r);
    int wanted = h.first_send[h.neighbours];
    h.d_index = example_upload(h.index, (size_t)wanted * sizeof(int));
    h.send = for_mpi(wanted, h.direct);
    h.got = for_mpi(r->ghosts, h.direct);
    h.ghost = h.direct ? h.got : example_alloc((size_t)r->ghosts * sizeof(double));
    h.request = allocate(2 * (size_t)h.neighbours, sizeof(MPI_Request));
    return h;
}

void halo_free(halo *h) {
    if (h->ghost != h->got) example_free(h->ghost);
    free_for_mpi(h->send, h->direct);
    free_for_mpi(h->got, h->direct);
    example_free(h->d_index);
    free(h->rank);
    free(h->sends);
    free(h->first_send);
    free(h->ghosts);
    free(h->first_ghost);
    free(h->index);
    free(h->request);
}

/* One message from and one to each neighbour. */
static void start(halo *h, int tag, double *in, const int *ins, const int *first_in, const double *out, const int *outs,
                  const int *first_out) {
    for (int k = 0; k < h->neighbours; k++) {
        MPI_Irecv(in + first_in[k], ins[k], MPI_DOUBLE, h->rank[k], tag, MPI_COMM_WORLD, &h->request[2 * k]);
        MPI_Isend(out + first_out[k], outs[k], MPI_DOUBLE, h->rank[k], tag, MPI_COMM_WORLD, &h->request[2 * k + 1]);
    }
}

void halo_begin(halo *h, const double *x) {
    gather(h->first_send[h->neighbours], h->d_index, x, h->send);
    wait_for_work(); /* MPI reads the memory at once, not in the order of a stream */
    start(h, TAG_FORWARD, h->got, h->ghosts, h->first_ghost, h->send, h->sends, h->first_send);
}

void halo_end(halo *h) {
    MPI_Waitall(2 * h->neighbours, h->request, MPI_STATUSES_IGNORE);
    if (h->ghost != h->got) axpby(h->first_ghost[h->neighbours], 1.0, h->got, 0.0, h->ghost);
}

void halo_add(halo *h, double *x) {
    if (h->ghost != h->got) axpby(h->first_ghost[h->neighbours], 1.0, h->ghost, 0.0, h->got);
    wait_for_work();
    start(h, TAG_BACK, h->send, h->sends, h->first_send, h->got, h->ghosts, h->first_ghost);
    MPI_Waitall(2 * h->neighbours, h->request, MPI_STATUSES_IGNORE);
    for (int k = 0; k < h->neighbours; k++) /* a row may go to several neighbours, but only once to each */
        scatter_add(h->sends[k], h->d_index + h->first_send[k], h->send + h->first_send[k], x);
}
