// ILU(0) and IC(0) of patterns of nodes: factor.cuh's factorisations, for B unknowns at a time that have the same columns.
//
// A warp takes a node, and each lane one of the node's B x B blocks, in registers. So the values of a finished node are read once for
// B rows, and where they lie is looked up once for B x B x B products. In the step of a finished node K, lane K divides its block of
// the node I by the pivots of K and passes l on. Of ILU(0) every other lane J subtracts l times the block (K, J); of IC(0) l times the
// transpose of the block (J, K). Each value is updated in the order of k, as in factor.cuh, and so has the same bits.
#pragma once
#include "factor/factor.cuh"

static_assert(FACTOR_MOST_BLOCKS == WARP, "a lane for each block of a node");
constexpr int LOOKUPS = 4;              // finished nodes whose columns are looked up together

// What the lanes of a node share.
struct SharedNode {
    static constexpr uint32_t TABLE = 128;
    uint32_t column[FACTOR_MOST_BLOCKS];                     // by lane: the block's node
    // By lane, of the finished node: its first diagonal entry, or of IC(0) its first one, and from row to row.
    uint32_t from[FACTOR_MOST_BLOCKS], stride[FACTOR_MOST_BLOCKS];
    // By step and lane: how many blocks from there, in the step's node or of IC(0) in the lane's, the block is that updates it; or NO_BLOCK.
    uint8_t offset[FACTOR_MOST_BLOCKS][FACTOR_MOST_BLOCKS];
    uint16_t table[TABLE];                            // lane by its node, or EMPTY
};
constexpr uint8_t NO_BLOCK = 0xff;

template <class T, int B, bool CHOLESKY>
struct FactorNode {
    const FactorArgs<T> &a;
    SharedNode &s;
    uint32_t lane = threadIdx.x % WARP;
    // The node, its first entry, from row to row, and blocks: all that are factorised, and those before the diagonal one.
    uint32_t node, begin, stride, blocks, lower;
    T v[B][B];

    __device__ __forceinline__ FactorNode(const FactorArgs<T> &args, SharedNode &shared) : a(args), s(shared) {}

    // The lane of that node, or NONE. Ends at an empty place: at most a quarter of them are taken.
    __device__ __forceinline__ uint32_t find(uint32_t column) const {
        for (uint32_t at = slot_of<SharedNode::TABLE>(column);; at = (at + 1) & (SharedNode::TABLE - 1)) {
            uint32_t lane_of = s.table[at];
            if (lane_of == EMPTY || s.column[lane_of] == column) return lane_of == EMPTY ? NONE : lane_of;
        }
    }

    // Whether a value of the lane's block is one. Of IC(0) those above the diagonal are not.
    __device__ __forceinline__ bool is_factorised(int r, int c) const { return !CHOLESKY || lane < lower || c <= r; }

    __device__ __forceinline__ void load(uint32_t which) {
        node = which;
        begin = a.pattern.begin((size_t)node * B);
        stride = a.pattern.begin((size_t)node * B + 1) - begin;
        lower = (a.diag[node * B] - begin) / B;
        blocks = CHOLESKY ? lower + 1 : stride / B;
        for (uint32_t t = lane; t < SharedNode::TABLE; t += WARP) s.table[t] = EMPTY;
        __syncwarp();
        bool has = lane < blocks;
        uint32_t column = has ? a.pattern.column((size_t)begin + lane * B) / B : 0;
        s.column[lane] = column;
        if (has)
            for (uint32_t at = slot_of<SharedNode::TABLE>(column); atomicCAS(&s.table[at], EMPTY, (unsigned short)lane) != EMPTY;)
                at = (at + 1) & (SharedNode::TABLE - 1);
#pragma unroll
        for (int r = 0; r < B; ++r)
#pragma unroll
            for (int c = 0; c < B; ++c) v[r][c] = has && is_factorised(r, c) ? a.val[begin + r * stride + lane * B + c] : zero(T{});
        __syncwarp();
    }

    // Where the blocks of finished nodes lie that update those of this one.
    __device__ __forceinline__ void look_up() {
        for (uint32_t t = 0; t < lower; ++t) s.offset[t][lane] = NO_BLOCK;
        __syncwarp();
        for (uint32_t first = 0; first < lower; first += LOOKUPS) {
            uint32_t from[LOOKUPS], length[LOOKUPS], column[LOOKUPS];
#pragma unroll
            for (int i = 0; i < LOOKUPS; ++i) {
                uint32_t t = first + i, row = t < lower ? s.column[t] * B : node * B;
                uint32_t begins = a.pattern.begin(row), end = a.pattern.begin((size_t)row + 1), diagonal = a.diag[row];
                from[i] = CHOLESKY ? begins : diagonal;
                length[i] = t >= lower ? 0 : CHOLESKY ? (diagonal - begins) / B + 1 : (end - diagonal) / B;
                if (t < lower && lane == 0) s.from[t] = from[i], s.stride[t] = end - begins;
            }
#pragma unroll
            for (int i = 0; i < LOOKUPS; ++i)
                column[i] = lane < length[i] ? a.pattern.column((size_t)from[i] + lane * B) / B : NONE;
#pragma unroll
            for (int i = 0; i < LOOKUPS; ++i) {
                if (column[i] == NONE) continue;
                uint32_t found = lane == (CHOLESKY ? length[i] - 1 : 0) ? first + i : find(column[i]);
                if (found == NONE) continue;
                if (CHOLESKY) s.offset[found][first + i] = (uint8_t)lane;
                else s.offset[first + i][found] = (uint8_t)lane;
            }
        }
        __syncwarp();
    }

    // Eliminates the blocks of step `t`. Of the finished node's own block it needs one triangle with the diagonal. False if the watchdog
    // ended the wait.
    __device__ __forceinline__ bool eliminate(uint32_t t) {
        uint32_t offset = s.offset[t][lane], of = CHOLESKY ? lane : t;
        bool is_own = lane == t, updates = offset != NO_BLOCK, is_diagonal = CHOLESKY && lane == lower;
        const T *block = a.solve.work + (updates ? s.from[of] + offset * B : 0);
        uint32_t from_row_to_row = updates ? s.stride[of] : 0;
        Words<T> u[B][B];
#pragma unroll
        for (int r = 0; r < B; ++r)
#pragma unroll
            for (int c = 0; c < B; ++c)
                u[r][c] = updates && (!is_own || (CHOLESKY ? c <= r : c >= r)) ? Words<T>::sentinel() : Words<T>::of_zero();
        bool is_there = spin(a.solve, [&] {
            uint32_t highest = 0;
#pragma unroll
            for (int r = 0; r < B; ++r)
#pragma unroll
                for (int c = 0; c < B; ++c) poll(block + r * from_row_to_row + c, u[r][c]);
#pragma unroll
            for (int r = 0; r < B; ++r)
#pragma unroll
                for (int c = 0; c < B; ++c) highest = max(highest, u[r][c].flag());
            if (highest == SENTINEL) rest(SHORT_REST);
            return highest == SENTINEL;
        });
        if (!is_there) return false;
#pragma unroll
        for (int k = 0; k < B; ++k) {
            T inverse, divisor = is_own ? u[k][k].value() : one(T{}), l[B];
            bool multiplies = reciprocal(divisor, inverse);
#pragma unroll
            for (int r = 0; r < B; ++r) {
                if (is_own) v[r][k] = multiplies ? product(v[r][k], inverse) : divide(v[r][k], divisor);
                l[r] = shuffle(v[r][k], (int)t);
            }
#pragma unroll
            for (int r = 0; r < B; ++r)
#pragma unroll
                for (int c = 0; c < B; ++c) {
                    T by = CHOLESKY ? (is_diagonal ? l[c] : u[c][k].value()) : u[k][c].value();
                    bool is_updated = (updates && (!is_own || c > k)) || (is_diagonal && c <= r);
                    if (is_updated) v[r][c] = multiply_add(-l[r], by, v[r][c]);
                }
        }
        return true;
    }

    // The rows of the node among each other, row by row.
    __device__ __forceinline__ void eliminate_own() {
        bool is_own = lane == lower;
#pragma unroll
        for (int k = 0; k < B; ++k) {
            if (is_own) v[k][k] = pivot<CHOLESKY>(a, node * B + k, v[k][k]);
            T inverse, divisor = is_own ? v[k][k] : one(T{});
            bool multiplies = reciprocal(divisor, inverse);
#pragma unroll
            for (int r = k + 1; r < B; ++r) {
                if (is_own) v[r][k] = multiplies ? product(v[r][k], inverse) : divide(v[r][k], divisor);
                T l = shuffle(v[r][k], (int)lower);
#pragma unroll
                for (int c = 0; c < B; ++c) {
                    bool is_updated = CHOLESKY ? is_own && c > k && c <= r : lane > lower || (is_own && c > k);
                    if (is_updated) v[r][c] = multiply_add(-l, CHOLESKY ? v[c][k] : v[k][c], v[r][c]);
                }
            }
        }
    }

    __device__ __forceinline__ void finish() const {
        // Of ILU(0) nobody waits for what is below the diagonal.
#pragma unroll
        for (int r = 0; r < B; ++r)
#pragma unroll
            for (int c = 0; c < B; ++c) {
                size_t e = begin + r * stride + lane * B + c;
                bool is_wanted = CHOLESKY ? is_factorised(r, c) : lane > lower || (lane == lower && c >= r);
                if (lane < blocks && is_wanted) publish(a.solve.work + e, v[r][c]);
            }
#pragma unroll
        for (int r = 0; r < B; ++r)
#pragma unroll
            for (int c = 0; c < B; ++c)
                if (lane < blocks && is_factorised(r, c)) a.val[begin + r * stride + lane * B + c] = v[r][c];
    }

    // False if the watchdog ended a wait.
    __device__ __forceinline__ bool factorise(uint32_t which) {
        load(which);
        look_up();
        for (uint32_t t = 0; t < lower; ++t)
            if (!eliminate(t)) return false;
        eliminate_own();
        finish();
        __syncwarp();
        return true;
    }
};

// Tickets follow the order of levels, as in factor.cuh. `order` holds nodes.
template <class T, int B, bool CHOLESKY>
__device__ __forceinline__ void factor_nodes(const FactorArgs<T> &a) {
    __shared__ SharedNode nodes[FACTOR_WARPS];
    FactorNode<T, B, CHOLESKY> mine(a, nodes[threadIdx.x / WARP]);
    for (;;) {
        uint32_t ticket = 0;
        if (threadIdx.x % WARP == 0) ticket = atomicAdd(&a.solve.state->ticket, 1u);
        ticket = __shfl_sync(FULL, ticket, 0);
        if (ticket >= a.items) return;
        if (!mine.factorise(a.solve.order[ticket])) return;
    }
}
