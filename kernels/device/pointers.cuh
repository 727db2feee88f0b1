// The types of pointers in arguments, which are written in Rust (src/executor/cuda/shared/mod.rs).
#pragma once
#include <cstdint>

template <class T>
using ConstPtr = const T *;
template <class T>
using MutPtr = T *;
template <class T>
using VolatilePtr = volatile T *;
