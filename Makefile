# berth: one plain, non-recursive Makefile. `make help` lists the targets.
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

# ---- settings (override on the command line) -------------------------------------------------------
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
DESTDIR  ?=
# make's own defaults (cc, g++) would hide a CC from the environment
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
endif
BACKENDS ?= clp glpk
OPT      ?= -O2 -g
SANITIZE ?=
WERROR   ?=
COVERAGE ?=

# ---- version, flags, folders ------------------------------------------------------------------------
version_part = $(shell sed -n 's/^.define BERTH_VERSION_$(1) \([0-9]*\)$$/\1/p' include/berth.h)
VERSION   := $(call version_part,MAJOR).$(call version_part,MINOR).$(call version_part,PATCH)
SOVERSION := 0

HAS_CLP  := $(filter clp,$(BACKENDS))
HAS_GLPK := $(filter glpk,$(BACKENDS))

WARN_BOTH := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion -Wcast-qual -Wundef \
  -Wformat=2 -Wnull-dereference
WARN_C    := $(WARN_BOTH) -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wswitch-enum
CODEGEN   := $(OPT) -fPIC -fvisibility=hidden -ffp-contract=off -fopenmp \
  $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all) \
  $(if $(COVERAGE),--coverage)
CPPFLAGS_ALL := -Iinclude -I. $(if $(HAS_CLP),-DBERTH_WITH_CLP) $(if $(HAS_GLPK),-DBERTH_WITH_GLPK) $(CPPFLAGS)
CFLAGS_ALL   := -std=c11 $(WARN_C) $(CODEGEN) $(if $(WERROR),-Werror) $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(WARN_BOTH) $(CODEGEN) $(if $(WERROR),-Werror) -isystem /usr/include/coin $(CXXFLAGS)

CLP_LIBS  := $(if $(HAS_CLP),-lClp -lCoinUtils)
GLPK_LIBS := $(if $(HAS_GLPK),-lglpk)
BASE_LIBS := -ljansson -lz -lm
LDFLAGS_ALL := $(CODEGEN) $(LDFLAGS)

# Objects of different flags never mix: each set has a folder of its own.
FLAGS_HASH := $(shell printf '%s' '$(CC) $(CXX) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(CXXFLAGS_ALL) $(LDFLAGS_ALL) $(BACKENDS)' | cksum | cut -d' ' -f1)
B := build/$(FLAGS_HASH)

# ---- sources: a room's files are found, so that no list goes stale --------------------------------------
ROOMS   := base solver rounding formulations online audit formats workload
LIB_SRC := $(filter-out solver/glpk.c $(if $(HAS_CLP),,solver/clp.c),$(foreach r,$(ROOMS),$(sort $(wildcard $(r)/*.c $(r)/*/*.c $(r)/*.cc))))
GLPK_SRC := $(if $(HAS_GLPK),solver/glpk.c)
CLI_SRC := $(sort $(wildcard cli/*.c))
SUPPORT_SRC := $(sort $(wildcard tests/support/*.c))
TEST_SRC := $(sort $(wildcard tests/unit/*.c tests/contract/*.c tests/property/*.c tests/golden/*.c tests/oom/*.c))

object = $(patsubst %,$(B)/%.o,$(1))
LIB_OBJ  := $(call object,$(LIB_SRC))
GLPK_OBJ := $(call object,$(GLPK_SRC))
CLI_OBJ  := $(call object,$(CLI_SRC))
SUPPORT_OBJ := $(call object,$(SUPPORT_SRC))
TESTS    := $(patsubst %.c,$(B)/%,$(TEST_SRC))

STATIC := $(B)/libberth.a
SHARED := $(B)/libberth.so.$(SOVERSION)
GLPK_STATIC := $(if $(HAS_GLPK),$(B)/libberth_glpk.a)
GLPK_SHARED := $(if $(HAS_GLPK),$(B)/libberth_glpk.so.$(SOVERSION))

# ---- main targets ------------------------------------------------------------------------------------------
## all: the program and the libraries (build/berth, build/libberth.{a,so})
all: cli lib
## cli: the program, build/berth
cli: deps
	@$(MAKE) --no-print-directory build/berth
## lib: static and shared library
lib: deps
	@$(MAKE) --no-print-directory build-lib

## run: installs what is missing, runs the main job on a shipped instance and checks the result
run: cli
	@build/berth run instances/quickstart.json -o build/quickstart-result.json
	@build/berth check instances/quickstart.json build/quickstart-result.json

## check: installs what is missing and runs all tests
check: deps
	@$(MAKE) --no-print-directory -j$$(nproc) build-tests build/berth
	@$(MAKE) --no-print-directory run-tests

.PHONY: all cli lib run check deps build-lib build-tests run-tests FORCE

# What a person calls first installs what is missing; does nothing when all is there.
## deps: installs the Debian packages that are missing (apt-get, with sudo if not root)
deps:
	@.ci/deps $(if $(filter check build-tests,$(MAKECMDGOALS)),build test,build)

build/berth: $(B)/berth FORCE
	@ln -sf $(FLAGS_HASH)/berth $@
build-lib: $(STATIC) $(SHARED) $(GLPK_STATIC) $(GLPK_SHARED)
	@for f in $(notdir $^); do ln -sf $(FLAGS_HASH)/$$f build/$$f; done
	@ln -sf $(FLAGS_HASH)/libberth.so.$(SOVERSION) build/libberth.so
FORCE:

$(B)/berth: $(CLI_OBJ) $(STATIC) $(GLPK_STATIC)
	$(CXX) $(LDFLAGS_ALL) -o $@ $(CLI_OBJ) $(GLPK_STATIC) $(STATIC) $(CLP_LIBS) $(GLPK_LIBS) $(BASE_LIBS)

$(STATIC): $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^
$(SHARED): $(LIB_OBJ)
	$(CXX) -shared -Wl,-soname,libberth.so.$(SOVERSION) -Wl,-z,defs $(LDFLAGS_ALL) -o $@ $^ $(CLP_LIBS) $(BASE_LIBS)
$(B)/libberth_glpk.a: $(GLPK_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^
$(B)/libberth_glpk.so.$(SOVERSION): $(GLPK_OBJ) $(SHARED)
	$(CC) -shared -Wl,-soname,libberth_glpk.so.$(SOVERSION) $(LDFLAGS_ALL) -o $@ $(GLPK_OBJ) -L$(B) $(GLPK_LIBS) -lm

$(B)/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(if $(filter solver/clp.c,$<),-isystem /usr/include/coin) -MMD -MP -c -o $@ $<
$(B)/%.cc.o: %.cc
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS_ALL) $(CXXFLAGS_ALL) -MMD -MP -c -o $@ $<
-include $(patsubst %.o,%.d,$(LIB_OBJ) $(GLPK_OBJ) $(CLI_OBJ) $(SUPPORT_OBJ)) $(addsuffix .c.d,$(TESTS))

# ---- tests ---------------------------------------------------------------------------------------------------
build-tests: $(TESTS)
$(B)/tests/%: $(B)/tests/%.c.o $(SUPPORT_OBJ) $(STATIC) $(GLPK_STATIC)
	$(CXX) $(LDFLAGS_ALL) -o $@ $< $(SUPPORT_OBJ) $(GLPK_STATIC) $(STATIC) $(CLP_LIBS) $(GLPK_LIBS) $(BASE_LIBS) -lcmocka
run-tests: $(TESTS)
	@BERTH_PROGRAM=$(B)/berth tests/run $(TESTS)

## clean: removes build/
clean:
	rm -rf build
## help: this list
help:
	@sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST))
.PHONY: clean help
.SECONDARY:
