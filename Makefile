# SPDX-License-Identifier: Apache-2.0
#
# "make help" prints the lines "# TARGET [VARIABLE=VALUE]  TEXT" below, and those of tests/Makefile
# and bench/Makefile.
#
# --- First steps ---
# demo [STORE=redis]  a proxy that strips httpd's manual: install, build, look
# check [CHECKS="units style"]  all groups of tests, or those named; a summary at the end
# install [PREFIX=/usr/local]  the module, its configuration, tmplctl and the man pages
#
# PORT is the demo's (8080, or a free one). With DEMO_WAIT=no it ends by itself. DESTDIR goes in front
# of every path that is installed. JOBS is how many tests and compilers run at the same time.
#
# --- Build ---
# all [VERBOSE=1]  build/mod_tmpl.so, build/tmplctl, build/libtmpl.a; plain "make" does this
# deps           install the Debian packages that building and running need
# deps-check     install the packages that the tests need
# deps-suites    install the packages that the suites of others need
# uninstall      remove what install wrote, except a tmpl.conf that was changed
# settings       write README.md's table of directives and docs/mod_tmpl.5 from shared/settings.h
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

WARN  := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
         -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wimplicit-fallthrough -Wconversion -Werror
# tests compare floats with literals
WARN_tests := -Wno-conversion
CFLAGS ?= -O3 -g
# Faults in memory are harder to use (tests/project/hardened.t); without optimization: make HARDEN= CFLAGS=-O0.
HARDEN := $(if $(SANITIZE),,$(if $(findstring FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) -fstack-protector-strong \
          $(if $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),-fcf-protection))
HARDEN_LINK := -Wl,-z,relro,-z,now,-z,noexecstack
CPPFLAGS_ALL := -Ishared $(APR_CFLAGS) $(XML_CFLAGS) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -fno-strict-aliasing -pthread $(WARN) $(HARDEN) $(SANITIZE) $(CFLAGS)
# TLS to Redis, if OpenSSL is there; without: make TLS=no
TLS   ?= $(shell pkg-config --exists openssl 2>/dev/null || echo no)
ifneq ($(TLS),no)
CPPFLAGS_ALL += -DTMPL_TLS
TLS_LIBS := -lssl -lcrypto
endif
LIBS  := $(TLS_LIBS) -lxml2 -lhiredis -llmdb -lxxhash $(APR_LIBS) -lm
CPPFLAGS_mod_tmpl := $(HTTPD_CFLAGS)
CPPFLAGS_tests := $(HTTPD_CFLAGS) -I. -Itests/lib -Itests/judge
CPPFLAGS_bench := -Ibench/lib

LIB_SRC := $(wildcard shared/*.c shared/*/*.c shared/*/*/*.c)
MOD_SRC := $(wildcard mod_tmpl/*.c)
CTL_SRC := $(wildcard tmplctl/*.c)
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB_OBJ := $(call obj,$(LIB_SRC))

# One short line for each command that compiles or links; VERBOSE=1: the command itself; -s: nothing.
quiet := $(if $(VERBOSE),,@)
say = $(if $(VERBOSE)$(findstring s,$(firstword -$(MAKEFLAGS))),,@echo "  $(1)")

all: $(BUILD)/libtmpl.a $(BUILD)/tmplctl $(BUILD)/mod_tmpl.so

$(BUILD)/obj/%.o: %.c | $(BUILD)/build-needs
	@mkdir -p $(@D)
	$(call say,CC   $<)
	$(quiet)$(CC) $(CPPFLAGS_ALL) $(CPPFLAGS_$(firstword $(subst /, ,$<))) $(CFLAGS_ALL) $(WARN_$(firstword $(subst /, ,$<))) -MMD -MP -c -o $@ $<

$(BUILD)/obj/shared/model/builtin.o: $(wildcard models/*.model)

$(BUILD)/libtmpl.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR   $@)
	$(quiet)$(AR) rcs $@ $^

# $(call link,OPTIONS): the objects and archives among the prerequisites
define link
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(quiet)$(CC) $(SANITIZE) $(HARDEN_LINK) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(1) $(LIBS)
endef
$(BUILD)/tmplctl: $(call obj,$(CTL_SRC)) $(BUILD)/libtmpl.a
	$(call link,-pie -ljansson)
$(BUILD)/mod_tmpl.so: $(call obj,$(MOD_SRC)) $(BUILD)/libtmpl.a
	$(call link,-shared -lz)

# names what is missing, instead of a compiler's error
needs = CC="$(CC) $(CPPFLAGS_ALL) $(HTTPD_CFLAGS)" APXS="$(APXS)" demo/needs
$(BUILD)/build-needs:
	@$(needs) deps httpd.h apr.h apu.h libxml/parser.h hiredis/hiredis.h lmdb.h xxhash.h jansson.h curl/curl.h zlib.h
	@mkdir -p $(@D) && touch $@

# In front of a recipe that reads the directory that variable $(1) names. It does nothing if the
# variable is empty: there is nothing to measure, which is not a failure.
with = test -n "$($(1))" || { echo "$@: skipped, no pages given: make $@ $(1)=DIR"; exit 0; }; \
	for d in $($(1)); do test -d "$$d" || { echo "$@: $(1): $$d is not a directory" >&2; exit 2; }; done;

include tests/Makefile bench/Makefile

STORE     ?= lmdb
PORT      ?= 8080
DEMO_WAIT ?=
demo:
	@demo/deps build demo $(filter redis,$(STORE))
	@echo "demo: building"
	@$(MAKE) --no-print-directory -j $(JOBS) BUILD=$(BUILD) all
	@exec env BUILD=$(BUILD) STORE=$(STORE) PORT=$(PORT) DEMO_WAIT=$(DEMO_WAIT) demo/run

deps:
	@demo/deps build demo
deps-check:
	@demo/deps build check
deps-suites:
	@demo/deps build suites

settings:
	@docs/settings --write

PREFIX    ?= /usr/local
MODULE_DIR = $(shell $(APXS) -q LIBEXECDIR 2>/dev/null)
MODS_DIR   = $(shell $(APXS) -q SYSCONFDIR 2>/dev/null)/mods-available
MAN_PAGES := $(wildcard docs/*.[15])
DOC_DIR    = $(PREFIX)/share/doc/mod_tmpl
# in the folders that README.md's links name
DOC_FILES := README.md CHANGELOG.md SECURITY.md LICENSE $(filter-out conf/mod_tmpl.%,$(wildcard conf/*.conf)) $(wildcard docs/*.md)

# as tmpl.load and tmpl.conf, so that a2enmod's name is tmpl; an existing tmpl.conf is kept
install: all
	install -D -m 644 $(BUILD)/mod_tmpl.so $(DESTDIR)$(MODULE_DIR)/mod_tmpl.so
	install -D -m 755 $(BUILD)/tmplctl $(DESTDIR)$(PREFIX)/bin/tmplctl
	$(foreach page,$(MAN_PAGES),install -D -m 644 $(page) \
	    $(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)) &&) true
	$(foreach doc,$(DOC_FILES),install -D -m 644 $(doc) $(DESTDIR)$(DOC_DIR)/$(doc) &&) true
	install -D -m 644 conf/mod_tmpl.load $(DESTDIR)$(MODS_DIR)/tmpl.load
	sed -i 's|^\(LoadModule.* \).*/|\1$(MODULE_DIR)/|' $(DESTDIR)$(MODS_DIR)/tmpl.load
	@if [ -e $(DESTDIR)$(MODS_DIR)/tmpl.conf ]; then \
	    cmp -s conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf || \
	    echo "kept: $(DESTDIR)$(MODS_DIR)/tmpl.conf, which differs from conf/mod_tmpl.conf"; \
	else install -v -m 644 conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf; fi

uninstall:
	@if [ -e $(DESTDIR)$(MODS_DIR)/../mods-enabled/tmpl.load ]; then \
	    echo "the module is enabled: run a2dismod tmpl first" >&2; exit 1; fi
	rm -f $(DESTDIR)$(MODULE_DIR)/mod_tmpl.so $(DESTDIR)$(PREFIX)/bin/tmplctl
	rm -f $(foreach page,$(MAN_PAGES),\
	    $(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(addprefix $(DESTDIR)$(DOC_DIR)/,$(DOC_FILES))
	if [ -d $(DESTDIR)$(DOC_DIR) ]; then find $(DESTDIR)$(DOC_DIR) -depth -type d -empty -delete; fi
	rm -f $(DESTDIR)$(MODS_DIR)/tmpl.load
	if cmp -s conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf; then \
	    rm -f $(DESTDIR)$(MODS_DIR)/tmpl.conf; fi

clean:
	rm -rf $(BUILD)

# Optional variables are left out where the line would be too long.
help:
	@sed -nE 's/^# --- (.*) ---$$/\n\1/p; s/^# ([a-z0-9-]+( .*)?)  +(.*)/  make \1\t\3/p' Makefile tests/Makefile bench/Makefile | sed 1d | \
	  awk -F '\t' 'NF < 2 { print; next } length($$1) > 38 { gsub(/ \[[^]]*\]/, "", $$1) } { sub(/ +$$/, "", $$1); printf "%-38s  %s\n", $$1, $$2 }'
	@printf '\nMore variables: the comments at the top of Makefile, tests/Makefile and bench/Makefile.\n'

.PHONY: all demo deps deps-check deps-suites settings install uninstall clean help

-include $(shell find $(BUILD)/obj $(BUILD)/fuzz/obj -name '*.d' 2>/dev/null)
.SECONDARY:
