/*
 * Memory of whichever executor the tests run on: the first GPU's through the CUDA driver, which is looked up
 * at run time, or plain host memory where there is no GPU or SPTRSV_CUSPARSE_EXECUTOR is "host".
 */

#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Picks the executor and makes the GPU's primary context current: 1 on the GPU, 0 on the host. On the host it
 * also sets SPTRSV_CUSPARSE_EXECUTOR=host, before any library reads it. */
int memory_open(void);

/* Makes the context current in another thread too. */
void memory_enter_thread(void);

/* "NVIDIA H200", or "host". */
const char *memory_device_name(void);

void *memory_alloc(size_t bytes);
void memory_free(void *p);
void memory_put(void *to, const void *from, size_t bytes);
void memory_get(void *to, const void *from, size_t bytes);
void memory_fill(void *p, unsigned char byte, size_t bytes);
void memory_synchronize(void);

/* Streams and graphs; only on the GPU. */
void *stream_create(void);
void stream_destroy(void *stream);
void stream_synchronize(void *stream);
void stream_begin_capture(void *stream);
/* Ends the capture; NULL when it was invalidated. */
void *stream_end_capture(void *stream);
void graph_launch(void *graph, void *stream);
void graph_destroy(void *graph);

#ifdef __cplusplus
}
#endif

#endif
