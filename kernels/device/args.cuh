// What a kernel gets, by value: written in src/executor/cuda/shared/solve.rs.
#pragma once
#include "shared/schedule.h"
#include "shared/solve.h"
