# Builds, tests, runs and packs libsptrsv; `make` alone lists what can be made.
#
# It needs cargo, gcc, g++ (see below) and a CUDA compiler. nvcc is looked for in CUDA_PATH, CUDA_HOME, PATH,
# /usr/local/cuda and ./.cuda, in this order; where there is none, it is installed from PyPI into ./.cuda.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-print-directory

MATRIX ?=
GRID ?= 100
BENCH_ARGS ?=
RESULTS ?= results
MINUTES ?= 60
SEED ?= $(shell date +%s)

# rustup puts cargo where the next login shell finds it; this one may not.
export PATH := $(PATH):$(HOME)/.cargo/bin
TARGET := $(or $(CARGO_TARGET_DIR),target)
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# `make demo` alone is to show something soon. Where there is no GPU it builds the host executor alone; where there is one,
# it compiles the kernels for that one.
comma := ,
ifeq ($(MAKECMDGOALS),demo)
ifeq ($(wildcard /dev/nvidia0 /dev/dxg),)
export SPTRSV_CUDA_ARCHS ?= none
else
export SPTRSV_CUDA_ARCHS ?= $(or $(subst .,,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader \
	2> /dev/null | sort -u | paste -sd,)),80$(comma)90)
endif
endif
WITHOUT_GPU := $(filter none,$(SPTRSV_CUDA_ARCHS))

.PHONY: help tools cuda cuda-try run-demo g++-try gfortran-try mpi-try pkg-config-try valgrind-try lib build examples demo test fuzz soak bench wheel gpu-bundle clean

help:
	@echo 'make demo [MATRIX=file.mtx[.gz]] [GRID=100]  build, solve a real system (ILU(0) and CG), report'
	@echo 'make test                                    build, run every test'
	@echo 'make fuzz [MINUTES=60] [SEED=clock]          random calls on the host executor, each judged'
	@echo 'make soak [MINUTES=60] [SEED=clock]          mixed solves in two processes of several threads, each checked'
	@echo 'make bench [BENCH_ARGS=...] [RESULTS=folder] build, measure all solvers, write ./results'
	@echo 'make lib                                     the libraries, in $(TARGET)/release'
	@echo 'make build                                   the libraries and the command line, as they are installed'
	@echo 'make examples                                the programs of examples_c/, in $(TARGET)/examples'
	@echo 'make install [PREFIX=/usr/local] [DESTDIR=]  both, headers, Fortran module, man pages; for pkg-config and CMake'
	@echo 'make uninstall [PREFIX=/usr/local] ...       remove what make install has put there'
	@echo 'make dist                                    a tarball of it for machines without Rust and nvcc, in $(TARGET)/dist'
	@echo 'make docs                                    man pages and HTML of the C interface, in $(TARGET)/docs'
	@echo 'make wheel                                   the Python package, in $(TARGET)/wheel'
	@echo 'make gpu-bundle                              ./gpu-bundle: tests and examples for a machine with a GPU'
	@echo 'make clean                                   remove what was built; ./.cuda, ./.gxx and ./.venv stay'

# ---------------------------------------------------------------------------------------------- tools

# As root on a Debian system a compiler that is missing is installed, elsewhere it is left to the user.
# $1: a program of the package, $2: the packages where there are several.
APT_GET = if command -v $1 > /dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then exit 0; fi; \
	echo 'no $1 found: installing it with apt-get'; mkdir -p '$(TARGET)'; \
	export DEBIAN_FRONTEND=noninteractive; \
	{ timeout 300 apt-get -q update && timeout 300 apt-get -q install -y --no-install-recommends $(or $2,$1); } \
	  < /dev/null > '$(TARGET)/$1-install.log' 2>&1 || echo '$1 could not be installed'

# nvcc and the tests need it. Who is not root gets gcc's sister unpacked into ./.gxx, where every recipe finds it by
# ./.gxx/env; what they have in common is linked. The packages of newer systems have the compiler itself in one that
# also names the machine.
export BASH_ENV ?= $(CURDIR)/.gxx/env

g++-try:
	@$(call APT_GET,g++)
	@if command -v g++ > /dev/null; then exit 0; fi; \
	for tool in gcc apt-get dpkg-deb; do command -v $$tool > /dev/null || exit 0; done; \
	echo 'no g++ found: unpacking it into ./.gxx'; mkdir -p '$(TARGET)'; \
	{ v=$$(gcc -dumpversion | cut -d. -f1); m=$$(gcc -dumpmachine); new=$$(mktemp -d '$(CURDIR)/.gxx.XXXXXX'); \
	  trap 'rm -rf "$$new"' EXIT; cd "$$new"; mkdir -p state/lists/partial cache/archives/partial; \
	  apt="apt-get -q -o Dir::State=$$new/state -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache=$$new/cache"; \
	  timeout 300 $$apt -o Debug::NoLocking=1 update || exit 0; \
	  timeout 300 $$apt download g++-$$v libstdc++-$$v-dev || exit 0; \
	  timeout 300 $$apt download g++-$$v-$${m//_/-} || true; \
	  for deb in *.deb; do dpkg-deb -x "$$deb" root; done; rm -rf state cache *.deb; \
	  for part in "$$(gcc -print-libgcc-file-name)" "$$(gcc -print-prog-name=cc1)"; do \
	    dir=$$(dirname "$$part"); mkdir -p "root$$dir"; cp -rsn "$$dir/." "root$$dir/" || true; done; \
	  mkdir bin; ln -s "../root/usr/bin/$$m-g++-$$v" bin/g++; \
	  printf '%s\n' "export PATH='$(CURDIR)/.gxx/bin':\"\$$PATH\" NVCC_CCBIN='$(CURDIR)/.gxx/bin/g++'" > env; \
	  chmod 755 .; cd ..; rm -rf .gxx; mv "$$new" .gxx; \
	} < /dev/null > '$(TARGET)/g++-install.log' 2>&1 || echo 'g++ could not be unpacked'

tools: g++-try
	@for tool in cargo gcc g++; do command -v $$tool > /dev/null || { \
	  case $$tool in cargo) from='from https://rustup.rs' ;; *) from="with the system's package manager" ;; esac; \
	  echo "error: $$tool was not found: install it $$from" >&2; exit 1; }; done

# Looked up anew at each use: it may be installed in between.
NVCC = $(shell for nvcc in "$${CUDA_PATH:+$$CUDA_PATH/bin/nvcc}" "$${CUDA_HOME:+$$CUDA_HOME/bin/nvcc}" \
	"$$(command -v nvcc)" /usr/local/cuda/bin/nvcc .cuda/nvidia/cu13/bin/nvcc; do \
	if [ -f "$$nvcc" ]; then echo "$$nvcc"; break; fi; done)
CUDA_ROOT = $(patsubst %/bin/nvcc,%,$(NVCC))

CUDA_WHEELS := $(addsuffix ==13.0.*,nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl)

# Installs into a new folder and renames that, so that ./.cuda is whole or not there at all. With --target
# pip leaves the system's packages alone; where python3 has no pip, a virtual environment brings one.
cuda-try:
	@if [ -n '$(NVCC)$(WITHOUT_GPU)' ]; then exit 0; fi; \
	echo 'no CUDA compiler found: installing nvcc 13.0 from PyPI into ./.cuda'; \
	mkdir -p '$(TARGET)'; log='$(TARGET)/cuda-install.log'; python=python3; \
	new=$$(mktemp -d '$(TARGET)/cuda.XXXXXX'); trap 'rm -rf "$$new"' EXIT; \
	if ! python3 -m pip --version > "$$log" 2>&1; then python3 -m venv .venv >> "$$log" 2>&1 || exit 0; \
	  python=.venv/bin/python; fi; \
	PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 $$python -m pip install --quiet --target "$$new" \
	  $(CUDA_WHEELS:%='%') >> "$$log" 2>&1 || exit 0; \
	chmod 755 "$$new"; rm -rf .cuda; mv "$$new" .cuda

cuda: tools cuda-try
	@$(if $(NVCC)$(WITHOUT_GPU),:,$(error no CUDA compiler: install the CUDA toolkit and set CUDA_PATH to it, or connect to the \
	network and install python3-pip so that nvcc can come from PyPI (details in $(TARGET)/cuda-install.log)))

# Only for the tests of the Fortran module, the MPI example and what is installed, which are counted as skipped where
# these are missing.
gfortran-try:
	@$(call APT_GET,gfortran)
mpi-try:
	@$(call APT_GET,$(MPICC),mpich libmpich-dev)
pkg-config-try:
	@$(call APT_GET,pkg-config)

# Only for a sample of the fuzzer's cases, likewise.
valgrind-try:
	@$(call APT_GET,valgrind)

# ------------------------------------------------------------------------------ libraries and examples

# The command line takes more crates than the libraries do, and is built where it is used.
test bench build wheel gpu-bundle dist: ALL := --workspace

# The build script tells of each kernel that it compiles in a file; cargo would keep that to itself.
PROGRESS := $(TARGET)/release/kernels/progress

lib: cuda
	@$(if $(WITHOUT_GPU),echo 'building the host executor alone (make lib builds the kernels too)')
	@mkdir -p '$(dir $(PROGRESS))'; : > '$(PROGRESS)'; tail -f --pid=$$$$ '$(PROGRESS)' 2> /dev/null & \
	cargo build --release $(ALL)

build: lib

# gcc compiles the C sources, nvcc the one in CUDA, for which another stands where there is to be no GPU. The runtimes of CUDA and C++ are linked statically: the
# programs need glibc, libgcc_s and libsptrsv, which they find beside their own folder.
MPI_EXAMPLE := $(TARGET)/examples/05_mpi_schwarz
EXAMPLES := $(filter-out $(MPI_EXAMPLE),$(patsubst examples_c/%.c,$(TARGET)/examples/%,$(wildcard examples_c/[0-9]*.c)))
OBJECTS := $(TARGET)/examples/objects
OTHER_GPU_PART := $(if $(WITHOUT_GPU),examples_c/gpu.cu,examples_c/no_gpu.c)
SHARED_SOURCES := $(filter-out $(OTHER_GPU_PART) $(wildcard examples_c/[0-9]* examples_c/mpi_*),$(wildcard examples_c/*.c examples_c/*.cu))
SHARED_OBJECTS := $(patsubst examples_c/%,$(OBJECTS)/%.o,$(basename $(SHARED_SOURCES)))
EXAMPLE_HEADERS := include/sptrsv.h $(wildcard examples_c/*.h)
EXAMPLE_LIBS = -L'$(TARGET)/release' -lsptrsv -lm -Xlinker '-rpath=$$ORIGIN/../release:$$ORIGIN/../lib'
EXAMPLE_CUDA_LIBS = -L'$(CUDA_ROOT)/lib64' -L'$(CUDA_ROOT)/lib' -Xlinker --as-needed -Xcompiler -static-libstdc++

examples: $(EXAMPLES) mpi-example

$(OBJECTS)/%.o: examples_c/%.c $(EXAMPLE_HEADERS) | lib
	@mkdir -p $(@D)
	@gcc -std=c99 -Wall -Wextra -pedantic -O2 -Iinclude -c $< -o $@

$(OBJECTS)/%.o: examples_c/%.cu $(EXAMPLE_HEADERS) | lib
	@mkdir -p $(@D)
	@'$(NVCC)' -std=c++17 -O2 -Iinclude $(EXAMPLE_ARCHS) -c $< -o $@

# Changes when the other part is wanted.
$(OBJECTS)/gpu-part: FORCE
	@mkdir -p $(@D); echo '$(SHARED_OBJECTS)' | cmp -s - $@ || echo '$(SHARED_OBJECTS)' > $@

$(TARGET)/examples/%: $(OBJECTS)/%.o $(SHARED_OBJECTS) $(OBJECTS)/gpu-part | lib
	@$(if $(WITHOUT_GPU),gcc -o $@ $(filter %.o,$^) $(EXAMPLE_LIBS),'$(NVCC)' -o $@ $(filter %.o,$^) $(EXAMPLE_LIBS) \
	  $(EXAMPLE_CUDA_LIBS))

FORCE:

# Compiled and linked by MPI's compiler, of any MPI: make MPICC=/opt/mpi/bin/mpicc. Without MPI, or where it has a compiler but
# no mpi.h, the program is left out. gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too small.
MPICC ?= mpicc

mpi-example: mpi-try
	@if echo '#include <mpi.h>' | '$(MPICC)' -E -x c - > /dev/null 2>&1; then $(MAKE) '$(MPI_EXAMPLE)' ALL='$(ALL)'; else rm -f '$(MPI_EXAMPLE)'; fi

$(MPI_EXAMPLE): examples_c/05_mpi_schwarz.c $(wildcard examples_c/mpi_*.c) $(SHARED_OBJECTS) $(OBJECTS)/gpu-part $(EXAMPLE_HEADERS) | lib
	@'$(MPICC)' -std=c99 -Wall -Wextra -pedantic -Wno-stringop-overflow -O2 -pthread -Iinclude -o $@ $(filter %.c %.o,$^) $(EXAMPLE_LIBS) \
	  $(if $(WITHOUT_GPU),,-L'$(CUDA_ROOT)/lib64' -L'$(CUDA_ROOT)/lib' -lcudart_static -lrt -ldl -l:libstdc++.a)

# The same GPUs as the library's kernels.
ARCHS := $(subst $(comma), ,$(or $(SPTRSV_CUDA_ARCHS),80$(comma)90))
EXAMPLE_ARCHS := -Wno-deprecated-gpu-targets $(foreach a,$(ARCHS),-gencode=arch=compute_$a$(comma)code=sm_$a) \
	-gencode=arch=compute_$(lastword $(ARCHS))$(comma)code=compute_$(lastword $(ARCHS))

# Where there is a GPU but no CUDA compiler can be had, the host executor alone has to do.
demo: cuda-try
	@$(if $(NVCC)$(WITHOUT_GPU),,echo 'no CUDA compiler can be had (details in $(TARGET)/cuda-install.log)'; SPTRSV_CUDA_ARCHS=none) \
	$(MAKE) run-demo

run-demo: examples
	@'$(TARGET)/examples/03_ilu0_pcg' --grid '$(GRID)' $(if $(MATRIX),'$(MATRIX)')

# ---------------------------------------------------------------------------------------------- tests

# The library's own tests and the fuzzer once more, on a host executor in which a sum that overflows is a panic.
CHECKED := SPTRSV_CUDA_ARCHS=none cargo test --profile checked --lib --test fuzz -- --nocapture --skip planted --skip valgrind

# Rust's test runner and every C program end with a line of counts; the last line here is their sum.
test: examples gfortran-try pkg-config-try valgrind-try
	@status=0; log='$(TARGET)/test.log'; \
	cargo test --release --workspace --no-fail-fast -- --nocapture 2>&1 | tee "$$log" || status=1; \
	$(CHECKED) 2>&1 | tee -a "$$log" || status=1; \
	sh examples_c/run-examples '$(TARGET)/examples' 2>&1 | tee -a "$$log" || status=1; \
	{ sh examples_c/cuda/build-tests '$(TARGET)/release' '$(TARGET)/tmp/examples_c_cuda' && \
	  sh examples_c/cuda/run-tests '$(TARGET)/tmp/examples_c_cuda'; } 2>&1 | tee -a "$$log" || status=1; \
	sh tests/command-line '$(TARGET)/release' 2>&1 | tee -a "$$log" || status=1; \
	sh tests/launcher '$(TARGET)/release' 2>&1 | tee -a "$$log" || status=1; \
	sh tests/install '$(TARGET)' 2>&1 | tee -a "$$log" || status=1; \
	sh tests/python '$(TARGET)' 2>&1 | tee -a "$$log" || status=1; \
	sh .ci/sum-counts "$$log" || status=1; exit $$status

# Another seed each time: a failure says which, and how to run its case again.
fuzz: lib
	@sh c_tests/fuzz/build '$(TARGET)/release' '$(TARGET)/fuzz'
	@'$(TARGET)/fuzz/fuzz' --minutes '$(MINUTES)' --seed '$(SEED)'

# On the GPU, or on the host executor where there is none.
soak: lib
	@sh c_tests/build-tests '$(TARGET)/release' '$(TARGET)/tmp/c_tests'
	@'$(TARGET)/tmp/c_tests/soak' '$(MINUTES)' --seed '$(SEED)'

# ------------------------------------------------------------------------------------------ benchmark

# All matrices on the GPU, or the small ones on the CPU where there is none.
bench: lib
	@'$(TARGET)/release/sptrsv' bench --out '$(RESULTS)' $(BENCH_ARGS)

# --------------------------------------------------------------------------------------------- Python

# A wheel with all that it needs inside; its tools come from PyPI into $(TARGET)/venv.
wheel: lib
	@sh python/build-wheel '$(TARGET)'

# --------------------------------------------------------------------------------- install and bundle

LIBRARIES := libsptrsv.so libsptrsv_cusparse.so libsptrsv_spsv.so
include packaging/install.mk

# Everything that a machine with a GPU, glibc and no Rust needs to run the tests: ./gpu-bundle/run-tests.
# A folder of tests brings `build-tests LIBDIR OUTDIR` and `run-tests FOLDER`. Where `make test` has built them
# before, they are there already.
TEST_FOLDERS := c_tests c_tests/cusparse fortran examples_c/cuda

gpu-bundle: examples gfortran-try
	@rm -rf gpu-bundle; mkdir -p gpu-bundle/lib gpu-bundle/bin gpu-bundle/examples
	@cp $(LIBRARIES:%=$(TARGET)/release/%) gpu-bundle/lib; cp -P $(LIBRARIES:%=$(TARGET)/release/%.[0-9]*) gpu-bundle/lib
	@cp $(TARGET)/release/sptrsv gpu-bundle/bin; cp tests/command-line gpu-bundle/bin/run-tests
	@for folder in $(TEST_FOLDERS); do name=$${folder//\//_}; built="$(TARGET)/tmp/$$name"; \
	  sh $$folder/build-tests '$(TARGET)/release' "$$built"; \
	  mkdir gpu-bundle/$$name; cp $$folder/run-tests gpu-bundle/$$name; \
	  (cd "$$built"; find . -type f \( -perm -u+x -o -name '*.so*' \)) | tar -C "$$built" -T - -cf - \
	    | tar -C gpu-bundle/$$name -xf -; done
	@mv gpu-bundle/c_tests/soak gpu-bundle/soak
	@cp $(EXAMPLES) $$(find '$(MPI_EXAMPLE)' 2> /dev/null || true) gpu-bundle/examples; cp examples_c/run-examples gpu-bundle/examples/run-tests
	@find gpu-bundle -type f -exec sh -c 'for f; do ! readelf -h "$$f" > /dev/null 2>&1 || strip --strip-unneeded "$$f"; done' - {} +
	@cp .ci/sum-counts .ci/count-attacks gpu-bundle; cp .ci/run-bundle gpu-bundle/run-tests
	@bytes=$$(du -sb gpu-bundle | cut -f 1); echo "gpu-bundle: $$((bytes >> 20)) MiB"; [ "$$bytes" -lt 67108864 ] || \
	  { echo 'error: the bundle is larger than 64 MiB' >&2; exit 1; }

clean:
	@rm -rf '$(TARGET)' gpu-bundle
