# berth: one plain, non-recursive Makefile. `make help` lists the targets; V=1 shows the commands.
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

# ---- settings (override on the command line) -------------------------------------------------------
PREFIX   ?= /usr/local
BINDIR   ?= $(PREFIX)/bin
LIBDIR   ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR   ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
PYTHON   ?= python3
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
V        ?=

# ---- version, flags, folders ------------------------------------------------------------------------
version_part = $(shell sed -n 's/^.define BERTH_VERSION_$(1) \([0-9]*\)$$/\1/p' include/berth.h)
VERSION   := $(call version_part,MAJOR).$(call version_part,MINOR).$(call version_part,PATCH)
SOVERSION := 0

HAS_CLP  := $(filter clp,$(BACKENDS))
HAS_GLPK := $(filter glpk,$(BACKENDS))
$(if $(HAS_CLP)$(HAS_GLPK),,$(error BACKENDS is "$(BACKENDS)"; expected "clp glpk", clp or glpk))

WARN_BOTH := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion -Wcast-qual -Wundef \
  -Wformat=2 -Wnull-dereference
WARN_C    := $(WARN_BOTH) -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wswitch-enum
CODEGEN   := $(OPT) -fPIC -fvisibility=hidden -ffp-contract=off -fopenmp \
  $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all) \
  $(if $(COVERAGE),--coverage)
CPPFLAGS_ALL := -Iinclude -I. $(if $(HAS_CLP),-DBERTH_WITH_CLP) $(if $(HAS_GLPK),-DBERTH_WITH_GLPK) $(CPPFLAGS)
CFLAGS_ALL   := -std=c11 $(WARN_C) $(CODEGEN) $(if $(WERROR),-Werror) $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(WARN_BOTH) $(CODEGEN) $(if $(WERROR),-Werror) -isystem /usr/include/coin $(CXXFLAGS)

# A shared library that a sanitizer watches finds the sanitizer's functions in the program only.
NO_UNDEFINED := $(if $(SANITIZE),,-Wl,-z,defs)
CLP_LIBS  := $(if $(HAS_CLP),-lClp -lCoinUtils)
GLPK_LIBS := $(if $(HAS_GLPK),-lglpk)
BASE_LIBS := -lnlopt -ljansson -lz -lm
LDFLAGS_ALL := $(CODEGEN) $(LDFLAGS)

# Objects of different flags never mix: each set has a folder of its own.
FLAGS_HASH := $(shell printf '%s' '$(CC) $(CXX) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(CXXFLAGS_ALL) $(LDFLAGS_ALL) $(BACKENDS)' | cksum | cut -d' ' -f1)
B := build/$(FLAGS_HASH)

# V=1 shows whole commands, otherwise what each makes.
say = $(if $(V),,@echo '  $(1) $(patsubst $(B)/%,%,$(2))';)

# Runs a command as a person would, with the command above its output.
shown = @echo '$$ $(1)'; $(1)

# ---- sources: a room's files are found, so that no list goes stale --------------------------------------
ROOMS   := base solver rounding formulations online audit formats workload service report
LIB_SRC := $(filter-out solver/glpk%.c $(if $(HAS_CLP),,solver/clp.c),$(foreach r,$(ROOMS),$(sort $(wildcard $(r)/*.c $(r)/*/*.c $(r)/*.cc))))
GLPK_SRC := $(if $(HAS_GLPK),$(sort $(wildcard solver/glpk*.c)))
CLI_SRC := $(sort $(wildcard cli/*.c))
SUPPORT_SRC := $(sort $(wildcard tests/support/*.c))
# The out-of-memory sweeps need the allocator that fails on demand (make oom).
WITH_OOM := $(findstring BERTH_TESTING_ALLOC,$(CPPFLAGS))
TEST_SRC := $(sort $(wildcard $(if $(WITH_OOM),tests/oom/*.c,$(patsubst %,tests/%/*.c,unit contract property golden))))
EXAMPLE_SRC := $(sort $(wildcard examples/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SUPPORT := tests/fuzz/as_file.c
CLP_REFERENCE := bench/cases/theta_clp.c
BENCH_SRC := $(filter-out $(if $(HAS_CLP),,$(CLP_REFERENCE)),$(sort $(wildcard bench/*.c bench/cases/*.c)))
SCRIPTS  := docs/refresh docs/cohorts-picture docs/goodput-picture docs/allocation-picture docs/experiments/refresh docs/plots-picture docs/man-page .ci/run .ci/deps .ci/package .ci/check-package .ci/check-layers .ci/check-headers .ci/check-exports tests/run
ALL_CODE := $(sort $(wildcard $(foreach r,include $(ROOMS) cli tests bench examples,$(foreach d,$(r) $(r)/*,$(d)/*.c $(d)/*.h $(d)/*.cc))))

object = $(patsubst %,$(B)/%.o,$(1))
LIB_OBJ  := $(call object,$(LIB_SRC))
GLPK_OBJ := $(call object,$(GLPK_SRC))
CLI_OBJ  := $(call object,$(CLI_SRC))
SUPPORT_OBJ := $(call object,$(SUPPORT_SRC))
BENCH_OBJ := $(call object,$(BENCH_SRC))
TESTS    := $(patsubst %.c,$(B)/%,$(TEST_SRC))
EXAMPLES := $(patsubst %.c,$(B)/%,$(EXAMPLE_SRC))
REPLAYS  := $(patsubst %.c,$(B)/%,$(FUZZ_SRC))

STATIC := $(B)/libberth.a
SHARED := $(B)/libberth.so.$(SOVERSION)
GLPK_STATIC := $(if $(HAS_GLPK),$(B)/libberth_glpk.a)
GLPK_SHARED := $(if $(HAS_GLPK),$(B)/libberth_glpk.so.$(SOVERSION))

# ---- main targets ------------------------------------------------------------------------------------------
# What a person calls first installs what is missing (.ci/deps does nothing when all is there), then calls make
# again, on all processors unless -j was given.
AGAIN = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

## all: the program and the libraries (build/berth, build/libberth.{a,so})
all: deps-build
	+@$(AGAIN) build/berth build-lib
## cli: the program, build/berth
cli: deps-build
	+@$(AGAIN) build/berth
## lib: static and shared library
lib: deps-build
	+@$(AGAIN) build-lib

## run: installs what is missing, runs the main job on a shipped instance and checks the result
run: cli
	$(call shown,build/berth run instances/quickstart.json -o build/quickstart-result.json)
	@echo
	$(call shown,build/berth check instances/quickstart.json build/quickstart-result.json)

## check: installs what is missing and runs all tests
check: deps-test
	+@$(AGAIN) build-tests $(B)/berth
	@$(MAKE) --no-print-directory run-tests

## deps: installs the Debian packages that are missing (apt-get, with sudo if not root)
deps: deps-test
deps-build:
	@.ci/deps build
deps-test:
	@.ci/deps build test
deps-ci:
	@.ci/deps build test ci
deps-lint:
	@.ci/deps build test lint
deps-package:
	@.ci/deps build package

.PHONY: all cli lib run check deps deps-build deps-test deps-ci deps-lint deps-package build-lib build-tests run-tests FORCE

build/berth build/berth-bench: build/%: $(B)/% FORCE
	@mkdir -p build
	@ln -sfn $(patsubst build/%,%,$(B))/$* $@
build-lib: $(STATIC) $(SHARED) $(GLPK_STATIC) $(GLPK_SHARED)
	@mkdir -p build
	@rm -f build/libberth*
	@for f in $(notdir $^); do \
	  ln -sfn $(patsubst build/%,%,$(B))/$$f build/$$f; \
	  case $$f in *.so.*) ln -sfn $$f build/$${f%.so.*}.so ;; esac; \
	done
FORCE:

$(B)/berth: $(CLI_OBJ) $(STATIC) $(GLPK_STATIC)
	$(call say,LINK,$@)$(CXX) $(LDFLAGS_ALL) -o $@ $(CLI_OBJ) $(GLPK_STATIC) $(STATIC) $(CLP_LIBS) $(GLPK_LIBS) $(BASE_LIBS)

$(B)/berth-bench: $(BENCH_OBJ) $(STATIC) $(GLPK_STATIC)
	$(call say,LINK,$@)$(CXX) $(LDFLAGS_ALL) -o $@ $(BENCH_OBJ) $(GLPK_STATIC) $(STATIC) $(CLP_LIBS) $(GLPK_LIBS) $(BASE_LIBS)

$(STATIC): $(LIB_OBJ)
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^
# The compiler's own names, such as those of OpenMP's locks, are visible whatever -fvisibility says.
$(B)/exports.map:
	@mkdir -p $(@D)
	@echo '{ global: berth_*; local: *; };' > $@
$(SHARED): $(LIB_OBJ) $(B)/exports.map
	$(call say,LINK,$@)$(CXX) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(B)/exports.map $(NO_UNDEFINED) $(LDFLAGS_ALL) \
	  -o $@ $(LIB_OBJ) $(CLP_LIBS) $(BASE_LIBS)
$(B)/libberth_glpk.a: $(GLPK_OBJ)
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^
# The internal functions that the backend shares with libberth are hidden there: it takes its own copies along.
$(B)/libberth_glpk.so.$(SOVERSION): $(GLPK_OBJ) $(STATIC) $(SHARED)
	$(call say,LINK,$@)$(CXX) -shared -Wl,-soname,$(@F) $(NO_UNDEFINED) $(LDFLAGS_ALL) -o $@ $(GLPK_OBJ) -Wl,--exclude-libs,ALL \
	  $(STATIC) $(CLP_LIBS) $(GLPK_LIBS) $(BASE_LIBS)

$(B)/%.c.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(HOT_FLAGS) $(if $(filter solver/clp.c $(CLP_REFERENCE),$<),-isystem /usr/include/coin) -MMD -MP -c -o $@ $<
# Passes over all machines of a slot: worth vectorising beyond what OPT asks for. Results are the same bits.
HOT := online/slot_groups.c online/schedule.c solver/first_order/pdhg.c formulations/cohort/worth.c
$(call object,$(HOT)): HOT_FLAGS := $(if $(findstring -O0,$(OPT)),,-O3)
$(B)/%.cc.o: %.cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) $(CPPFLAGS_ALL) $(CXXFLAGS_ALL) -MMD -MP -c -o $@ $<
-include $(patsubst %.o,%.d,$(LIB_OBJ) $(GLPK_OBJ) $(CLI_OBJ) $(SUPPORT_OBJ) $(BENCH_OBJ) $(call object,$(FUZZ_SUPPORT))) $(addsuffix .c.d,$(TESTS) $(REPLAYS) $(EXAMPLES))

# ---- tests ---------------------------------------------------------------------------------------------------
TEST_LINK = $(call say,LINK,$@)$(CXX) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) $(GLPK_STATIC) $(STATIC) $(CLP_LIBS) $(GLPK_LIBS) $(BASE_LIBS)

build-tests: $(TESTS) $(if $(WITH_OOM),,$(REPLAYS) $(EXAMPLES))
$(EXAMPLES): $(B)/%: $(B)/%.c.o $(STATIC)
	$(call say,LINK,$@)$(CXX) $(LDFLAGS_ALL) -o $@ $< $(STATIC) $(CLP_LIBS) $(BASE_LIBS)
$(REPLAYS): $(B)/%: $(B)/%.c.o $(call object,tests/fuzz/replay.c $(FUZZ_SUPPORT)) $(STATIC) $(GLPK_STATIC)
	$(TEST_LINK)
$(TESTS): $(B)/%: $(B)/%.c.o $(SUPPORT_OBJ) $(STATIC) $(GLPK_STATIC)
	$(TEST_LINK) -lcmocka
# What its test takes from the benchmark, which is no library.
$(B)/tests/unit/test_bench_stats: $(B)/bench/stats.c.o
$(B)/tests/property/test_instance_scale $(B)/tests/property/test_derandomized: $(B)/bench/cases/rounding_instance.c.o
$(B)/tests/property/test_first_order: $(B)/bench/cases/first_order_instance.c.o
run-tests: $(TESTS) $(if $(WITH_OOM),,$(REPLAYS))
	@BERTH_PROGRAM=$(abspath $(B)/berth) tests/run $(TESTS)
	@for f in $(if $(WITH_OOM),,$(REPLAYS)); do $$f tests/fuzz/corpus/$${f##*/}/* || exit 1; done

## crash: kills berth serve 200 times under load, and looks whether it lost anything (make check: 12 times)
crash: deps-test
	+@$(AGAIN) build-tests $(B)/berth
	BERTH_CRASH_KILLS=200 BERTH_PROGRAM=$(abspath $(B)/berth) $(B)/tests/golden/test_serve_crash
.PHONY: crash

## bench: builds and runs the benchmarks, BENCH_ARGS are its options (try BENCH_ARGS=--help)
BENCH_ARGS ?=
bench: deps-build
	+@$(AGAIN) build/berth-bench
	@build/berth-bench $(BENCH_ARGS)

## docs: runs the commands that pages of docs/ show again, and draws their pictures and the README's (needs gnuplot)
docs: cli
	docs/refresh
	docs/cohorts-picture
	docs/goodput-picture
	docs/allocation-picture
	docs/plots-picture
## experiments: runs those of docs/experiments.md again, half an hour (needs gnuplot)
experiments: cli
	docs/experiments/refresh
.PHONY: docs experiments

## check-layers: no room includes a room above it
check-layers:
	@.ci/check-layers
## check-headers: every header compiles alone, the public ones in C++ too
check-headers: deps-test
	@CC='$(CC)' CXX='$(CXX)' .ci/check-headers $(filter %.h,$(ALL_CODE))
## check-exports: the shared library exports what .ci/exports.txt lists
check-exports: lib
	@.ci/check-exports $(SHARED)
## check-python: the Python package in bindings/python, against the library built here
check-python: lib
	@BERTH_LIBRARY=$(abspath $(SHARED)) PYTHONPATH=bindings/python PYTHONDONTWRITEBYTECODE=1 \
	  $(PYTHON) -X dev -W error -m unittest discover -s bindings/python/tests
## check-html: pages that plot and compare write, in a browser at two widths, light and dark
check-html: deps-ci cli
	@BERTH_PROGRAM=build/berth .ci/check-html

## asan, ubsan, sanitize: all tests under AddressSanitizer, UndefinedBehaviorSanitizer, both
asan:
	+@$(MAKE) --no-print-directory check SANITIZE=address
ubsan:
	+@$(MAKE) --no-print-directory check SANITIZE=undefined
sanitize:
	+@$(MAKE) --no-print-directory check SANITIZE=address,undefined
## tsan: all tests under ThreadSanitizer (clang, whose OpenMP runtime tells it what synchronises)
tsan: deps-ci
	+@TSAN_OPTIONS='ignore_noninstrumented_modules=1' $(MAKE) --no-print-directory check SANITIZE=thread CC=clang CXX=clang++
## tsan-schedulers: the test of schedulers side by side alone, under ThreadSanitizer
tsan-schedulers: deps-ci
	+@TSAN_OPTIONS='ignore_noninstrumented_modules=1' $(MAKE) --no-print-directory run-one SANITIZE=thread CC=clang CXX=clang++ \
	  ONE=tests/property/test_scheduler_threads
# One test of the flags in hand, built and run: ONE=tests/unit/test_x
run-one:
	+@$(AGAIN) $(B)/$(ONE)
	@$(B)/$(ONE)
## oom: runs the library with every allocation failing in turn
oom:
	+@$(MAKE) --no-print-directory check CPPFLAGS='$(CPPFLAGS) -DBERTH_TESTING_ALLOC' SANITIZE=address
## coverage: all tests, then the share of lines they reach, by file (build/coverage.txt)
coverage:
	+@$(MAKE) --no-print-directory check coverage-report COVERAGE=1 OPT='-O0 -g'
coverage-report:
	@gcov -n $(patsubst %.o,%.gcda,$(LIB_OBJ) $(GLPK_OBJ) $(CLI_OBJ)) 2>/dev/null | awk -F"'" \
	  '/^File/ {f = $$2} /^Lines executed/ && f !~ /^\// {sub(/Lines executed:/, ""); print f ": " $$0; f = "/"}' | sort \
	  > build/coverage.txt
	@cat build/coverage.txt
## fuzz: fuzzes the readers of files, FUZZ_SECONDS (60) each, beginning from tests/fuzz/corpus
FUZZ_SECONDS ?= 60
fuzz: deps-ci
	+@$(AGAIN) build-fuzz CC=clang CXX=clang++ SANITIZE=address,undefined,fuzzer-no-link
build-fuzz: $(STATIC) $(GLPK_STATIC) $(call object,$(FUZZ_SRC) $(FUZZ_SUPPORT))
	@for f in $(basename $(notdir $(FUZZ_SRC))); do mkdir -p $(B)/corpus/$$f; \
	  $(CXX) $(LDFLAGS_ALL) -fsanitize=fuzzer -o $(B)/$$f $(B)/tests/fuzz/$$f.c.o $(call object,$(FUZZ_SUPPORT)) $(GLPK_STATIC) $(STATIC) \
	    $(CLP_LIBS) $(GLPK_LIBS) $(BASE_LIBS) && \
	  $(B)/$$f -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -artifact_prefix=build/ $(B)/corpus/$$f tests/fuzz/corpus/$$f || exit 1; \
	done
# Left out: checks that our feature-test macros, X-macros and tables trip without cause, and the paths through
# several functions, where the analyser does not know that berth__fail never returns success.
TIDY_CHECKS := -*,bugprone-*,clang-analyzer-unix.*,clang-analyzer-deadcode.*,-bugprone-easily-swappable-parameters,\
-bugprone-reserved-identifier,-bugprone-macro-parentheses,-bugprone-sizeof-expression
## lint: clang-tidy, cppcheck, shellcheck, mypy
lint: lint-cppcheck lint-tidy lint-shell lint-python
lint-cppcheck: deps-lint
	@cppcheck --quiet --std=c11 --inline-suppr --enable=warning,portability,performance --error-exitcode=1 -Iinclude -I. \
	  -DBERTH_WITH_CLP -DBERTH_WITH_GLPK $(LIB_SRC) $(GLPK_SRC) $(CLI_SRC)
lint-tidy: deps-lint
	@clang-tidy --quiet --warnings-as-errors='*' \
	  --checks='$(TIDY_CHECKS)' \
	  $(filter %.c,$(LIB_SRC) $(GLPK_SRC) $(CLI_SRC)) -- -std=c11 $(CPPFLAGS_ALL) -isystem /usr/include/coin -fopenmp
lint-shell: deps-lint
	shellcheck $(SCRIPTS)
lint-python: deps-lint
	MYPYPATH=bindings/python mypy --strict bindings/python/berth examples/python/event_loop.py
## format: clang-format over all sources
format: deps-lint
	clang-format -i $(ALL_CODE)
.PHONY: bench check-layers check-headers check-exports check-python check-html asan ubsan sanitize tsan tsan-schedulers run-one oom coverage coverage-report fuzz build-fuzz \
  lint lint-cppcheck lint-tidy lint-shell lint-python format

# ---- installing -----------------------------------------------------------------------------------------------
# What a static link needs besides libberth.a. gcc's OpenMP runtime has a name, clang's comes with its flag.
OPENMP_LIBS := $(if $(findstring clang,$(CC)),-fopenmp,-lgomp)
INSTALLED_LIBS := $(STATIC) $(SHARED) $(GLPK_STATIC) $(GLPK_SHARED)
PUBLIC_HEADERS := $(sort $(wildcard include/*.h))
PC_FILES := berth.pc $(if $(HAS_GLPK),berth_glpk.pc)
# The linker's cache is for what it searches by itself, on this very system.
SYSTEM_LIBDIRS := /lib /lib/% /lib64 /usr/lib /usr/lib/% /usr/lib64 /usr/local/lib /usr/local/lib/%
# Folders that are there without us stay, empty or not.
OWN_FOLDERS := $(LIBDIR)/pkgconfig $(if $(filter / /usr /usr/local,$(PREFIX)),,$(filter-out $(PREFIX),$(BINDIR) $(INCLUDEDIR) $(LIBDIR) \
  $(MANDIR)/man1 $(MANDIR)/man3 $(MANDIR) $(COMPLETIONDIR) $(patsubst %/,%,$(dir $(COMPLETIONDIR))) $(PREFIX)/share))

INSTALL_PATHS := PREFIX BINDIR LIBDIR INCLUDEDIR MANDIR COMPLETIONDIR
# They become words of make, of pkg-config and of sed; DESTDIR, in single quotes, only one of the shell.
check-paths: export DESTDIR := $(DESTDIR)
$(foreach p,$(INSTALL_PATHS),$(eval check-paths: export $(p) := $$($(p))))
check-paths:
	@for v in $(INSTALL_PATHS); do \
	  eval "path=\$$$$v"; \
	  case $$path in /*) ;; *) printf "%s is '%s': expected an absolute path\n" "$$v" "$$path" >&2; exit 1;; esac; \
	  rest=$$(printf '%s.' "$$path" | LC_ALL=C tr -d 'A-Za-z0-9/._+@,=~-\200-\377'); \
	  if [ -n "$$rest" ] || case $$path in /) false;; */) true;; *) false;; esac; then \
	    printf "%s is '%s': expected no blanks, no other characters that are special to shell, make or pkg-config, and no slash at the end\n" \
	      "$$v" "$$path" >&2; exit 1; fi; \
	done; \
	case $$DESTDIR in *"'"* | -*) printf "DESTDIR is '%s': expected no quote, and no hyphen at the beginning\n" "$$DESTDIR" >&2; exit 1;; esac
.PHONY: check-paths

## install: program, headers, libraries, pkg-config files, man pages, completion below PREFIX (/usr/local), LIBDIR, DESTDIR
install: check-paths all install-files
# What is built already, without looking for packages: for packagers.
install-files: check-paths
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(MANDIR)/man1' \
	  '$(DESTDIR)$(MANDIR)/man3' '$(DESTDIR)$(COMPLETIONDIR)'
	docs/man-page $(B)/berth $(VERSION) > '$(DESTDIR)$(MANDIR)/man1/berth.1'
	sed 's|@VERSION@|$(VERSION)|' docs/libberth.3.in > '$(DESTDIR)$(MANDIR)/man3/libberth.3'
	chmod 644 '$(DESTDIR)$(MANDIR)/man1/berth.1' '$(DESTDIR)$(MANDIR)/man3/libberth.3'
	install -m 644 docs/berth.bash '$(DESTDIR)$(COMPLETIONDIR)/berth'
	install -m 755 $(B)/berth '$(DESTDIR)$(BINDIR)/berth'
	install -m 644 $(PUBLIC_HEADERS) '$(DESTDIR)$(INCLUDEDIR)'
	install -m 644 $(INSTALLED_LIBS) '$(DESTDIR)$(LIBDIR)'
	for f in $(patsubst %.$(SOVERSION),%,$(notdir $(SHARED) $(GLPK_SHARED))); do \
	  ln -sfn $$f.$(SOVERSION) '$(DESTDIR)$(LIBDIR)'/$$f; done
	for f in $(PC_FILES); do \
	  sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS_PRIVATE@|$(CLP_LIBS) -lstdc++ $(OPENMP_LIBS) -lm|' $$f.in \
	    > '$(DESTDIR)$(LIBDIR)'/pkgconfig/$$f && chmod 644 '$(DESTDIR)$(LIBDIR)'/pkgconfig/$$f || exit 1; done
	$(if $(DESTDIR),,$(if $(filter $(SYSTEM_LIBDIRS),$(LIBDIR)),-ldconfig))
## uninstall: removes what install put there, and folders that are empty then
uninstall: check-paths
	rm -f '$(DESTDIR)$(BINDIR)/berth' '$(DESTDIR)$(MANDIR)/man1/berth.1' '$(DESTDIR)$(MANDIR)/man3/libberth.3' \
	  '$(DESTDIR)$(COMPLETIONDIR)/berth'
	cd '$(DESTDIR)$(INCLUDEDIR)' 2>/dev/null && rm -f $(notdir $(PUBLIC_HEADERS)) || true
	cd '$(DESTDIR)$(LIBDIR)' 2>/dev/null && rm -f libberth.a libberth.so libberth.so.$(SOVERSION) libberth_glpk.a \
	  libberth_glpk.so libberth_glpk.so.$(SOVERSION) pkgconfig/berth.pc pkgconfig/berth_glpk.pc || true
	for d in $(OWN_FOLDERS); do \
	  [ ! -d '$(DESTDIR)'"$$d" ] || rmdir --ignore-fail-on-non-empty '$(DESTDIR)'"$$d"; done
# Where the interpreter looks for what belongs to PREFIX: Debian's packages are in /usr/lib/python3 for all versions.
PYTHON_DIR ?= $(PREFIX)/lib/$(if $(filter /usr,$(PREFIX)),python3,$(shell $(PYTHON) -c \
  'import sys; print("python%d.%d" % sys.version_info[:2])'))/dist-packages
## install-python: the Python package in PYTHON_DIR (below PREFIX, where Debian's python3 looks), DESTDIR
install-python:
	install -d '$(DESTDIR)$(PYTHON_DIR)/berth'
	install -m 644 bindings/python/berth/*.py bindings/python/berth/py.typed '$(DESTDIR)$(PYTHON_DIR)/berth'
## uninstall-python: removes it, and folders that are empty then
uninstall-python:
	rm -rf '$(DESTDIR)$(PYTHON_DIR)/berth'
	for d in $(if $(filter / /usr /usr/local,$(PREFIX)),,$(PYTHON_DIR) $(patsubst %/,%,$(dir $(PYTHON_DIR))) $(PREFIX)/lib); do \
	  [ ! -d '$(DESTDIR)'"$$d" ] || rmdir --ignore-fail-on-non-empty '$(DESTDIR)'"$$d"; done
## dist: build/berth-VERSION.tar.gz of what is committed
dist:
	@mkdir -p build
	git archive --format=tar --prefix=berth-$(VERSION)/ HEAD | gzip -n -9 > build/berth-$(VERSION).tar.gz
## deb: Debian source and binary packages of what is committed, in build/deb
deb: deps-package
	@.ci/package
## check-package: installs them in a Debian root of their own, where the program runs and a library's user is compiled
check-package: deb
	@.ci/check-package
## clean: removes build/
clean:
	rm -rf build
## help: this list
help:
	@sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST))
.PHONY: install install-files uninstall install-python uninstall-python dist deb check-package clean help
.SECONDARY:
