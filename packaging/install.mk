# Part of the Makefile: what is installed, packed for other machines, and documented.

PREFIX ?= /usr/local
DESTDIR ?=
STRIP ?= strip
# Folders are below PREFIX unless they are named: packaging/paths knows where.
PLACES = $(foreach name,PREFIX DESTDIR BINDIR LIBDIR INCLUDEDIR DATADIR DOCDIR MANDIR STRIP,$(name)='$($(name))')

.PHONY: install uninstall dist docs docs-try notices

# Root seldom has the cargo that rustup gave to a user, nor, by sudo, the environment that this one has built with:
# `sudo make install` takes what is built, and writes nothing beside it. A cargo that does not run, as rustup's without a
# toolchain, counts as none.
install:
	@if [ -z "$${SUDO_USER:-}" ] && cargo --version > /dev/null 2>&1; then $(MAKE) build; exit; fi; \
	for name in $(LIBRARIES) libsptrsv.a sptrsv; do [ -f '$(TARGET)/release'/$$name ] || { \
	  echo "error: there is no $(TARGET)/release/$$name: run 'make build' first, as the user who has cargo" >&2; exit 1; }; done; \
	echo 'what $(TARGET)/release holds is installed as it is'
	@$(PLACES) sh packaging/install '$(TARGET)' '$(VERSION)'

uninstall:
	@$(PLACES) sh packaging/uninstall

# A tree for machines without Rust and nvcc, packed: to be unpacked anywhere.
dist: build docs-try
	@STRIP='$(STRIP)' sh packaging/dist '$(TARGET)' '$(VERSION)'

# Man pages and HTML of the C interface, in $(TARGET)/docs, which `make install` takes along.
docs: docs-try
	@command -v doxygen > /dev/null || { echo 'error: doxygen was not found: install it with the system'\''s package manager' >&2; exit 1; }

docs-try:
	@$(call APT_GET,doxygen)
	@if command -v doxygen > /dev/null; then sh packaging/docs '$(TARGET)' '$(VERSION)'; \
	else echo 'no doxygen: the man pages of the C interface are left out'; fi

# The licenses of all crates that are linked into what is installed; anew when Cargo.lock changes.
notices:
	@cargo about --version > /dev/null 2>&1 || { echo "error: cargo-about was not found: run 'cargo install --features cli cargo-about'" >&2; exit 1; }
	@cargo about generate --workspace --locked --config packaging/about.toml packaging/about.hbs \
	  | sed 's/[[:space:]]*$$//' > '$(TARGET)/notices'; mv '$(TARGET)/notices' packaging/THIRD-PARTY-NOTICES.txt
