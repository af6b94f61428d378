# SPDX-License-Identifier: GPL-2.0
#
# The front door. Everything made goes to out/, the tree stays clean.
#
#   make            the module and the tools
#   make module     flashcache.ko for KVER, in out/build/KVER
#   make tools      flashcache and its links, in out/bin
#   make unit       unit tests of the core in userspace, built and run
#   make test       all default suites (tests/run list)
#   make demo       the demonstration in a virtual machine
#   make bench      all benchmarks, to out/bench; takes hours (docs/performance.md)
#   make lint       style, static checks and the project's own rules
#   make install    module and tools, below DESTDIR if that is given; the tools below PREFIX, or
#                   in SBINDIR, MANDIR and so on (utils/Makefile)
#   make clean
#
# KVER=VERSION chooses another kernel, V=1 shows the commands, W=1 C=2 CF=... go to the kernel's build.

KVER ?= $(shell tests/lib/kver)
KDIR ?= /lib/modules/$(KVER)/build
OUT := out
BUILD ?= $(OUT)/build/$(KVER)
BIN := $(OUT)/bin
OBJ := $(OUT)/obj

Q := $(if $(V),,@)
CC ?= cc
OPT ?= -O2 -g
WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter
# Warnings are errors in the lint suite only: make WERROR=-Werror
WERROR ?=
CPPFLAGS += -Iinclude -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
CFLAGS += -std=gnu11 $(OPT) $(WARN) $(WERROR)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all module powercut tools unit test demo bench lint install clean

all: module tools

# --- the module: the sources are mirrored and Kbuild runs on the mirror ---------------------------

module-src := $(wildcard Kbuild) $(shell find src include -name '*.[ch]' 2>/dev/null)
module-copy := $(module-src:%=$(BUILD)/%)

$(BUILD)/%: %
	@mkdir -p $(@D)
	@cp $< $@

# Files that are gone from the tree must not live on in the mirror.
define prune
cd $(BUILD) && find src include -name '*.[ch]' | while read -r f; do \
	[ -e "$(CURDIR)/$$f" ] || rm -f "$$f"; done
endef

module: $(module-copy)
	@test -n "$(KVER)" || { echo "no kernel headers found: set KVER" >&2; exit 1; }
	@$(prune)
	@flock $(BUILD)/.lock $(MAKE) -C $(KDIR) M=$(abspath $(BUILD)) $(if $(W),W=$(W)) $(if $(C),C=$(C)) \
		$(if $(CF),CF="$(CF)") modules

# Test-only: a device that forgets; beside the module in the mirror.
powercut-src := $(wildcard tests/powercut/Kbuild tests/powercut/*.[ch])
powercut-copy := $(powercut-src:%=$(BUILD)/%)

powercut: $(module-copy) $(powercut-copy)
	@flock $(BUILD)/.lock $(MAKE) -C $(KDIR) M=$(abspath $(BUILD))/tests/powercut \
		$(if $(W),W=$(W)) modules

# --- userspace ------------------------------------------------------------------------------------

core-src := $(wildcard src/core/*.c)
unit-src := $(wildcard tests/unit/*.c)
# A test program of one file, linked with the core and the tool's simulation.
hitratio-src := $(firstword $(wildcard tests/*/hitratio.c))

core-obj := $(core-src:%.c=$(OBJ)/%.o)
unit-obj := $(patsubst %.c,$(OBJ)/san/%.o,$(core-src) $(filter-out $(hitratio-src),$(unit-src)))

$(OBJ)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  $(if $(filter %.o,$@),CC,LD) $@"
	$(Q)$(CC) $(CPPFLAGS) -Isrc/core -Isrc $(CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/san/%.o: %.c
	@mkdir -p $(@D)
	@echo "  $(if $(filter %.o,$@),CC,LD) $@"
	$(Q)$(CC) $(CPPFLAGS) -Isrc/core -Isrc $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

# The tool and the exercisers know by their own Makefiles what they are made of.
export CC OPT WERROR

tools: $(if $(hitratio-src),$(BIN)/hitratio)
	$(if $(wildcard utils/Makefile),$(MAKE) -C utils OUT=$(abspath $(BIN)))
	$(if $(wildcard tests/func/Makefile),$(MAKE) -C tests/func OUT=$(abspath $(BIN)))

$(hitratio-src:%.c=$(OBJ)/%.o): CPPFLAGS += -Iutils

$(BIN)/hitratio: $(hitratio-src:%.c=$(OBJ)/%.o) $(OBJ)/utils/simulate.o $(core-obj)
	@mkdir -p $(@D)
	@echo "  $(if $(filter %.o,$@),CC,LD) $@"
	$(Q)$(CC) $(LDFLAGS) -pthread -o $@ $^ -lm

$(BIN)/unit: $(unit-obj)
	@mkdir -p $(@D)
	@echo "  $(if $(filter %.o,$@),CC,LD) $@"
	$(Q)$(CC) $(LDFLAGS) $(SANITIZE) -pthread -o $@ $^ -lm

unit: $(BIN)/unit
	$(BIN)/unit

# --- the laboratory -------------------------------------------------------------------------------

test:
	tests/run -j "$$(nproc)" default

demo:
	tests/run demo

bench:
	tests/run bench-cpu bench-large bench-fsync bench-speedup bench-clean bench-scale \
		bench-memory
	tests/bench/plots

lint:
	tests/run lint

install: all
	$(MAKE) -C utils install OUT=$(abspath $(BIN)) DESTDIR=$(DESTDIR)
	install -D -m 644 $(BUILD)/flashcache.ko \
		$(DESTDIR)/lib/modules/$(KVER)/updates/flashcache.ko
	$(if $(DESTDIR),,depmod $(KVER))

clean:
	rm -rf $(OUT)/build $(OUT)/obj $(OUT)/bin

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
