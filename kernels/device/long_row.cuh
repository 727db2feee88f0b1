// Rows of many entries in segments.
#pragma once
#include "row.cuh"

// The most entries of a row that is not cut into segments.
template <class T>
constexpr uint32_t LONGEST_WHOLE = (sizeof(T) > 8 ? ENTRIES_PER_LANE / 2 : ENTRIES_PER_LANE) * WARP;
// The segments of a row of so many entries; and where in a work vector the first one is, of a row that begins with that entry. No
// two rows have a segment at the same place.
template <class T>
__device__ __forceinline__ uint32_t segments_of(uint32_t entries) {
    return entries > LONGEST_WHOLE<T> ? (entries - 1) / LONGEST_WHOLE<T> : 0;
}
template <class T>
__device__ __forceinline__ size_t first_segment(const SolveArgs<T> &a, uint32_t begin) {
    return a.n + begin / LONGEST_WHOLE<T>;
}

// What a work item sums up of its rows. A row of more entries than a warp holds is cut into segments of as many, counted from the
// unknowns that are solved last. The first segment is the row's own. Each other segment is a work item before the row's, which
// publishes its sum behind the unknowns. All segments are summed up at once, and mostly long before the row is solved. Only where
// there MAY_BE segments does a kernel look for them: that takes 3 to 9 % of a step.
template <bool MAY_BE, int NR, class T>
struct LongRow {
    static constexpr uint32_t LONGEST = LONGEST_WHOLE<T>;
    bool is_segment = false;
    uint32_t segments = 0, number = 0;  // of the row; and of this segment, counted as above
    size_t first = 0;                   // where the sums of the segments begin in a work vector

    // Of a work item. Narrows the range of entries `begin` to `end` of a long row.
    __device__ __forceinline__ LongRow(const SolveArgs<T> &a, uint2 work_item, uint32_t &begin, uint32_t &end, uint32_t &longest) {
        if (!MAY_BE || longest <= LONGEST) return;
        is_segment = (work_item.y & ITEM_ROWS_MASK) == SEGMENT;
        segments = segments_of<T>(longest);
        first = first_segment(a, begin) * NR;
        if (is_segment) number = work_item.y >> RUN_AHEAD_SHIFT;
        uint32_t after = is_segment ? (number + 1) * LONGEST : 0;
        if (a.backward) {
            begin += after;
            end = min(end, begin + LONGEST);
        } else {
            end -= after;
            begin = max(begin, end - min(end, LONGEST));
        }
        longest = end - begin;
    }
    __device__ __forceinline__ size_t place() const { return first + (size_t)number * NR; }
    __device__ __forceinline__ bool has_segments() const { return !is_segment && segments > 0; }

    // Waits for the sums of the row's segments, and adds them up, of the column that begins at `column` in a work vector with NR of
    // them beside each other. False if the watchdog ended the wait.
    template <int PER>
    __device__ __forceinline__ bool add_segments(const SolveArgs<T> &a, const T *columns, T (&sum)[PER]) const {
        constexpr uint32_t G = 4;  // that a lane waits for together
        for (uint32_t k = threadIdx.x % WARP; __any_sync(FULL, k < segments); k += G * WARP) {
            Words<T> x[G][PER];
#pragma unroll
            for (uint32_t g = 0; g < G; ++g)
#pragma unroll
                for (int j = 0; j < PER; ++j) x[g][j] = k + g * WARP < segments ? Words<T>::sentinel() : Words<T>::of_zero();
            bool ok = spin(a, [&] {
                uint32_t highest = 0;
#pragma unroll
                for (uint32_t g = 0; g < G; ++g) poll(columns + first + (size_t)(k + g * WARP) * NR, x[g]);
#pragma unroll
                for (uint32_t g = 0; g < G; ++g)
#pragma unroll
                    for (int j = 0; j < PER; ++j) highest = max(highest, x[g][j].flag());
                return highest == SENTINEL;
            });
            if (!ok) return false;
#pragma unroll
            for (uint32_t g = 0; g < G; ++g)
#pragma unroll
                for (int j = 0; j < PER; ++j) sum[j] = sum[j] + x[g][j].value();
        }
        return true;
    }
};
