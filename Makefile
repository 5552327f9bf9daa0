# SPDX-License-Identifier: Apache-2.0
#
# "make help" prints the lines "# TARGET [VARIABLE=VALUE]  TEXT" below, and those of
# make/packages.mk, tests/Makefile, bench/Makefile and train/Makefile.
#
# --- First steps ---
# demo [STORE=redis] [VERBOSE=1]  a proxy that strips httpd's manual: install, build, look
# check [CHECKS="units style"]  all groups of tests, or those named; a summary at the end
#
# PORT is the port of the demo (8080, or a free port). With DEMO_WAIT=no the demo ends by itself. JOBS is
# the number of tests and compilers that run at the same time.
#
# --- Build ---
# all [VERBOSE=1]  build/mod_tmpl.so, build/tmplctl, build/libtmpl.a; plain "make" does this
# deps           install the Debian packages that building and running need
# deps-check     install the packages that the tests need
# deps-browser   install the packages that the tests in a browser need
# deps-suites    install the packages that the suites of other projects need
# deps-container  install the packages that container and check-container need
# deps-packages  install the packages that deb needs
# deps-roots     install the packages that check-deb, check-docs and check-trixie need
# deps-arch      install the packages that check-arch needs
# lines          count lines of code in each room of docs/architecture.md, beside the goals
# climbs [FUNCTIONS="NAME..."]  how often a tour of the calls of a function goes up to a higher folder
# settings       write the tables of docs/directives.md and docs/indexing.md, and docs/mod_tmpl.5, from the headers
# clean          remove BUILD
# help           print this list

BUILD ?= build
APXS  ?= apxs
ifeq ($(origin CC),default)
CC    := gcc
endif
JOBS  ?= $(shell nproc)
# a directory of pages, for the targets that need one
CORPUS ?=

APR_CFLAGS  := $(shell apr-1-config --cppflags --includes 2>/dev/null) $(shell apu-1-config --includes 2>/dev/null)
APR_LIBS    := $(shell apu-1-config --link-ld --libs 2>/dev/null) $(shell apr-1-config --link-ld --libs 2>/dev/null)
XML_CFLAGS  := $(shell xml2-config --cflags 2>/dev/null)
HTTPD_CFLAGS := $(addprefix -I,$(shell $(APXS) -q INCLUDEDIR 2>/dev/null))

# WERROR= (empty): warnings are no errors, for a compiler that is newer than ours
WERROR ?= -Werror
WARN  := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
         -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wimplicit-fallthrough -Wconversion $(WERROR)
# tests compare floats with literals
WARN_tests := -Wno-conversion
CFLAGS ?= -O3 -g
# These options make faults in memory harder to use (tests/project/hardened.t). To build without
# optimization: make HARDEN= CFLAGS=-O0.
HARDEN := $(if $(SANITIZE),,$(if $(findstring FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) -fstack-protector-strong \
          $(if $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),-fcf-protection))
HARDEN_LINK := -Wl,-z,relro,-z,now,-z,noexecstack
CPPFLAGS_ALL := -Ishared $(APR_CFLAGS) $(XML_CFLAGS) $(CPPFLAGS)
# char is signed on every processor, as on x86-64: text[i] > 0 is ASCII on ARM and s390x, too
CFLAGS_ALL = -std=gnu11 -D_GNU_SOURCE -fsigned-char -fPIC -fvisibility=hidden -fno-strict-aliasing -pthread \
             -ffile-prefix-map=$(CURDIR)=. $(WARN) $(HARDEN) $(SANITIZE) $(CFLAGS)
TLS_LIBS := -lssl -lcrypto
LIBS  := $(TLS_LIBS) -ljansson -lxml2 -lhiredis -llmdb -lxxhash -lbrotlidec -lzstd -lz $(APR_LIBS) -lm
CPPFLAGS_mod_tmpl := -Imod_tmpl $(HTTPD_CFLAGS)
CPPFLAGS_tmplctl := -Itmplctl
CPPFLAGS_tests := -Imod_tmpl $(HTTPD_CFLAGS) -I. -Itests/lib -Itests/judge
CPPFLAGS_bench := -Ibench/lib
CPPFLAGS_train := -Ibench/lib

LIB_SRC := $(wildcard shared/*.c shared/*/*.c shared/*/*/*.c)
MOD_SRC := $(wildcard mod_tmpl/*.c mod_tmpl/*/*.c)
CTL_SRC := $(wildcard tmplctl/*.c tmplctl/*/*.c)
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
# the built-in models as C source
MODELS_C := $(BUILD)/obj/models/builtin.c
# the reader view's style sheet as C source
SHEET_C := $(BUILD)/obj/shared/reader/sheet.c
LIB_OBJ := $(call obj,$(LIB_SRC)) $(MODELS_C:.c=.o) $(SHEET_C:.c=.o)

# Prints one short line for each command that compiles or links; VERBOSE=1: the command itself; -s: nothing.
quiet := $(if $(VERBOSE),,@)
say = $(if $(VERBOSE)$(findstring s,$(firstword -$(MAKEFLAGS))),,@echo "  $(1)")

all: $(BUILD)/libtmpl.a $(BUILD)/tmplctl $(BUILD)/mod_tmpl.so

# "make all" that shows how far it is in place of a line for each file
counted-all:
	@VERBOSE=$(VERBOSE) demo/counted files "$$($(MAKE) -n all 2>&1 | grep -c '^echo "  ')" '^  [A-Z]+ ' \
	  $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j $(JOBS)) BUILD=$(BUILD) all

define compile
	@mkdir -p $(@D)
	$(call say,CC   $<)
	$(quiet)$(CC) $(CPPFLAGS_ALL) $(CPPFLAGS_$(firstword $(subst /, ,$<))) $(CFLAGS_ALL) $(WARN_$(firstword $(subst /, ,$<))) -MMD -MP -c -o $@ $<
endef
$(BUILD)/obj/%.o: %.c | $(BUILD)/build-needs
	$(compile)

$(MODELS_C): models/arrays shared/feature/feature.h $(wildcard models/*.model)
	@mkdir -p $(@D)
	$(call say,GEN  $@)
	$(quiet)models/arrays $(filter-out $<,$^) >$@.new && mv $@.new $@
$(SHEET_C): shared/reader/sheet shared/reader/reader.css
	@mkdir -p $(@D)
	$(call say,GEN  $@)
	$(quiet)$^ >$@.new && mv $@.new $@
$(MODELS_C:.c=.o) $(SHEET_C:.c=.o): %.o: %.c | $(BUILD)/build-needs
	$(compile)
$(BUILD)/obj/mod_tmpl/status/handler.o: mod_tmpl/status/status.html mod_tmpl/status/status.metrics

$(BUILD)/libtmpl.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR   $@)
	$(quiet)$(AR) rcs $@ $^

# $(call link,OPTIONS): links the objects and archives among the prerequisites
define link
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(quiet)$(CC) $(SANITIZE) $(HARDEN_LINK) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(1) $(filter-out $(LATE_$(@F)),$(LIBS))
endef
# what tmplctl loads when it needs it (tmplctl/library.h)
LATE_tmplctl := -lxml2 $(TLS_LIBS)
$(BUILD)/tmplctl: $(call obj,$(CTL_SRC)) $(BUILD)/libtmpl.a
	$(call link,-pie)
$(BUILD)/mod_tmpl.so: $(call obj,$(MOD_SRC)) $(BUILD)/libtmpl.a
	$(call link,-shared)

# if a program or header is missing, names it; without this the compiler would print an error
needs = CC="$(CC) $(CPPFLAGS_ALL) $(HTTPD_CFLAGS)" APXS="$(APXS)" demo/needs
$(BUILD)/build-needs:
	@$(needs) deps httpd.h apr.h apu.h libxml/parser.h hiredis/hiredis.h openssl/ssl.h lmdb.h xxhash.h jansson.h curl/curl.h zlib.h brotli/decode.h zstd.h
	@mkdir -p $(@D) && touch $@

# $(call with,VARIABLE): the begin of a recipe that reads the directory in VARIABLE. If VARIABLE is empty,
# the recipe ends without failure: there is nothing to measure.
with = test -n "$($(1))" || { echo "$@: skipped, no pages given: make $@ $(1)=DIR"; exit 0; }; \
	for d in $($(1)); do test -d "$$d" || { echo "$@: $(1): $$d is not a directory" >&2; exit 2; }; done;

include make/packages.mk tests/Makefile bench/Makefile train/Makefile

STORE     ?= lmdb
PORT      ?= 8080
DEMO_WAIT ?=
demo:
	@echo "demo, step 1 of 4: packages"
	@VERBOSE=$(VERBOSE) demo/deps build demo $(filter redis,$(STORE))
	@echo "demo, step 2 of 4: build"
	@$(MAKE) --no-print-directory -j $(JOBS) counted-all
	@exec env BUILD=$(BUILD) STORE=$(STORE) PORT=$(PORT) DEMO_WAIT=$(DEMO_WAIT) demo/run

deps:
	@demo/deps build demo
deps-check:
	@demo/deps build check tools
deps-suites:
	@demo/deps build suites
deps-container:
	@demo/deps roots container
deps-browser deps-packages deps-roots deps-arch:
	@demo/deps $(@:deps-%=%)

settings:
	@docs/settings --write

lines:
	@bench/lines
FUNCTIONS ?= tmpl_detect_auto tmpl_judge
climbs:
	@bench/climbs $(FUNCTIONS)

clean:
	rm -rf $(BUILD)

# Optional variables are left out where the line would be too long.
help:
	@sed -nE 's/^# --- (.*) ---$$/\n\1/p; s/^# ([a-z0-9-]+( .*)?)  +(.*)/  make \1\t\3/p' Makefile make/packages.mk tests/Makefile bench/Makefile train/Makefile | sed 1d | \
	  awk -F '\t' 'NF < 2 { print; next } length($$1) > 38 { gsub(/ \[[^]]*\]/, "", $$1) } { sub(/ +$$/, "", $$1); printf "%-38s  %s\n", $$1, $$2 }'
	@printf '\nMore variables: the comments at the top of Makefile, make/packages.mk, tests/Makefile, bench/Makefile and train/Makefile.\n'

.PHONY: all demo deps deps-check deps-browser deps-suites deps-container deps-packages deps-roots deps-arch settings lines climbs clean help

-include $(shell find $(BUILD)/obj $(BUILD)/fuzz/obj -name '*.d' 2>/dev/null)
.SECONDARY:
