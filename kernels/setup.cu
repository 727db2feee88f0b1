// Setup on the GPU: from the caller's arrays to those that solves read. The host's part is in
// src/executor/cuda/setup/.
#include "setup_chains.cuh"
#include "setup_families.cuh"
#include "setup_grid.cuh"
#include "setup_levels.cuh"
#include "setup_lists.cuh"
#include "setup_message.cuh"
#include "setup_nodes.cuh"
#include "setup_slices.cuh"
#include "setup_sort.cuh"
#include "setup_strips.cuh"
#include "setup_survey.cuh"
#include "setup_transpose.cuh"
