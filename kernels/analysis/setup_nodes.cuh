// Setup: nodes of several unknowns each. Which sizes of nodes does a pattern have, the pattern of the nodes (which
// the other kernels then take for the caller's), and where the values of each row lie. The rules are those of
// src/analysis/nodes.rs.
//
// The unknowns of a node are consecutive. In a pattern of nodes of `b` unknowns the majors of a node have the same
// entries, in whole nodes, and besides those of the node's own triangle, which is dense.
#pragma once
#include "setup.cuh"
#include "shared/nodes.h"

constexpr uint32_t NODE_SIZES = 1u << SMALLEST_NODE | 1u << 3 | 1u << 4 | 1u << 5 | 1u << LARGEST_NODE;

// Finds sizes that the pattern's nodes do not have; bit `b` of `refuted` stands for size `b`.
template <class I>
struct NodeSizes {
    static constexpr int PIECES = OF_MAJORS;
    const SetupArgs &a;
    uint32_t refuted;  // what this thread knows of, as all of its team do

    // Nothing is read where no size is left.
    __device__ uint2 span(uint32_t i) const { return ~refuted & NODE_SIZES ? major(i) : make_uint2(0, 0); }
    __device__ uint2 major(uint32_t i) const { return make_uint2(a.major[i].x, a.major[i].z); }
    __device__ uint32_t number(uint32_t i) const { return i; }

    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        // Before a piece of a long major it is worth a look what others have found meanwhile.
        if (span.y > longest_whole(a.lanes) && team.rank == 0) refuted |= load_relaxed(&a.summary->refuted);
        uint32_t known = team.reduce(team.rank == 0 ? refuted : 0, Or());
        if ((~known & NODE_SIZES) == 0) return;
        // In the node that begins at `i` if any, and as the major of a node with nothing of its own triangle.
        uint32_t begins = 0, bare = 0;
#pragma unroll
        for (uint32_t b = SMALLEST_NODE; b <= LARGEST_NODE; ++b) {
            begins |= (i % b == 0) << b;
            bare |= (i % b == (a.low ? 0 : b - 1)) << b;
        }
        const I *own = (const I *)a.ind + span.x;
        uint32_t found = 0;
        // Within a node the one major has what the other has, and one unknown of the node.
        if (~known & ~begins & NODE_SIZES) {
            uint2 before = major(i - 1);
            const I *other = (const I *)a.ind + before.x;
            uint32_t longer = a.low ? span.y : before.y, shorter = a.low ? before.y : span.y;
            bool differs = longer != shorter + 1;
            if (!differs && team.rank == 0)
                differs = a.low ? (uint32_t)own[shorter] - a.base != i - 1 : (uint32_t)other[0] - a.base != i;
            for (uint32_t k = team.begin(), past = team.end(shorter); !differs && k < past; k += team.size)
                differs = own[k] != other[a.low ? k : k + 1];
            if (differs) found |= ~begins & NODE_SIZES;
        }
        if (~known & bare & NODE_SIZES) {
#pragma unroll
            for (uint32_t b = SMALLEST_NODE; b <= LARGEST_NODE; ++b)
                if (bare >> b & 1u && span.y % b != 0) found |= 1u << b;
            for (uint32_t k = team.begin(), past = team.end(span.y); k < past; k += team.size) {
                uint32_t j = (uint32_t)own[k] - a.base;
                bool follows = k > 0 && own[k] == own[k - 1] + 1;
#pragma unroll
                for (uint32_t b = SMALLEST_NODE; b <= LARGEST_NODE; ++b)
                    if (bare >> b & 1u && (j % b != k % b || (k % b != 0 && !follows))) found |= 1u << b;
            }
        }
        refuted |= team.reduce(found, Or());
    }
};

template <class I>
__device__ void node_sizes(const SetupArgs &a) {
    __shared__ uint32_t scratch[32], known;
    if (threadIdx.x == 0) known = load_relaxed(&a.summary->refuted);
    __syncthreads();
    NodeSizes<I> rows{a, known};
    if ((~known & NODE_SIZES) == 0) return;
    each_row(a, a.n, rows);
    uint32_t refuted = Block(scratch).reduce(rows.refuted, Or());
    if (threadIdx.x == 0 && refuted & ~load_relaxed(&a.summary->refuted)) atomicOr(&a.summary->refuted, refuted);
}

// The pattern of the nodes: `bounds` and `out_adj` are its offsets and indices. `out_ptr` says by node how many
// entries the bare majors of the nodes before it have.
template <class I>
struct NodePattern {
    static constexpr int PIECES = UNSHARED;
    const SetupArgs &a;

    __device__ uint2 span(uint32_t node) const {
        uint4 major = a.major[node * a.node + (a.low ? 0 : a.node - 1)];
        return make_uint2(major.x, major.z);
    }
    template <class Team>
    __device__ void visit(uint32_t node, uint2 span, const Team &team) {
        uint32_t b = a.node, begin = a.out_ptr[node] / b, count = span.y / b;
        for (uint32_t k = team.rank; k < count; k += team.size)
            a.out_adj[begin + k] = ((uint32_t)((const I *)a.ind)[span.x + k * b] - a.base) / b;
        if (team.rank != 0) return;
        a.bounds[node] = begin;
        if (node == a.count - 1) a.bounds[node + 1] = begin + count;
    }
};

template <class I>
__device__ void node_pattern(const SetupArgs &a) {
    NodePattern<I> nodes{a};
    each_row(a, a.count, nodes);
}

// Where the entries of its node's own triangle lie in a major, as nodal.cuh says.
__device__ __forceinline__ uint32_t own_entries(const SetupArgs &a, uint4 major, uint32_t unknown) {
    // In a row without entries the diagonal says where they would lie.
    if (a.own_diag && major.z == 0 && major.w != NONE) return major.w - unknown;
    return a.low ? major.x + major.z - unknown : major.x - unknown - 1;
}

// Where op(A)'s columns are stored: where the values of a node's rows begin in the column of an unknown of another node.
// `out_val` are the entries' numbers in the pattern of the nodes, whose offsets are `bounds`.
__device__ __forceinline__ uint32_t values_begin(const SetupArgs &a, uint32_t e, uint32_t node, uint32_t unknown) {
    uint32_t b = a.node, first = a.major[node * b + unknown].x + (a.low ? 0 : b - 1 - unknown);
    return first + (a.out_val[e] - a.bounds[node]) * b;
}

// By position of each row: where the entries of its node's own triangle lie, and its diagonal.
SETUP_KERNEL(setup_node_rows, 256) {
    uint32_t p = thread_index();
    if (p >= a.n) return;
    const uint4 *record = a.record + p / a.node;
    uint32_t unknown = p % a.node, i = record[0].x * a.node + unknown;
    uint4 major = a.major[i];
    uint32_t own = own_entries(a, major, unknown);
    // Said again only where that is not known here.
    auto note = [](uint32_t &found) {
        if (!found) found = 1;
    };
    if (major.w == NONE || major.w != own + unknown) note(a.summary->displaced);
    if (unknown > 0) {
        uint32_t others = (record[1].z - record[0].z) * a.node, before = own_entries(a, a.major[i - 1], unknown - 1);
        bool follows = a.low ? own - others == before + unknown : own + unknown == before + a.node + others;
        if (!follows) note(a.summary->parted);
    }
    a.node_row[p] = make_uint2(own, a.own_diag ? major.w : i);
    if (unknown == 0) a.record[p / a.node].w = own;
}

// Where op(A)'s columns are stored: of each entry of the lists and each of its unknowns, where the values begin.
struct NodeValues {
    static constexpr int PIECES = UNSHARED;
    const SetupArgs &a;

    __device__ uint2 span(uint32_t p) const { return make_uint2(a.record[p].z, a.record[p + 1].z - a.record[p].z); }
    template <class Team>
    __device__ void visit(uint32_t, uint2 span, const Team &team) {
        uint32_t b = a.node;
        for (uint32_t k = team.rank; k < span.y * b; k += team.size) {
            uint32_t e = span.x + k / b, unknown = k % b, node = a.record[a.out_adj[e]].x;
            a.index[(size_t)e * b + unknown] = values_begin(a, e, node, unknown);
        }
    }
};

SETUP_KERNEL(setup_node_values, TEAM_BLOCK) {
    NodeValues nodes{a};
    each_row(a, a.count, nodes);
}

// Where values are copied: the rows of op(A), one behind the other in natural order, each with its entries by rising unknowns.
// `out_ptr` and `out_adj` are the nodes' pattern by rows.
struct NodeCopy {
    const SetupArgs &a;
    uint32_t node, before, count, diagonals;  // entries of the nodes before it, and of it; diagonals in a row

    __device__ NodeCopy(const SetupArgs &args, uint32_t node)
        : a(args), node(node), before(a.out_ptr[node]), count(a.out_ptr[node + 1] - before), diagonals(a.own_diag != 0) {}
    // Where a row begins.
    __device__ uint32_t begin(uint32_t unknown) const {
        uint32_t b = a.node, triangle = unknown * (unknown - 1) / 2;
        uint32_t own = a.forward ? triangle : unknown * (b - 1) - triangle;
        return (before * b + node * diagonals) * b + node * (b * (b - 1) / 2) + unknown * (count * b + diagonals) + own;
    }
    // Its entries of other nodes.
    __device__ uint32_t others(uint32_t unknown) const {
        return begin(unknown) + (a.forward ? 0 : diagonals + a.node - 1 - unknown);
    }
    // Those of the node's own triangle, as nodal.cuh says.
    __device__ uint32_t own(uint32_t unknown) const {
        return begin(unknown) + (a.forward ? count * a.node : diagonals - unknown - 1);
    }
};

SETUP_KERNEL(setup_copied_rows, 256) {
    uint32_t p = thread_index();
    if (p >= a.n) return;
    uint32_t unknown = p % a.node, node = a.record[p / a.node].x, own = NodeCopy(a, node).own(unknown);
    a.node_row[p] = make_uint2(own, a.own_diag ? own + unknown : node * a.node + unknown);
    if (unknown == 0) a.record[p / a.node].w = own;
}

// Where each value of the copy lies.
struct NodeSource {
    static constexpr int PIECES = UNSHARED;
    const SetupArgs &a;

    __device__ uint2 span(uint32_t node) const { return make_uint2(a.out_ptr[node], a.out_ptr[node + 1] - a.out_ptr[node]); }
    template <class Team>
    __device__ void visit(uint32_t node, uint2 span, const Team &team) {
        NodeCopy copy(a, node);
        uint32_t b = a.node;
        for (uint32_t k = team.rank; k < span.y * b; k += team.size) {
            uint32_t e = span.x + k / b, unknown = k % b, other = a.out_adj[e];
            uint32_t first = values_begin(a, e, other, unknown);
            for (uint32_t r = 0; r < b; ++r) a.index[copy.others(r) + k] = first + r;
        }
        for (uint32_t c = team.rank; c < b; c += team.size) {
            uint4 major = a.major[node * b + c];
            uint32_t own = own_entries(a, major, c);
            uint32_t first = a.forward ? c + 1 : 0, end = a.forward ? b : c;
            for (uint32_t r = first; r < end; ++r) a.index[copy.own(r) + c] = own + r;
            if (a.own_diag) a.index[copy.own(c) + c] = major.w;
        }
    }
};

SETUP_KERNEL(setup_copied_source, TEAM_BLOCK) {
    NodeSource nodes{a};
    each_row(a, a.count, nodes);
}

#define NODES(i, I)                                                      \
    SETUP_KERNEL(setup_node_sizes_##i, TEAM_BLOCK) { node_sizes<I>(a); } \
    SETUP_KERNEL(setup_node_pattern_##i, TEAM_BLOCK) { node_pattern<I>(a); }
FOR_EACH_INDEX(NODES)
