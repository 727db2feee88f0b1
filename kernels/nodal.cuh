// The nodal engine, for NR right-hand sides in one pass over the matrix: B unknowns a node that depend on the
// same nodes. What ONE_WORD does for rows is done for nodes here, each unknown being handed over in one word
// that is value and flag together: a third of the levels where B is 3, and a ninth of the indices and polls.
//
// A slice is up to 32 nodes of one level, solved by one warp with a power of two of lanes a node, at least
// as many as a node has unknowns. A lane takes every `lanes`-th unknown that the node depends on, and
// multiplies it into the sums of all B rows. The sums meet by shuffles, and every lane solves the node's own
// triangle for itself. What does not depend on other nodes is in registers before the first poll.
//
// An unknown's turn is its place in its node in solving order. Nodes are in level order, and the B unknowns of
// one lie beside each other in the work vector, each with its NR right-hand sides. `node_row` says by position
// of each row where its entries of the node's own triangle lie, and its diagonal:
//
//   op(A)'s rows stored:      entry of own unknown c of row r at own(r) + c; those of the other nodes' entries
//                             are consecutive, before them in a forward solve and behind them in a backward one
//   op(A)'s columns stored:   entry of own unknown c of row r at own(c) + r; each entry of the lists has for
//                             each of its B unknowns where the values of the B rows begin, in `row_val`
#pragma once
#include "columns.cuh"
#include "row.cuh"

// Unknowns of other nodes that a lane holds at a time, with the values of B rows; mirrored in nodal.rs.
template <class T, int B>
constexpr int NODE_ENTRIES = (sizeof(T) > 8 ? 8 : 16) / B > 1 ? (sizeof(T) > 8 ? 8 : 16) / B : 1;

template <int B, int NR, class T>
struct NodeSolver {
    const SolveArgs<T> &a;
    const Columns<T, NR> &columns;
    T *work, *other;
    T alpha;
    uint32_t lane;
    static constexpr int U = NODE_ENTRIES<T, B>;

    // What a lane holds of a node.
    struct Node {
        uint4 record;   // node, and its first entry in the lists
        uint32_t end;   // past its last
        uint2 row;      // of the row whose turn is the lane's number: own entries, diagonal
    };

    __device__ __forceinline__ uint32_t shift_of(uint2 slice) const { return __ffs(slice.y >> 6) - 1; }
    // The unknown of a turn.
    __device__ __forceinline__ uint32_t unknown(uint32_t turn) const { return a.backward ? B - 1 - turn : turn; }

    __device__ __forceinline__ Node fetch(uint2 slice) const {
        Node node = {{0, NONE, 0, 0}, 0, {0, NONE}};
        uint32_t shift = shift_of(slice), r = lane >> shift, sub = lane & ((1u << shift) - 1), p = slice.x + r;
        if (r < (slice.y & 63u)) {
            node.record = a.record[p];
            node.end = a.record[p + 1].z;
            if (sub < B) node.row = a.node_row[(size_t)p * B + unknown(sub)];
        }
        return node;
    }

    // Subtracts from the sums what U unknowns of other nodes, from number `t` on and `lanes` apart, contribute.
    // `own` is node_row's first number by turn.
    __device__ __forceinline__ bool subtract(const Node &node, const uint32_t (&own)[B], uint32_t count, uint32_t t,
                                             uint32_t lanes, T (&sum)[B][NR]) const {
        T v[U][B];
        const T *from[U];
        Words<T> x[U][NR];
        // Loads go without a branch, so they all overlap.
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t number = t + u * lanes, k = number / B, c = number - k * B;
            bool in = number < count;
            // The first entry of all stands for one that there is not.
            uint32_t e = in ? node.record.z + k : 0;
            from[u] = work + ((size_t)a.row_adj[e] * B + c) * NR;
            uint32_t index = a.row_permuted ? a.row_val[(size_t)e * B + c] : 0;
#pragma unroll
            for (int s = 0; s < B; ++s) {
                uint32_t at = a.row_permuted ? index + unknown(s) : own[s] + (a.backward ? B : 0u - count) + number;
                load_if(in, a.val + at, v[u][s]);
            }
#pragma unroll
            for (int j = 0; j < NR; ++j) x[u][j] = in ? Words<T>::armed() : Words<T>::of_zero();
        }
        Watchdog<T> dog(a);
        // Ends when every one of the whole warp has been published, or by the watchdog.
        for (;;) {
            uint32_t highest = 0;
#pragma unroll
            for (int u = 0; u < U; ++u) poll(from[u], x[u]);
#pragma unroll
            for (int u = 0; u < U; ++u)
#pragma unroll
                for (int j = 0; j < NR; ++j) highest = max(highest, x[u][j].tell());
            if (!__any_sync(FULL, highest == ARMED)) break;
            if (!__all_sync(FULL, dog.turn())) return false;
        }
#pragma unroll
        for (int u = 0; u < U; ++u)
#pragma unroll
            for (int s = 0; s < B; ++s) {
                T value = -conjugate_if(a.conjugate, v[u][s]);
#pragma unroll
                for (int j = 0; j < NR; ++j) sum[s][j] = multiply_add(value, x[u][j].value(), sum[s][j]);
            }
        return true;
    }

    __device__ __forceinline__ void solve(uint2 slice, const Node &node) const {
        uint32_t shift = shift_of(slice), lanes = 1u << shift, sub = lane & (lanes - 1), first_lane = lane - sub;
        uint32_t r = lane >> shift, p = slice.x + r;
        bool in = r < (slice.y & 63u), leads = in && sub < B;
        uint32_t c = unknown(sub), row = node.record.x * B + c;

        // Each lane looks at the row of its own turn, and shows what it has found to the others.
        T scale = one(T{}), d = scale, f[NR];
        bool multiplies = true;
#pragma unroll
        for (int j = 0; j < NR; ++j) f[j] = zero(T{});
        if (leads) {
#pragma unroll
            for (int j = 0; j < NR; ++j) f[j] = product(alpha, columns.load(row, j));
            if (a.diag_index) {
                d = diagonal_at(a, p, node.row.y, row, &a.state->pivot_running);
                // What is multiplied below must be finite.
                multiplies = reciprocal(d, scale) && !is_zero(d);
            }
        }
        bool divides = __any_sync(FULL, !multiplies);
        if (divides) scale = d;
        uint32_t own[B];
        T scales[B], sum[B][NR], low[B][B];
#pragma unroll
        for (int s = 0; s < B; ++s) {
            own[s] = __shfl_sync(FULL, node.row.x, first_lane + s);
            scales[s] = shuffle(scale, first_lane + s);
#pragma unroll
            for (int j = 0; j < NR; ++j) sum[s][j] = sub == s ? f[j] : zero(T{});
        }
        // The node's own triangle, divided by the diagonal where that is as good.
#pragma unroll
        for (int s = 1; s < B; ++s)
#pragma unroll
            for (int t = 0; t < s; ++t)
                load_if(in, a.val + (a.row_permuted ? own[t] + unknown(s) : own[s] + unknown(t)), low[s][t]);
#pragma unroll
        for (int s = 1; s < B; ++s)
#pragma unroll
            for (int t = 0; t < s; ++t) {
                T v = -conjugate_if(a.conjugate, low[s][t]);
                low[s][t] = divides ? v : product(v, scales[s]);
            }

        T *word = work + ((size_t)p * B + c) * NR;
        // Computed here, and not after the wait.
        asm volatile("" : "+l"(word));
        bool ok = true;
        uint32_t count = (node.end - node.record.z) * B, longest = warp_max(count);
        for (uint32_t t = 0; ok && t < longest; t += U * lanes) ok = subtract(node, own, count, t + sub, lanes, sum);
#pragma unroll 1
        for (uint32_t by = lanes / 2; by > 0; by /= 2)
#pragma unroll
            for (int s = 0; s < B; ++s)
#pragma unroll
                for (int j = 0; j < NR; ++j) sum[s][j] = sum[s][j] + shuffle_xor(sum[s][j], by);
        // Each lane hands over the unknown of its turn.
        T x[B][NR], mine[NR];
        auto finish = [&](auto begin, auto end) {
#pragma unroll
            for (int s = 0; s < B; ++s)
#pragma unroll
                for (int j = 0; j < NR; ++j) {
                    x[s][j] = begin(sum[s][j], scales[s]);
#pragma unroll
                    for (int t = 0; t < s; ++t) x[s][j] = multiply_add(low[s][t], x[t][j], x[s][j]);
                    x[s][j] = end(x[s][j], scales[s]);
                    if (s == 0 || sub == s) mine[j] = x[s][j];
                }
        };
        if (divides) finish([](T v, T) { return v; }, [](T v, T by) { return divide(v, by); });
        else finish([](T v, T by) { return product(v, by); }, [](T v, T) { return v; });
        if (!leads) return;
        if (!ok)
#pragma unroll
            for (int j = 0; j < NR; ++j) mine[j] = not_a_number(T{});
        publish_reduced(word, mine);
#pragma unroll
        for (int j = 0; j < NR; ++j) columns.store(row, j, mine[j]);
        if (NR == 1) arm(other + ((size_t)p * B + c));
    }

    __device__ __forceinline__ void run() const {
        constexpr uint2 nothing = {0, 1u << 6};
        auto ticket = [&] { return lane == 0 ? atomicAdd(&a.state->ticket, 1u) : 0u; };
        auto slice_of = [&](uint32_t s) { return s < a.slices ? a.slice[s] : nothing; };
        uint32_t s = __shfl_sync(FULL, ticket(), 0);
        uint32_t s1 = __shfl_sync(FULL, ticket(), 0);
        uint2 slice = slice_of(s), slice1 = slice_of(s1);
        Node node = fetch(slice);
        while (s < a.slices) {
            uint32_t s2 = ticket();
            Node node1 = fetch(slice1);
            solve(slice, node);
            __syncwarp();
            s = s1;
            slice = slice1;
            node = node1;
            s1 = __shfl_sync(FULL, s2, 0);
            slice1 = slice_of(s1);
        }
    }
};

// Solves for the columns, handing unknowns over through `work`. A single column arms `other` on the way.
template <int B, int NR, class T>
__device__ __forceinline__ void nodal(const SolveArgs<T> &a, const Columns<T, NR> &columns, T *work, T *other) {
    NodeSolver<B, NR, T>{a, columns, work, other, alpha_of(a), threadIdx.x % WARP}.run();
}

// Calls INSTANTIATE(size, type) for every size of a node; mirrored in analysis/nodes.rs.
#define FOR_EACH_NODE(INSTANTIATE, t) \
    INSTANTIATE(2, t) INSTANTIATE(3, t) INSTANTIATE(4, t) INSTANTIATE(5, t) INSTANTIATE(6, t)
