// The nodal engine, for NR right-hand sides in one pass over the matrix: B unknowns a node that depend on the same
// nodes. What ONE_WORD does for rows is done for nodes here, each unknown being published in one word that is value and
// flag together: a third of the levels where B is 3, and a ninth of the indices and polls.
//
// A work item is up to 32 nodes of one level, solved by one warp with a power of two of lanes a node, at least
// as many as a node has unknowns. A lane takes every `lanes`-th unknown that the node depends on, and
// multiplies it into the sums of all B rows. The sums meet by shuffles, and every lane solves the node's own
// triangle for itself. What does not depend on other nodes is copied to shared memory while the warp waits with the
// work item before, rows as they lie in memory and line by line of the cache, and in registers before the first poll.
//
// The place of an unknown is where it stands in its node in solving order. Nodes are in level order, and the B unknowns
// of one lie beside each other in the work vector, each with its NR right-hand sides. `node_row` says by position of
// each row where its entries of the node's own triangle lie, and its diagonal:
//
//   op(A)'s rows stored:      entry of own unknown c of row r at own(r) + c; those of the other nodes' entries
//                             are consecutive, before them in a forward solve and behind them in a backward one;
//                             `diag_in_rows` says that the diagonal of each row r is at own(r) + r. Where besides
//                             each row of a node begins where the one before ends, nodes are copied whole
//   op(A)'s columns stored:   entry of own unknown c of row r at own(c) + r; each entry of the lists has for
//                             each of its B unknowns where the values of the B rows begin, in `row_val`
#pragma once
#include "device/columns.cuh"
#include "device/row.cuh"
#include "device/run_ahead.cuh"
#include "shared/by_rows.h"
#include "shared/nodal.h"
#include "shared/nodes.h"

constexpr int NODAL_BLOCK = ROWS_BLOCK;  // threads
// So many blocks get in each other's way when they poll what is not there.
constexpr uint32_t NODAL_RUN_AHEAD_BLOCKS = 256;
// Blocks on a multiprocessor that leave a thread enough registers.
template <class T, int B>
constexpr int NODAL_BLOCKS = (sizeof(T) > 8 ? 3 : 4) - (sizeof(T) > 4 && B > 3);

// Unknowns of other nodes that a lane holds at a time, with the values of B rows.
template <class T, int B>
constexpr int NODE_ENTRIES = NODAL_VALUES_PER_LANE / (sizeof(T) > 8 ? 2 : 1) / B > 1 ? NODAL_VALUES_PER_LANE / (sizeof(T) > 8 ? 2 : 1) / B : 1;

constexpr uint32_t ceil_div(uint32_t n, uint32_t by) { return (n + by - 1) / by; }
// How often `at_once` bytes are copied for so many bytes of values, each of `value` bytes, which begin somewhere in the first of them.
constexpr uint32_t times_for(uint32_t bytes, uint32_t value, uint32_t at_once) {
    return ceil_div(bytes + at_once - value, at_once);
}

// What a warp copies of its next work item. The values of a row are copied in pieces of 16 bytes, one for each lane of its node
// at a time, and begin somewhere in the first of them.
template <int B, class T>
struct NodeCopies {
    static constexpr uint32_t PIECE = 16, LINE = 128;
    static constexpr uint32_t LEAST = B > 4 ? 8 : B > 2 ? 4 : 2;  // lanes of a node
    static constexpr uint32_t HELD = NODE_ENTRIES<T, B> * LEAST + B;  // values of a row that are wanted
    static constexpr uint32_t PIECES = times_for(HELD * sizeof(T), sizeof(T), PIECE * LEAST);  // of a lane
    static constexpr uint32_t NODES = ceil_div(NODE_ENTRIES<T, B>, B);  // other nodes for each lane of a node
    // Pieces of a lane where all rows of a node are copied as one.
    static constexpr uint32_t OF_ALL = times_for(B * HELD * sizeof(T), sizeof(T), PIECE * LEAST);
    // Bytes of a row, and of a node, for each lane: for all lanes of a node whole lines, or what they can copy of one.
    static constexpr uint32_t ROW = PIECES * PIECE, ALL = OF_ALL * PIECE;
    static_assert(ALL <= B * ROW, "a whole node takes no more room than its rows");

    // By place, or by node. What is copied lies in a line here as it does in memory: otherwise each line takes two accesses.
    alignas(LINE) char rows[B * ROW * WARP];
    T f[WARP], d[WARP];  // f: of a single column
    uint32_t adj[NODES * WARP];
    uint32_t diag[WARP];  // where the diagonal of the work item after that is
};

// WHOLE: nodes are copied whole.
template <int B, int NR, bool WHOLE, class T>
struct NodeSolver {
    const SolveArgs<T> &a;
    const Columns<T, NR> &all;  // the columns of the solve
    NodeCopies<B, T> &copies;
    uint32_t words;  // before those of the work vector
    // Of several columns: those of the work item's group, and the group's work vector.
    Columns<T, NR> columns;
    T *work;
    T alpha;
    uint32_t lane;
    static constexpr int U = NODE_ENTRIES<T, B>, PIECE = NodeCopies<B, T>::PIECE;
    // As many lanes have code of their own: most nodes of three unknowns in three dimensions have them, and of five on surfaces. 0: none
    // have, as there are no registers for that.
    static constexpr int USUAL = WHOLE && B > 2 ? 8 : 0;
    // Whether sums are worked out at every poll of a wait: where there are registers for that.
    static constexpr bool EARLY = NR == 1 && B > 2 && sizeof(T) == sizeof(typename Real<T>::type);

    // The word of an unknown's place in the work vector. 32 bits hold the number of any: src/analysis/nodes.rs sees to that.
    __device__ __forceinline__ T *word_at(uint32_t place) const { return (NR == 1 ? a.work : work) + (words + place * NR); }

    // What a lane holds of a node.
    struct Node {
        uint4 record;   // node, nothing, its first entry in the lists, own entries of its first row
        uint32_t end;   // past its last
        uint32_t own;   // own entries of the row whose place is the lane's number
    };

    __device__ __forceinline__ uint32_t shift_of(uint2 work_item) const { return __ffs(work_item.y >> ITEM_LANES_SHIFT) - 1; }
    // The unknown at a place.
    __device__ __forceinline__ uint32_t unknown(uint32_t place) const { return a.backward ? B - 1 - place : place; }

    __device__ __forceinline__ Node fetch(uint2 work_item) const {
        Node node = {{0, NONE, 0, 0}, 0, 0};
        uint32_t shift = shift_of(work_item), r = lane >> shift, sub = lane & ((1u << shift) - 1), p = work_item.x + r;
        if (r < (work_item.y & ITEM_ROWS_MASK)) {
            const uint4 *record = a.record + p;
            node.record = record[0];
            node.end = record[1].z;
            if (!WHOLE && sub < B) node.own = a.node_row[p * B + unknown(sub)].x;
        }
        return node;
    }
    // Copies where the diagonals of a work item are, if they are not known to be in the rows.
    __device__ __forceinline__ void copy_indices_of_diagonals(uint2 work_item) const {
        if (WHOLE || !a.diag_index || a.diag_in_rows) return;
        uint32_t shift = shift_of(work_item), r = lane >> shift, sub = lane & ((1u << shift) - 1);
        bool leads = r < (work_item.y & ITEM_ROWS_MASK) && sub < B;
        copy_ahead(leads, &copies.diag[lane], &a.node_row[leads ? (work_item.x + r) * B + unknown(sub) : 0].y);
    }

    // What U unknowns of other nodes contribute: values, and where the unknowns are.
    struct Part {
        T v[U][B];
        uint32_t place[U];  // in the work vector
    };
    // Where a lane of a node is.
    struct Place {
        uint32_t lanes, sub, p, c, row, count;
        bool in, leads;
        uint32_t own[B], its_own;  // row by row: node_row's first number by place, and at the lane's place
        uint32_t first;   // whole: the node's first value
        uint32_t held;    // values of other nodes in a row, as far as the lanes have room for them at a time
    };
    // `known` are the lanes of a node if the compiler knows them, or zero.
    template <class Lanes>
    __device__ __forceinline__ Place place_of(uint2 work_item, const Node &node, Lanes known) const {
        Place at = {};
        at.lanes = known.value > 0 ? known.value : 1u << shift_of(work_item);
        uint32_t r = lane / at.lanes;
        at.sub = lane & (at.lanes - 1), at.p = work_item.x + r;
        at.in = r < (work_item.y & ITEM_ROWS_MASK), at.leads = at.in && at.sub < B;
        at.c = unknown(at.sub), at.row = node.record.x * B + at.c;
        at.count = (node.end - node.record.z) * B;
        at.held = min(at.count, U * at.lanes);
        if constexpr (WHOLE) at.first = node.record.w - (a.backward ? 0u : at.count);
        else {
            at.its_own = node.own;
#pragma unroll
            for (int s = 0; s < B; ++s) at.own[s] = __shfl_sync(FULL, node.own, lane - at.sub + s);
        }
        return at;
    }
    // Where those values lie that row `s` of the node has for other nodes' unknowns, and for its own node's; rows stored.
    __device__ __forceinline__ uint32_t others_at(const Place &at, int s) const {
        if constexpr (WHOLE) return at.first + first_of_row(s, at.count);
        return at.own[s] + (a.backward ? B : 0u - at.count);
    }
    __device__ __forceinline__ uint32_t own_at(const Place &at, int s) const {
        if constexpr (WHOLE) return others_at(at, s) + (a.backward ? 0u - B : at.count);
        return at.own[s];
    }
    // In a whole node with `count` values of other nodes in each row: from its first value to the first one of the row at place
    // `s` for another node.
    __device__ __forceinline__ int first_of_row(int s, int count) const {
        int step = a.backward ? -1 : 1, begin = a.backward ? (B - 1) * count + B * (B + 1) / 2 : 0;
        return begin + step * (s * count + s * (s + 1) / 2);
    }

    // A row among the copies: the values of other nodes by their numbers, and its own by place.
    struct Row {
        T *others, *own;
        int step;
        __device__ __forceinline__ T &of_place(int place) const { return own[step * place]; }
    };
    // That at a place; row by row its own values lie from `own` on.
    __device__ __forceinline__ Row row_of(const Place &at, uint32_t place, uint32_t own) const {
        if constexpr (WHOLE) {
            T *others = reinterpret_cast<T *>(room_of(at) + into_line(at, at.first)) + first_of_row(place, at.held);
            return {others, others + (a.backward ? -1 : (int)at.held), a.backward ? -1 : 1};
        }
        auto values = reinterpret_cast<T *>(room_of(at, place) + into_line(at, row_at(at, place, own)));
        if (a.backward) return {values + place + a.diag_in_rows, values + place + a.diag_in_rows - 1, -1};
        return {values, values + at.held, 1};
    }
    __device__ __forceinline__ Row row_of(const Place &at, uint32_t place) const { return row_of(at, place, at.own[place]); }
    // Where the lines are copied to in which a whole node lies, and the row at a place.
    __device__ __forceinline__ char *room_of(const Place &at) const { return copies.rows + copies.ALL * (lane - at.sub); }
    __device__ __forceinline__ char *room_of(const Place &at, uint32_t place) const {
        return copies.rows + place * copies.ROW * WARP + lane / at.lanes * (copies.ROW * at.lanes);
    }
    // Where a row begins among the caller's values.
    __device__ __forceinline__ uint32_t row_at(const Place &at, uint32_t place, uint32_t own) const {
        return own + (a.backward ? B - place - a.diag_in_rows : 0u - at.count);
    }
    // The lower half of the address of one of the caller's values.
    __device__ __forceinline__ uint32_t address_of(uint32_t value) const {
        return (uint32_t)(uintptr_t)a.val + value * (uint32_t)sizeof(T);
    }
    // How far that lies into what the lanes of a node copy at a time: a line of the cache, or what they can of one.
    __device__ __forceinline__ int into_line(const Place &at, uint32_t value) const {
        return address_of(value) & (min((uint32_t)copies.LINE, PIECE * at.lanes) - 1);
    }
    __device__ __forceinline__ uint32_t *nodes_of(const Place &at) const { return copies.adj + (lane - at.sub) * copies.NODES; }
    // Calls `act` with row and place for each value of the node's own triangle.
    template <class Act>
    __device__ __forceinline__ void for_own(const Act &act) const {
#pragma unroll
        for (int s = 1; s < B; ++s)
#pragma unroll
            for (int t = 0; t < s; ++t) act(s, t);
    }

    // Has everything of a node copied that does not depend on others and that a lane wants to know.
    template <class Lanes>
    __device__ __forceinline__ void copy(uint2 work_item, const Node &node, Lanes known) const {
        Place at = place_of(work_item, node, known);
        if (NR == 1) copy_ahead(at.leads, &copies.f[lane], columns.from(at.row, 0));
        if (NR == 1) expect_if(at.leads, word_at(at.p * B + at.c));
        if (!WHOLE && a.diag_index && !a.diag_in_rows) {
            uint32_t diag = copies.diag[lane];
            copy_ahead(at.leads && diag != NONE, &copies.d[lane], a.diag_values + diag);
        }
        // Where values are permuted their places are not known yet.
        if (!WHOLE && a.row_permuted) return;
#pragma unroll
        for (int k = 0; k < copies.NODES; ++k) {
            uint32_t e = at.sub + k * at.lanes;
            copy_ahead(e < node.end - node.record.z, nodes_of(at) + e, a.row_adj + node.record.z + e);
        }
        // Whole pieces, which may hold what is next in memory. In a few work items value by value: the last rows of all have
        // nothing next, and nodes may depend on more unknowns than the lanes hold.
        constexpr uint32_t OWN = B * (B + 1) / 2;
        uint32_t past = WHOLE ? at.first + B * at.count + OWN : (a.backward ? at.own[0] + at.count : at.own[B - 1]) + B;
        if (__any_sync(FULL, at.in && (past + PIECE / (uint32_t)sizeof(T) > a.values || at.held < at.count))) {
#pragma unroll
            for (int s = 0; s < B; ++s) {
                Row row = row_of(at, s);
#pragma unroll
                for (int u = 0; u < U; ++u) {
                    uint32_t number = at.sub + u * at.lanes;
                    // Behind the last of them its own begin.
                    if (number < at.count) copy_ahead(true, row.others + number, a.val + (others_at(at, s) + number));
                }
                if (a.diag_in_rows) copy_ahead(at.in, &row.of_place(s), a.val + (own_at(at, s) + unknown(s)));
            }
            for_own([&](int s, int t) {
                copy_ahead(at.in, &row_of(at, s).of_place(t), a.val + (own_at(at, s) + unknown(t)));
            });
            return;
        }
        // So many values from `first` on.
        auto copy_range = [&](char *to, uint32_t first, uint32_t count, auto pieces) {
            int into = into_line(at, first), mine = at.sub * PIECE, step = at.lanes * PIECE;
            int left = at.in ? into + (int)(count * sizeof(T)) - mine : 0;
            auto from = reinterpret_cast<const char *>(a.val + first) + (mine - into);
            to += mine;
#pragma unroll
            for (int k = 0; k < pieces.value; ++k) {
                copy_piece_ahead(left > 0 && (k > 0 || mine + PIECE > into), to, from);
                to += step, from += step, left -= step;
            }
        };
        if constexpr (WHOLE) {
            copy_range(room_of(at), at.first, B * at.count + OWN, Constant<copies.OF_ALL>{});
        } else {
#pragma unroll
            for (int s = 0; s < B; ++s) {
                uint32_t first = row_at(at, s, at.own[s]);
                copy_range(room_of(at, s), first, at.count + s + a.diag_in_rows, Constant<copies.PIECES>{});
            }
        }
    }
    // The same where values are permuted, at once.
    __device__ __forceinline__ void gather(const Place &at, const Node &node) const {
        Part part;
        load(part, node, at, at.sub);
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t number = at.sub + u * at.lanes;
            if (number >= at.count) continue;
            nodes_of(at)[number / B] = part.place[u] / B;
#pragma unroll
            for (int s = 0; s < B; ++s) row_of(at, s).others[number] = part.v[u][s];
        }
        if (at.in)
            for_own([&](int s, int t) { row_of(at, s).of_place(t) = a.val[at.own[t] + unknown(s)]; });
    }
    // What others contribute from number `t` on, at once: where it was not copied. What is not there has zeros for its
    // values. Loads go without a branch, so they all overlap.
    __device__ __forceinline__ void load(Part &part, const Node &node, const Place &at, uint32_t t) const {
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t number = t + u * at.lanes, k = number / B, c = number - k * B;
            bool in = number < at.count;
            // The first entry of all stands for one that there is not.
            uint32_t e = in ? node.record.z + k : 0;
            part.place[u] = a.row_adj[e] * B + c;
            uint32_t index = a.row_permuted ? a.row_val[(size_t)e * B + c] : 0;
#pragma unroll
            for (int s = 0; s < B; ++s)
                load_if(in, a.val + (a.row_permuted ? index + unknown(s) : others_at(at, s) + number), part.v[u][s]);
        }
    }
    // How far into the work vector is what is solved a level or two before the youngest unknown of the work item: a quarter of the
    // way to the work item's run-ahead limit, which is 4 or 8 levels back. NONE if the work item has no run-ahead limit, or blocks
    // are few.
    __device__ __forceinline__ uint32_t run_ahead_of(uint2 work_item, const Place &at, const Part &part) const {
        uint32_t back = work_item.y >> RUN_AHEAD_SHIFT, youngest = 0;
        if (back == 0 || gridDim.x < NODAL_RUN_AHEAD_BLOCKS) return NONE;
#pragma unroll
        for (int u = 0; u < U; ++u) youngest = max(youngest, at.sub + u * at.lanes < at.count ? part.place[u] : 0);
        youngest = uniform(youngest);
        return youngest - min(youngest, back / 4 * B);
    }
    // Waits for the unknowns, and subtracts. Returns false if the watchdog ended the wait: then the sums are NaNs of the
    // lanes whose unknowns have not come.
    __device__ __forceinline__ bool subtract(const Part &part, uint32_t count, uint32_t t, uint32_t lanes,
                                             T (&sum)[B][NR]) const {
        const T *from[U];
        Words<T> x[U][NR];
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t number = t + u * lanes;
            from[u] = word_at(part.place[u]);
#pragma unroll
            for (int j = 0; j < NR; ++j) x[u][j] = number < count ? Words<T>::sentinel() : Words<T>::of_zero();
        }
        T before[B][NR];
#pragma unroll
        for (int s = 0; s < B; ++s)
#pragma unroll
            for (int j = 0; j < NR; ++j) before[s][j] = sum[s][j];
        auto add = [&] {
#pragma unroll
            for (int u = 0; u < U; ++u)
#pragma unroll
                for (int s = 0; s < B; ++s) {
                    T value = -conjugate_if(a.conjugate, part.v[u][s]);
#pragma unroll
                    for (int j = 0; j < NR; ++j)
                        sum[s][j] = multiply_add(value, x[u][j].value(), u == 0 ? before[s][j] : sum[s][j]);
                }
        };
        // Ends when every one of the whole warp has been published, or by the watchdog.
        bool ok = spin(a, [&] {
            uint32_t highest = 0;
#pragma unroll
            for (int u = 0; u < U; ++u) poll(from[u], x[u]);
            if (EARLY) {
                // With what there is.
                add();
#pragma unroll
                for (int s = 0; s < B; ++s) compute(sum[s][0]);
            }
#pragma unroll
            for (int u = 0; u < U; ++u)
#pragma unroll
                for (int j = 0; j < NR; ++j) highest = max(highest, x[u][j].flag());
            return highest == SENTINEL;
        });
        if (!EARLY) add();
        return ok;
    }

    // What has been copied.
    struct Taken {
        Part part;
        T low[B][B], f, d;
    };
    __device__ __forceinline__ void take(const Place &at, Taken &taken) const {
#pragma unroll
        for (int u = 0; u < U; ++u) {
            uint32_t number = at.sub + u * at.lanes, k = number / B;
            taken.part.place[u] = nodes_of(at)[k] * B + (number - k * B);
        }
#pragma unroll
        for (int s = 0; s < B; ++s) {
            Row row = row_of(at, s);
#pragma unroll
            for (int u = 0; u < U; ++u) {
                uint32_t number = at.sub + u * at.lanes;
                taken.part.v[u][s] = number < at.count ? row.others[number] : zero(T{});
            }
#pragma unroll
            for (int t = 0; t < s; ++t) taken.low[s][t] = row.of_place(t);
        }
        taken.f = copies.f[lane];
        uint32_t place = at.leads ? at.sub : 0;
        taken.d = a.diag_in_rows ? row_of(at, place, at.its_own).of_place(place) : copies.d[lane];
    }

    __device__ __forceinline__ void solve(uint2 work_item, const Place &at, const Node &node, Taken &taken) const {
        uint32_t lanes = at.lanes, sub = at.sub, first_lane = lane - sub, p = at.p, c = at.c, row = at.row;
        uint32_t longest = warp_max(at.count), limit = run_ahead_of(work_item, at, taken.part);
        bool leads = at.leads;
        auto &low = taken.low;
        T f[NR];
#pragma unroll
        for (int j = 0; j < NR; ++j) {
            f[j] = taken.f;
            if (NR > 1 && leads) f[j] = columns.load(row, j);
        }
        // Each lane looks at the row at its own place, and shows what it has found to the others.
        T scale = one(T{}), d = scale;
        bool multiplies = true;
        if (leads && a.diag_index) {
            d = diagonal_of(a, p, taken.d, [&] { note_zero_pivot(a.state, parity_of_warp(), row); });
            // What is multiplied below must be finite.
            multiplies = reciprocal(d, scale) && !is_zero(d);
        }
        T scales[B], sum[B][NR];
#pragma unroll
        for (int s = 0; s < B; ++s) {
            scales[s] = shuffle(scale, first_lane + s);
#pragma unroll
            for (int j = 0; j < NR; ++j) sum[s][j] = leads && sub == s ? product(alpha, f[j]) : zero(T{});
        }
        // The node's own triangle, divided by the diagonal where that is as good.
        for_own([&](int s, int t) {
            low[s][t] = -conjugate_if(a.conjugate, low[s][t]);
            T factor = product(low[s][t], scales[s]);
            multiplies = multiplies && (!leads || (is_zero(low[s][t]) ? is_zero(factor) : is_moderate(factor)));
        });
        bool divides = __any_sync(FULL, !multiplies);
        if (divides) {
#pragma unroll
            for (int s = 0; s < B; ++s) scales[s] = shuffle(d, first_lane + s);
        }
        for_own([&](int s, int t) {
            if (!divides) low[s][t] = product(low[s][t], scales[s]);
        });

        // Others wait for the result, so everything is decided before the last wait, and there is no branch behind it.
        T *word = word_at(p * B + c), mine[NR];
        uint32_t publishes = leads, t = sub;
        settle(word);
        settle(publishes);
        // With one poll at a time: polls of all unknowns before that would be in the way of those that solve them. What the
        // watchdog ends here it ends in the next wait as well.
        if (limit != NONE) pass(a, word_at(limit));
        // A long node begins with the unknowns that were solved first, which in a backward solve are the last.
        uint32_t stride = U * lanes, step = a.backward ? 0u - stride : stride;
        if (a.backward && longest > stride) {
            t += (longest - 1) / stride * stride;
            load(taken.part, node, at, t);
        }
        for (uint32_t next = stride; next < longest; next += stride) {
            if (!subtract(taken.part, at.count, t, lanes, sum)) {
#pragma unroll
                for (int s = 0; s < B; ++s)
#pragma unroll
                    for (int j = 0; j < NR; ++j) sum[s][j] = not_a_number(T{});
                break;
            }
            t += step;
            load(taken.part, node, at, t);
        }
        auto last_wait = [&](auto rounds, auto begin, auto end) {
            subtract(taken.part, at.count, t, lanes, sum);
            auto meet = [&](uint32_t by) {
#pragma unroll
                for (int s = 0; s < B; ++s)
#pragma unroll
                    for (int j = 0; j < NR; ++j) sum[s][j] = sum[s][j] + shuffle_xor(sum[s][j], by);
            };
            if constexpr (rounds.value > 0) {
#pragma unroll
                for (int k = rounds.value - 1; k >= 0; --k) meet(1u << k);
            } else {
#pragma unroll 1
                for (uint32_t by = lanes / 2; by > 0; by /= 2) meet(by);
            }
            // Each lane publishes the unknown of its place.
            T x[B][NR];
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
            if (NR == 1) publish_reduced_if(publishes != 0, word, mine[0]);
            else if (leads) publish(word, mine);
        };
        // From how many lanes, as a power of two, the sums meet; 0: as many as there are.
        auto multiply = [&](auto rounds) {
            last_wait(rounds, [](T v, T by) { return product(v, by); }, [](T v, T) { return v; });
        };
        if (divides) last_wait(Constant<0>{}, [](T v, T) { return v; }, [](T v, T by) { return divide(v, by); });
        else if (NR > 1) multiply(Constant<0>{});
        else if (lanes == 8) multiply(Constant<3>{});
        else if (lanes == 4) multiply(Constant<2>{});
        else if (lanes == 2) multiply(Constant<1>{});
        else if (lanes == 16) multiply(Constant<4>{});
        else multiply(Constant<5>{});
        if (!leads) return;
#pragma unroll
        for (int j = 0; j < NR; ++j) columns.store(row, j, mine[j]);
        if (NR == 1) reset(work_of(a, ~parity_of_warp()) + (p * B + c));
    }

    // Takes work items until there are none. The groups of columns have one after the other.
    __device__ __forceinline__ void run(const WorkItems &work_items) {
        constexpr uint2 nothing = {0, 1u << ITEM_LANES_SHIFT};
        uint32_t groups = all.groups(), end = a.work_items * groups;
        auto work_item_of = [&](uint32_t s) { return s < end ? a.work_item[s / groups] : nothing; };
        auto next_item = [&] { return work_items.of_ticket(work_items.take_ticket()); };
        uint32_t s = work_items.work_item_of(work_items.first), s1 = next_item(), s2 = next_item();
        uint2 work_item = work_item_of(s), work_item1 = work_item_of(s1), work_item2 = work_item_of(s2);
        work_item.y = uniform(work_item.y), work_item1.y = uniform(work_item1.y);
        Node node = fetch(work_item), node1 = fetch(work_item1);
        copy_indices_of_diagonals(work_item);
        copied();
        copy(work_item, node, Constant<0>{});
        copy_indices_of_diagonals(work_item1);
        // With `act` for the lanes that have code of their own, and for all others.
        auto by_lanes = [&](uint2 work_item, auto act) {
            if (USUAL > 0 && (work_item.y >> ITEM_LANES_SHIFT & ITEM_LANES_MASK) == USUAL) act(Constant<USUAL>{});
            else act(Constant<0>{});
        };
        while (s < end) {
            if (NR > 1) {
                uint32_t group = s % groups;
                columns = all.of_group(group);
                work = a.work + (size_t)group * NR * a.words;
            }
            Taken taken;
            by_lanes(work_item, [&](auto lanes) {
                Place at = place_of(work_item, node, lanes);
                if constexpr (!WHOLE)
                    if (a.row_permuted) gather(at, node);
                // Lanes take what others have copied, and the next copies go to the same place.
                copied();
                __syncwarp();
                take(at, taken);
                __syncwarp();
            });
            uint32_t s3 = work_items.take_ticket();
            Node node2 = fetch(work_item2);
            by_lanes(work_item1, [&](auto lanes) { copy(work_item1, node1, lanes); });
            copy_indices_of_diagonals(work_item2);
            by_lanes(work_item, [&](auto lanes) { solve(work_item, place_of(work_item, node, lanes), node, taken); });
            s = s1, s1 = s2;
            work_item = work_item1, work_item1 = work_item2;
            work_item1.y = uniform(work_item1.y);
            node = node1, node1 = node2;
            s2 = work_items.of_ticket(s3);
            work_item2 = work_item_of(s2);
        }
        copied();
        // Three tickets were beyond the last work item.
        work_items.leave(end, s2, 3, PASSED_ON<NR>);
    }
};

// Solves for the columns, NR at a time. A single column takes the work vector of its parity, and resets the other one on the way.
template <int B, int NR, bool WHOLE, class T>
__device__ __forceinline__ void nodal(const SolveArgs<T> &a, const Columns<T, NR> &columns) {
    __shared__ NodeCopies<B, T> copies[NODAL_BLOCK / WARP];
    WorkItems work_items(a.state, 0);
    uint32_t words = NR == 1 ? (uint32_t)(work_of(a, work_items.first) - a.work) : 0;
    NodeSolver<B, NR, WHOLE, T> solver{a, columns, copies[threadIdx.x / WARP], words, columns, a.work, alpha_of(a), threadIdx.x % WARP};
    solver.run(work_items);
}

// Calls INSTANTIATE(size, type) for every size of a node.
static_assert(SMALLEST_NODE == 2 && LARGEST_NODE == 6, "the sizes that follow");
#define FOR_EACH_NODE(INSTANTIATE, t) \
    INSTANTIATE(2, t) INSTANTIATE(3, t) INSTANTIATE(4, t) INSTANTIATE(5, t) INSTANTIATE(6, t)
