// How THIN walks along the rows of a panel: all lanes read a row's entries beside each other.
#pragma once
#include "panel/panel.cuh"

// A tile in which what is absent can be told from zeros.
template <class T>
struct MarkedTile : Tile<T> {
    using Tile<T>::values, Tile<T>::place, Tile<T>::put_if;

    __device__ __forceinline__ void clear() const {
        constexpr uint32_t PIECES = Tile<T>::PLACES * sizeof(T) / sizeof(uint4);
#pragma unroll 4
        for (uint32_t k = threadIdx.x % WARP; k < PIECES; k += WARP)
            reinterpret_cast<uint4 *>(values)[k] = make_uint4(SENTINEL, SENTINEL, SENTINEL, SENTINEL);
        __syncwarp();
    }
    // What a row has in a column, or zero; and whether it has an entry there.
    __device__ __forceinline__ T get(uint32_t column, uint32_t row, bool &is_in) const {
        T v = values[place(column, row)];
        is_in = !is_absent(v);
        return is_in ? v : zero(T{});
    }
    // Makes of what the lane's row has in a third of the columns, and of zeros where it has no entry, what `f` does. How many
    // entries it has there.
    template <class F>
    __device__ __forceinline__ uint32_t fill_third(uint32_t third, const F &f) const {
        constexpr uint32_t MANY = 16;
        uint32_t entries = 0, lane = threadIdx.x % WARP, columns = third < WINDOW / WARP ? WARP : lane;
#pragma unroll 1
        for (uint32_t j = 0; j < WARP; j += MANY) {
            T v[MANY];
            bool is_in[MANY];
#pragma unroll
            for (uint32_t k = 0; k < MANY; ++k) v[k] = get(third * WARP + j + k, lane, is_in[k]);
#pragma unroll
            for (uint32_t k = 0; k < MANY; ++k) {
                bool is_own = j + k < columns;
                entries += is_in[k] & is_own;
                put_if(is_own, third * WARP + j + k, lane, f(is_own ? v[k] : zero(T{})));
            }
        }
        return entries;
    }
};

template <class T, class Exchange>
struct WalkedPanel : Panel<T, Exchange> {
    using Rows = Panel<T, Exchange>;
    using Rows::a, Rows::exchange, Rows::work, Rows::tile, Rows::base, Rows::near_from;
    using Rows::begin, Rows::end, Rows::first_value, Rows::rest_until;
    static constexpr int MANY = TOGETHER<T>;

    // Rows are walked 32 entries at a time, so that the last ones, which mostly depend on the youngest unknowns, are walked
    // together.
    struct Walk {
        uint32_t all;      // steps, times 32
        uint32_t missing;  // before the lane's row begins
        uint32_t origin, value_origin, step;  // the entry that would be the first of the first step, where its value is, and to the next one
    };
    // Of all entries but so many of the last ones.
    __device__ __forceinline__ Walk walk(uint32_t without) const {
        uint32_t length = end - begin - without;
        uint32_t all = (uniform(length) + WARP - 1) / WARP * WARP, missing = all - length;
        uint32_t origin = a.backward ? end - 1 + missing : begin - missing;
        return {all, missing, origin, origin + (first_value - begin), a.backward ? ~0u : 1u};
    }
    // An entry each of some rows, of a lane; which rows have one, a bit each.
    struct Entries {
        uint32_t in, q[MANY];
        T v[MANY];
    };
    // The k-th from the origin, of rows from number `first` on. A lane without one has zero for its value. All lanes take part in
    // the shuffles, whatever they find.
    __device__ __forceinline__ Entries load(const Walk &w, uint32_t k, uint32_t first) const {
        Entries e;
        uint32_t index[MANY];
        e.in = 0;
#pragma unroll
        for (int u = 0; u < MANY; ++u) {
            bool is_in = k >= __shfl_sync(FULL, w.missing, first + u) && k < w.all;
            uint32_t at = __shfl_sync(FULL, w.origin, first + u) + w.step * k;
            index[u] = __shfl_sync(FULL, w.value_origin, first + u) + w.step * k;
            e.in |= (uint32_t)is_in << u;
            at = is_in ? at : 0u;
            e.q[u] = a.row_adj[at];
            if (a.row_permuted) index[u] = a.row_val[at];
        }
#pragma unroll
        for (int u = 0; u < MANY; ++u) load_line_if(e.in >> u & 1u, a.val + index[u], e.v[u]);
        return e;
    }
    // Which of them are far.
    __device__ __forceinline__ uint32_t far_ones(const Entries &e) const {
        uint32_t is_far = 0;
#pragma unroll
        for (int u = 0; u < MANY; ++u) is_far |= (e.in >> u & 1u && e.q[u] < near_from ? 1u : 0u) << u;
        return is_far;
    }
    // Of what each lane has of some rows the sum over the lanes, of a row in WARP / ROWS lanes beside each other.
    template <int ROWS>
    static __device__ __forceinline__ T of_row(const T (&part)[ROWS]) {
        if constexpr (ROWS == 1) {
            return part[0];
        } else {
            constexpr int HALF = ROWS / 2, BY = WARP / MANY * HALF;
            bool upper = threadIdx.x & BY;
            T rest[HALF];
#pragma unroll
            for (int r = 0; r < HALF; ++r) {
                T sent = upper ? part[r] : part[r + HALF];
                rest[r] = (upper ? part[r + HALF] : part[r]) + shuffle_xor(sent, BY);
            }
            return of_row<HALF>(rest);
        }
    }

    // Puts what is not far into the tile, from the last step on to the first, or as long as one has any of it. How many entries of
    // the lane's that were.
    __device__ __forceinline__ uint32_t put_near(bool to_the_first) const {
        Walk w = walk(0);
        uint32_t lane = threadIdx.x % WARP, entries = 0;
        bool goes_on = true;
#pragma unroll 1
        for (uint32_t left = w.all; left > 0 && goes_on; left -= WARP) {
            goes_on = to_the_first;
            // The next rows' entries are on their way while some are worked on.
            Entries next = load(w, left - WARP + lane, 0);
#pragma unroll 1
            for (uint32_t first = 0; first < WARP; first += MANY) {
                Entries e = next;
                next = load(w, first + MANY < WARP ? left - WARP + lane : ~0u, (first + MANY) % WARP);
                uint32_t is_near = e.in & ~far_ones(e);
                if (!__any_sync(FULL, is_near != 0)) continue;
                goes_on = true;
                entries += __popc(is_near);
#pragma unroll
                for (int u = 0; u < MANY; ++u)
                    tile.put_if(is_near >> u & 1u, e.q[u] - base + WINDOW, first + u, -conjugate_if(a.conjugate, e.v[u]));
            }
        }
        __syncwarp();
        return entries;
    }
    // Subtracts what is far from the sum of each lane's row. How many entries of the lane's that was. `ok` is false in the end if the
    // watchdog ended a wait.
    __device__ __forceinline__ uint32_t subtract_far(const Walk &w, T &sum, bool &ok) const {
        uint32_t lane = threadIdx.x % WARP, entries = 0, first = 0, k = lane;
        if (w.all == 0) return 0;
        Entries next = load(w, k, first);
#pragma unroll 1
        for (uint32_t pieces = w.all / MANY; pieces > 0; --pieces) {
            Entries e = next;
            uint32_t rows = first;
            first += MANY;
            if (first == WARP) {
                first = 0;
                k += WARP;
            }
            next = load(w, k, first);
            uint32_t is_far = far_ones(e), youngest = 0;
#pragma unroll
            for (int u = 0; u < MANY; ++u) youngest = max(youngest, is_far >> u & 1u ? e.q[u] + 1 : 0);
            youngest = uniform(youngest);
            if (youngest == 0) continue;
            entries += __popc(is_far);
            Words<T> x[MANY];
            auto are_missing = [&] {
                uint32_t highest = 0;
#pragma unroll
                for (int u = 0; u < MANY; ++u) exchange.poll(e.q[u], x[u]);
#pragma unroll
                for (int u = 0; u < MANY; ++u) highest = max(highest, x[u].flag());
                return highest == SENTINEL;
            };
            // A poll disturbs those that are to publish next.
            ok = rest_until(youngest - 1, exchange.expected(work, true, youngest - 1)) && ok;
#pragma unroll
            for (int u = 0; u < MANY; ++u) x[u] = exchange.expected(work, is_far >> u & 1u, e.q[u]);
            ok = spin(a, are_missing) && ok;
            T part[MANY];
#pragma unroll
            for (int u = 0; u < MANY; ++u) {
                part[u] = zero(T{});
                multiply_add_if(is_far >> u & 1u, -conjugate_if(a.conjugate, e.v[u]), x[u].value(), part[u], part[u]);
            }
            constexpr int SHIFT = MANY == 8 ? 2 : 3;
            T of_own = shuffle(warp_sum_all(of_row<MANY>(part), SHIFT), lane % MANY << SHIFT);
            if (lane / MANY == rows / MANY) sum = sum + of_own;
        }
        return entries;
    }
};
