# SPDX-License-Identifier: Apache-2.0
# make            build/mod_tmpl.so, build/tmplctl, build/libtmpl.a
# make help       every target

BUILD ?= build
CORPUS ?=
APXS  ?= apxs
CC    ?= gcc

APR_CFLAGS  := $(shell apr-1-config --cppflags --includes) $(shell apu-1-config --includes)
APR_LIBS    := $(shell apu-1-config --link-ld --libs) $(shell apr-1-config --link-ld --libs)
XML_CFLAGS  := $(shell xml2-config --cflags)
HTTPD_CFLAGS := -I$(shell $(APXS) -q INCLUDEDIR)

WARN  := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
         -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wimplicit-fallthrough -Werror
CFLAGS ?= -O2 -g
CPPFLAGS_ALL := -Ishared $(APR_CFLAGS) $(XML_CFLAGS) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -fno-strict-aliasing -pthread $(WARN) $(SANITIZE) $(CFLAGS)
LIBS  := -lxml2 -lhiredis -llmdb -lxxhash $(APR_LIBS) -lm

LIB_SRC  := $(wildcard shared/*.c shared/*/*.c)
MOD_SRC  := $(wildcard mod_tmpl/*.c)
CTL_SRC  := $(wildcard tmplctl/*.c)
TEST_SRC := $(wildcard tests/test_*.c)
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

LIB_OBJ := $(call obj,$(LIB_SRC))
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))

all: $(BUILD)/libtmpl.a $(BUILD)/tmplctl $(BUILD)/mod_tmpl.so

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CPPFLAGS_$(firstword $(subst /, ,$<))) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

CPPFLAGS_mod_tmpl := $(HTTPD_CFLAGS)
CPPFLAGS_shared   := -I$(BUILD)/shared

# a Lua script as the lines of a C string
$(BUILD)/%.lua.h: %.lua
	@mkdir -p $(@D)
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/' $< > $@

$(BUILD)/obj/shared/store/redis.o: $(BUILD)/shared/store/redis_observe.lua.h

$(BUILD)/libtmpl.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/tmplctl: $(call obj,$(CTL_SRC)) $(BUILD)/libtmpl.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -ljansson $(LIBS)

$(BUILD)/mod_tmpl.so: $(call obj,$(MOD_SRC)) $(BUILD)/libtmpl.a
	@mkdir -p $(@D)
	$(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tests/%: tests/%.c $(BUILD)/libtmpl.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(HTTPD_CFLAGS) $(CFLAGS_ALL) -Itests -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(BUILD)/libtmpl.a -lcmocka -lgumbo $(LIBS)

# --- measuring with tmplctl (bench/) ---
SCORER   ?= ../shared/eval/score.py
FIRST    ?= 40
SITE_DIR ?=

# accuracy CORPUS=DIR      the scorer's table over DIR/DS/SITE
accuracy: $(BUILD)/tmplctl
	@TMPLCTL=$< bench/accuracy "$(CORPUS)" "$(SCORER)" "$(FIRST)"

# exact CORPUS=DIR         every byte outside an edit is as it was, for every page
exact: $(BUILD)/tmplctl
	@bench/exact "$(CORPUS)" $<

# bench-lifetime SITE_DIR=DIR   what TmplLifetime costs and saves over the pages below DIR
bench-lifetime: $(BUILD)/bench/lifetime
	@bench/lifetime $< "$(SITE_DIR)"

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(BUILD)/libtmpl.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: accuracy exact bench-lifetime
# --- end of measuring ---

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all clean
