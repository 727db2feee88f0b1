// PANEL: up to 32 rows at a time by a block, for complete factors, where neighbouring rows depend on each other and on nearly the
// same unknowns.
//
// A block takes one work item after the other by ticket: a panel, or before it the pieces of its rows where these are long. Each of its
// warps sums up what is far of some of the rows (`walk.cuh`). The sums of a piece are published as unknowns are. Of a panel one warp
// adds up these, and solves the triangle (`panel.cuh`). Meanwhile another warp finds out about the rows of the next work item. Unknowns
// and sums reach other blocks through L2, in one word each.
#include "shared/panel.h"
#include "shared/panels.h"
#include "walk.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr uint32_t SHORT_RUN = 8;  // rows of a run that are solved one after the other

// Unknowns through L2, by the work vector.
template <class T>
struct ThroughWork {
    const T *work;
    __device__ __forceinline__ Words<T> expected(const T *, bool wanted, uint32_t) const {
        return wanted ? Words<T>::sentinel() : Words<T>::of_zero();
    }
    __device__ __forceinline__ void poll(uint32_t q, Words<T> &x) const { ::poll(work + q, x); }
};

// What is known of the rows of a panel before it begins.
template <class T>
struct Rows {
    T given[WARP];                      // right-hand sides
    T diagonal[WARP], scale[WARP];      // and its reciprocal
    uint32_t diagonal_index[WARP];      // where it is
    uint32_t multiplies[WARP];          // whether that is as good as dividing
    uint32_t position[WARP];            // or NONE
    uint32_t begin[WARP], end[WARP], first_value[WARP];
    uint32_t near_from[WARP];           // unknowns from this position on are near the row
    uint32_t start[WARP];               // the first row of the row's run
    uint32_t origin[WARP];              // the position that the tile's first own column would be of in that run
    uint32_t longest;                   // rows of a run
    bool has_window;                    // which only a panel of a single run has
    uint32_t sums;                      // where those of the panel's first piece, or of this one, lie
    uint32_t pieces;                    // of the panel, or PANEL_PIECE_BIT and which one this is, from 1 on
};

// What the warps of a block tell each other of a panel.
template <class T>
struct Told {
    T sum[WARP];             // of what is far, for each row
    uint32_t found, length;  // entries that are in the tile or far; and all of the rows
    uint32_t columns[2];     // of the window in which any row has entries, a bit each
    uint32_t by_entries;     // rows must be solved by their entries
    uint32_t failed;         // the watchdog ended a wait
    uint32_t ticket;
};

// The position of a lane's row in a work item. Starts to copy what is known of pieces. The table has each work item; without it they
// are panels in natural order.
template <class T>
__device__ __forceinline__ uint32_t position_of(const SolveArgs<T> &a, uint32_t number, Rows<T> &rows) {
    uint32_t lane = threadIdx.x % WARP;
    bool in = number < a.work_items, has_table = a.work_item != nullptr;
    const uint32_t *table = reinterpret_cast<const uint32_t *>(a.work_item) + (size_t)number * PANEL_ITEM_WORDS;
    if (lane == 0) {
        copy_ahead(in && has_table, &rows.sums, table + PANEL_ROWS);
        copy_ahead(in && has_table, &rows.pieces, table + PANEL_ROWS + 1);
    }
    return !in ? NONE : has_table ? table[lane] : number * WARP + lane;
}

// Starts to copy what must be known of the rows at `p`, a row a lane. Diagonals come later, as their places must be known first.
template <class T>
__device__ __forceinline__ void ask_for_rows(const SolveArgs<T> &a, uint32_t p, Rows<T> &rows) {
    uint32_t lane = threadIdx.x % WARP;
    bool in = p < a.n;
    uint32_t from = in ? p : 0, row = a.backward ? a.n - 1 - from : from;
    rows.position[lane] = in ? p : NONE;
    copy_ahead(in, &rows.begin[lane], a.row_ptr + from);
    copy_ahead(in, &rows.end[lane], a.row_ptr + from + 1);
    if (!a.row_permuted) copy_ahead(in, &rows.first_value[lane], a.row_val + from);
    if (a.diag_index) copy_ahead(in, &rows.diagonal_index[lane], a.diag_index + from);
    copy_ahead(in, &rows.given[lane], a.f + row);
}

// Waits for these copies, and finds out the rest.
template <class T>
__device__ __forceinline__ void find_rows(const SolveArgs<T> &a, uint32_t parity, Rows<T> &rows) {
    uint32_t lane = threadIdx.x % WARP;
    copied();
    uint32_t p = rows.position[lane];
    bool in = p != NONE, multiplies = true;
    uint32_t row = a.backward ? a.n - 1 - p : p, diag = a.diag_index && in ? rows.diagonal_index[lane] : NONE;
    T d, scale = one(T{});
    load_if(diag != NONE, a.diag_values + diag, d);
    // Rows may be of several runs.
    uint32_t before = __shfl_up_sync(FULL, p, 1);
    uint32_t starts = __ballot_sync(FULL, lane == 0 || !in || before >= a.n || p != before + 1);
    uint32_t start = WARP - 1 - __clz(starts << (WARP - 1 - lane) >> (WARP - 1 - lane));
    bool is_run = (starts & __ballot_sync(FULL, in)) == 1;
    uint32_t run = __shfl_sync(FULL, p, start), window = is_run ? min(run, WINDOW) : 0;
    if (a.diag_index && in) {
        d = diagonal_of(a, p, d, [&] { note_zero_pivot(a.state, parity, row); });
        multiplies = reciprocal(d, scale);
    }
    rows.given[lane] = product(alpha_of(a), rows.given[lane]);
    rows.diagonal[lane] = d;
    rows.scale[lane] = scale;
    rows.multiplies[lane] = multiplies;
    rows.near_from[lane] = run - window;
    rows.start[lane] = start;
    rows.origin[lane] = run - start;
    uint32_t longest = uniform(in ? lane - start + 1 : 0);
    if (lane == 0) {
        rows.longest = longest;
        rows.has_window = window > 0;
    }
}

// The sum of all pieces of a lane's row, the first of which lies at `first`. Whether these are finite in all lanes: else a piece has
// what is near, or an unknown is not finite, or the watchdog ended a wait.
template <class T>
__device__ __forceinline__ bool sum_of_pieces(const SolveArgs<T> &a, const T *first, uint32_t pieces, T &sum) {
    constexpr uint32_t AT_ONCE = 4;
    uint32_t highest = 0;
    sum = zero(T{});
#pragma unroll 1
    for (uint32_t k = 0; k < pieces; k += AT_ONCE) {
        Words<T> x[AT_ONCE];
#pragma unroll
        for (uint32_t u = 0; u < AT_ONCE; ++u) x[u] = k + u < pieces ? Words<T>::sentinel() : Words<T>::of_zero();
        spin(a, [&] {
            uint32_t flag = 0;
#pragma unroll
            for (uint32_t u = 0; u < AT_ONCE; ++u) poll(first + (k + u) * WARP, x[u]);
#pragma unroll
            for (uint32_t u = 0; u < AT_ONCE; ++u) flag = max(flag, x[u].flag());
            bool waits = flag == SENTINEL;
            if (__any_sync(FULL, waits)) rest(SHORT_REST);
            return waits;
        });
#pragma unroll
        for (uint32_t u = 0; u < AT_ONCE; ++u) {
            sum = sum + x[u].value();
            highest = max(highest, magnitude(x[u].value()));
        }
    }
    return __all_sync(FULL, highest < NOT_FINITE<T>);
}

// Fills a tile from a column on with zeros, which may be the first one or the first own one.
template <class T>
__device__ __forceinline__ void clear_from(const Tile<T> &tile, uint32_t first) {
    constexpr uint32_t PIECES = Tile<T>::PLACES * sizeof(T) / sizeof(uint4), OF_COLUMN = WARP * sizeof(T) / sizeof(uint4);
    for (uint32_t k = first * OF_COLUMN + threadIdx.x; k < PIECES; k += blockDim.x)
        reinterpret_cast<uint4 *>(tile.values)[k] = make_uint4(0, 0, 0, 0);
}

template <class T, uint32_t WARPS>
__device__ __forceinline__ void panels(const SolveArgs<T> &a) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ Rows<T> known[2];  // of this panel and of the next one
    __shared__ Told<T> told;
    constexpr uint32_t FINDER = 1;            // the warp that finds out about the next panel
    constexpr uint32_t LANES_OF_ROW = WARPS;  // that walk along it
    wait_for_previous_kernel();
    uint32_t lane = threadIdx.x % WARP, warp = uniform(threadIdx.x / WARP), all = a.work_items;
    uint32_t *queue = &a.state->queue[0].next;
    if (threadIdx.x == 0) told.ticket = atomicAdd(queue, 1u);
    __syncthreads();
    uint32_t parity = told.ticket, number = parity & ~BOTH;
    note_parity(parity);
    T *work = work_of(a, parity), *other = work_of(a, ~parity);
    asm volatile("" : "+l"(work));  // is not worked out anew for each access
    ThroughWork<T> exchange{work};
    Tile<T> tile{reinterpret_cast<T *>(shared)};
    uint32_t walked = warp * (WARP / WARPS) + lane / LANES_OF_ROW;  // the row of a lane that walks

    if (warp == FINDER) {
        ask_for_rows(a, position_of(a, number, known[0]), known[0]);
        find_rows(a, parity, known[0]);
    }
    __syncthreads();
    for (uint32_t slot = 0; number < all; slot ^= 1) {
        const Rows<T> &rows = known[slot];
        uint32_t kind = uniform(rows.pieces), pieces = kind & PANEL_PIECE_BIT ? 0 : kind;
        bool is_panel = !(kind & PANEL_PIECE_BIT);
        if (is_panel) clear_from(tile, rows.has_window ? 0 : WINDOW);
        if (threadIdx.x == 0) {
            atomicAdd(&a.state->progress, 1u);
            told.found = told.length = told.columns[0] = told.columns[1] = told.by_entries = told.failed = 0;
        }
        uint32_t next = 0;
        if (warp == FINDER && lane == 0) next = atomicAdd(queue, 1u);
        __syncthreads();

        RowWalk<T, LANES_OF_ROW> walk{a,
                                      work,
                                      walked,
                                      rows.near_from[walked],
                                      rows.begin[walked],
                                      rows.end[walked],
                                      rows.first_value[walked],
                                      is_panel ? 0 : kind & ~PANEL_PIECE_BIT,
                                      !is_panel || pieces > 0};
        T scale = rows.scale[walked];
        // Whether dividing by the diagonals beforehand is as good as behind.
        bool is_moderate = rows.multiplies[walked] && magnitude(scale) < NOT_FINITE<T>;
        typename RowWalk<T, LANES_OF_ROW>::Near near = {};
        if (is_panel)
            near = walk.put_near(tile, rows.origin[walked], [&](bool yes, T v) {
                T factor = product(v, scale);
                is_moderate = is_moderate & (!yes | is_zero(v) | ::is_moderate(factor));
                return factor;
            });
        uint32_t p = NONE;
        if (warp == FINDER) {
            next = __shfl_sync(FULL, next, 0);
            if (lane == 0) told.ticket = next;
            p = position_of(a, next & ~BOTH, known[slot ^ 1]);
        }

        // From here to the solved triangle other panels may be waiting for this one.
        bool ok = true;
        T sum;
        auto span = walk.span();
        uint32_t length = span.length();
        // What is near is the youngest of its row.
        span.from += min(length, near.entries);
        uint32_t far = walk.sum_far(span, sum, ok);
        if (warp == FINDER) ask_for_rows(a, p, known[slot ^ 1]);
        uint32_t columns = 0;
#pragma unroll
        for (int third = 0; third < 3; ++third) columns += __popc(near.columns[third]);
        bool is_first = lane % LANES_OF_ROW == 0;
        uint32_t found = __reduce_add_sync(FULL, far + (is_first ? near.entries : 0));
        uint32_t lengths = __reduce_add_sync(FULL, is_first ? length : 0);
        // No two entries of a row may be in the same place.
        bool by_entries = __any_sync(FULL, columns != near.entries || !is_moderate);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            uint32_t of_warp = __reduce_or_sync(FULL, near.columns[half]);
            if (lane == 0 && of_warp) atomicOr(&told.columns[half], of_warp);
        }
        if (lane == 0) {
            atomicAdd(&told.found, found);
            atomicAdd(&told.length, lengths);
            if (by_entries) told.by_entries = 1;
        }
        if (!__all_sync(FULL, ok) && lane == 0) told.failed = 1;
        if (is_first) told.sum[walked] = sum;
        __syncthreads();

        number = told.ticket & ~BOTH;
        if (warp == FINDER) find_rows(a, parity, known[slot ^ 1]);
        uint32_t sums = a.n + rows.sums * WARP + lane;
        if (warp == 0 && !is_panel) {
            // What is near is not of a piece.
            bool all_found = told.found == told.length && !told.failed;
            publish_if(true, work + sums, all_found ? told.sum[lane] : not_a_number(T{}));
            reset(other + sums);
        } else if (warp == 0) {
            uint32_t p = rows.position[lane];
            bool in = p != NONE, all_found = told.found == told.length;
            if (pieces > 0) {
                T of_pieces;
                all_found = sum_of_pieces(a, work + sums, pieces, of_pieces) && all_found;
                told.sum[lane] = told.sum[lane] + of_pieces;
                __syncwarp();
            }
            auto publish_unknown = [&](bool yes, T v) { publish_if(yes && in, work + p, v); };
            using Lines = Panel<T, ThroughWork<T>, true>;
            T x;
            uint32_t solved = 0;
            bool by_columns = !told.failed && all_found && !told.by_entries;
            if (by_columns && rows.longest <= SHORT_RUN && !rows.has_window) {
                x = product(rows.given[lane] - told.sum[lane], rows.scale[lane]);
                for (uint32_t j = 0; j + 1 < rows.longest; ++j) {
                    T before = shuffle(x, (rows.start[lane] + j) % WARP);
                    if (rows.start[lane] + j < lane)
                        x = multiply_add(tile.values[Tile<T>::place(WINDOW + rows.start[lane] + j, lane)], before, x);
                }
                // A zero in the tile must not be multiplied by what is not finite.
                if (__all_sync(FULL, magnitude(x) < NOT_FINITE<T>)) {
                    publish_unknown(true, x);
                    solved = WARP;
                }
            } else if (by_columns) {
                Triangle<T> triangle;
                triangle.load(tile);
                Lines panel{a, exchange, work, tile, p, rows.position[0]};
                T left = rows.given[lane] - told.sum[lane];
                bool finite = true;
#pragma unroll 1
                for (uint32_t half = 0; half < 2; ++half) {
                    if (uint32_t wanted = told.columns[half]) finite = panel.subtract_half(half, wanted, left) && finite;
                    if (half == 0) triangle.show_groups(tile);
                }
                if (finite) solved = triangle.solve(tile, product(left, rows.scale[lane]), x, publish_unknown);
            }
            if (solved < WARP) {
                T left = told.failed ? not_a_number(T{}) : rows.given[lane];
                if (all_found) left = left - told.sum[lane];
                Lines panel{a,
                            exchange,
                            work,
                            tile,
                            p,
                            rows.position[0],
                            all_found ? rows.near_from[lane] : 0,
                            rows.begin[lane],
                            rows.end[lane],
                            rows.first_value[lane]};
                auto divided = [&](T v) {
                    return rows.multiplies[lane] ? product(v, rows.scale[lane]) : divide(v, rows.diagonal[lane]);
                };
                panel.solve_by_entries(solved, left, x, divided, publish_unknown);
            }
            if (in) {
                a.x[a.backward ? a.n - 1 - p : p] = x;
                reset(other + p);
            }
        }
        // The tile is the next panel's.
        __syncthreads();
    }
    if (threadIdx.x == 0 && number == all + gridDim.x - 1) leave_queues(a.state, parity, BOTH);
}

#define KERNEL(name, t, WARPS)                                                                                     \
    extern "C" __global__ void __launch_bounds__(WARPS *WARP, PANEL_WARPS_OF_SM / WARPS)                           \
        panel_##name##_##t(const GRID_CONSTANT SolveArgs<t##_type> a) {                                            \
        panels<t##_type, WARPS>(a);                                                                                \
    }
#define KERNELS(t)                        \
    KERNEL(few, t, PANEL_FEW_WARPS)       \
    KERNEL(many, t, PANEL_MANY_WARPS)
FOR_EACH_TYPE(KERNELS)
#endif
