# SPDX-License-Identifier: Apache-2.0
# make            build/mod_tmpl.so, build/tmplctl, build/libtmpl.a
# make help       every target

BUILD ?= build
CORPUS ?=
APXS  ?= apxs
CC    ?= gcc

APR_CFLAGS  := $(shell apr-1-config --cppflags --includes 2>/dev/null) $(shell apu-1-config --includes 2>/dev/null)
APR_LIBS    := $(shell apu-1-config --link-ld --libs 2>/dev/null) $(shell apr-1-config --link-ld --libs 2>/dev/null)
XML_CFLAGS  := $(shell xml2-config --cflags 2>/dev/null)
HTTPD_CFLAGS := -I$(shell $(APXS) -q INCLUDEDIR 2>/dev/null)

WARN  := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
         -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wimplicit-fallthrough -Wconversion -Werror
# tests compare floats with numbers as they are written
WARN_tests := -Wno-conversion
CFLAGS ?= -O3 -g
CPPFLAGS_ALL := -Ishared $(APR_CFLAGS) $(XML_CFLAGS) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -fno-strict-aliasing -pthread $(WARN) $(SANITIZE) $(CFLAGS)
LIBS  := -lxml2 -lhiredis -llmdb -lxxhash $(APR_LIBS) -lm

LIB_SRC  := $(wildcard shared/*.c shared/*/*.c shared/*/*/*.c)
MOD_SRC  := $(wildcard mod_tmpl/*.c)
CTL_SRC  := $(wildcard tmplctl/*.c)
TEST_SRC := $(wildcard tests/*/test_*.c)
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

LIB_OBJ := $(call obj,$(LIB_SRC))
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))

all: $(BUILD)/libtmpl.a $(BUILD)/tmplctl $(BUILD)/mod_tmpl.so

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CPPFLAGS_$(firstword $(subst /, ,$<))) $(CFLAGS_ALL) $(WARN_$(firstword $(subst /, ,$<))) -MMD -MP -c -o $@ $<

CPPFLAGS_mod_tmpl := $(HTTPD_CFLAGS)

$(BUILD)/obj/shared/model/builtin.o: models/pagelevel.model models/auto.model

$(BUILD)/libtmpl.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/tmplctl: $(call obj,$(CTL_SRC)) $(BUILD)/libtmpl.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -ljansson $(LIBS)

$(BUILD)/mod_tmpl.so: $(call obj,$(MOD_SRC)) $(BUILD)/libtmpl.a
	@mkdir -p $(@D)
	$(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^ -lz $(LIBS)

CPPFLAGS_tests := $(HTTPD_CFLAGS) -I. -Itests/lib -Itests/judge
CPPFLAGS_bench := -Ibench/lib
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/obj/tests/judge/oracle.o $(BUILD)/libtmpl.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lcmocka -lgumbo $(LIBS)
$(TESTS): $(BUILD)/obj/tests/lib/seeded.o
# tests by their names without test_
named = $(foreach name,$(1),$(filter %/test_$(name),$(TESTS)))

# --- measuring with tmplctl (bench/) ---
SCORER   ?= ../shared/eval/score.py
FIRST    ?= 40
SITE_DIR ?=
# in front of what needs a variable's directory: without one there is nothing to measure, which is no failure
with = test -n "$($(1))" || { echo "$@: skipped, for there are no pages: make $@ $(1)=DIR"; exit 0; }; \
	test -d "$($(1))" || { echo "$@: $(1): $($(1)) is no directory" >&2; exit 2; };

# accuracy CORPUS=DIR      kept, cut and F1 of every detector over DIR/DS/SITE; DETECTORS=auto: of one
accuracy: $(BUILD)/tmplctl
	@$(call with,CORPUS) TMPLCTL=$< bench/accuracy/accuracy "$(CORPUS)" "$(SCORER)" "$(FIRST)"

# exact CORPUS=DIR         every byte outside an edit is as it was, for every page
exact: $(BUILD)/tmplctl
	@$(call with,CORPUS) bench/accuracy/exact "$(CORPUS)" $<

# verdicts-same CORPUS=DIR BEFORE=TMPLCTL   compares the output of two tmplctl programs for every page below DIR
verdicts-same: $(BUILD)/tmplctl
	@$(call with,CORPUS) bench/accuracy/verdicts-same "$(CORPUS)" "$(BEFORE)" $<
.PHONY: verdicts-same

# bench-lifetime SITE_DIR=DIR   what TmplLifetime costs and saves over the pages below DIR
bench-lifetime: $(BUILD)/bench/speed/lifetime_cost
	@$(call with,SITE_DIR) bench/speed/lifetime $< "$(SITE_DIR)"

# bench-copies CORPUS=DIR   what the rule of near copies stops, and how many pages of DIR/DS/SITE it takes for some
bench-copies: $(BUILD)/bench/accuracy/copies
	@$(call with,CORPUS) bench/papers/paper-sites "$(CORPUS)" "$(SCORER)" | $<

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(BUILD)/libtmpl.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

# bench-parse CORPUS=DIR   what reading a page costs, and judging it by auto, beside libxml2 alone on the same bytes
bench-parse: $(BUILD)/bench/speed/parse
	@$(call with,CORPUS) find "$(CORPUS)" -name '*.html' | LC_ALL=C sort | $<

# pagelevel-accuracy CORPUS=DIR FOLDS=2   page-level detection, trained without the sites it is scored on
FOLDS    ?= 2
pagelevel-accuracy: $(BUILD)/tmplctl $(BUILD)/bench/accuracy/pagelevel
	@$(call with,CORPUS) BUILD=$(BUILD) FIRST=$(FIRST) bench/accuracy/pagelevel-accuracy "$(CORPUS)" "$(SCORER)" "$(FOLDS)"

# crossval CORPUS=DIR FOLDS=5   how far a joint model of page and site gets on sites it was not trained on; FOLDS=sets: on whole data sets
crossval: FOLDS = 5
crossval: $(BUILD)/bench/train/features
	@$(call with,CORPUS) bench/accuracy/crossval "$(CORPUS)" "$(SCORER)" $< "$(FOLDS)" $(MORE)
.PHONY: crossval

# auto-accuracy CORPUS=DIR FOLDS=5   the detector auto, by the scorer, on sites its model was not trained on; MORE=DIR: more sites, in the folds, too; MODELS=DIR of auto-folds
auto-accuracy: FOLDS = 5
auto-accuracy: $(BUILD)/bench/train/features $(BUILD)/tmplctl
	@$(call with,CORPUS) MODELS="$(MODELS)" bench/accuracy/auto-accuracy "$(CORPUS)" "$(SCORER)" $< $(BUILD)/tmplctl "$(FOLDS)" $(MORE)
.PHONY: auto-accuracy

# auto-train CORPUS=DIR    writes models/auto.model: trained on DIR/DS/SITE, and on MORE=DIR of bench/corpus/debian-sites
DATE     ?= $(shell date +%F)
auto-train: $(BUILD)/bench/train/features
	@test -d "$(CORPUS)" || { echo "auto-train: CORPUS is not set: make auto-train CORPUS=DIR" >&2; exit 2; }
	@bench/train/auto-train "$(SCORER)" $< models/auto.model "$(DATE)" "$(CORPUS)" $(MORE)
.PHONY: auto-train

# auto-folds CORPUS=DIR MODELS=DIR FOLDS=5   writes MODELS: a model of auto for each site that has not seen it; MORE=DIR as above
MODELS   ?=
auto-folds: FOLDS = 5
auto-folds: $(BUILD)/bench/train/features
	@$(call with,CORPUS) test -n "$(MODELS)" || { echo "$@: MODELS is not set: make $@ CORPUS=DIR MODELS=DIR" >&2; exit 2; }; \
	  bench/train/auto-folds "$(SCORER)" $< "$(MODELS)" "$(FOLDS)" "$(CORPUS)" $(MORE)

# duplicates CORPUS=DIR    how many copies of an article fingerprints find, and how many others they keep apart; MODELS=DIR of auto-folds
duplicates: $(BUILD)/tmplctl
	@$(call with,CORPUS) bench/accuracy/duplicates "$(CORPUS)" "$(SCORER)" $< $(MODELS)

# gallery CORPUS=DIR OUT=DIR [PAGES=20] [WARM=40]   pictures of stripped pages beside their originals, drawn by Chromium; WARM=0: each site's first page; MODELS=DIR of auto-folds
OUT      ?= /tmp/tmpl-gallery
gallery: PAGES = 20
gallery: $(BUILD)/tmplctl
	@$(call with,CORPUS) MODELS="$(MODELS)" WARM="$(WARM)" bench/accuracy/gallery "$(CORPUS)" "$(SCORER)" $< "$(OUT)" $(PAGES)

# visible CORPUS=DIR [PAGES=100]   whether strip hides what it leaves, in Chromium with scripts running (NODE_DIR=DIR has npm's puppeteer-core)
visible: PAGES = 100
visible: $(BUILD)/tmplctl
	@$(call with,CORPUS) BUILD=$(BUILD) bench/accuracy/visible "$(CORPUS)" $< $(PAGES)
.PHONY: auto-folds duplicates gallery visible

# bench-isotonic           what smoothing a page of 300 nodes and one of 8,000 costs
bench-isotonic: $(BUILD)/bench/speed/smoothing_cost
	@$<

# bench-proxy [ROUNDS=5]   pages a second through httpd: plain proxy, mod_substitute, mod_proxy_html, this module
ROUNDS   ?= 5
bench-proxy: all $(BUILD)/bench/speed/proxy_backend
	@TMPL_MODULE=$(abspath $(BUILD))/mod_tmpl.so bench/speed/proxy $(BUILD)/bench/speed/proxy_backend $(ROUNDS)

# bench-faults             what requests pay for a Redis that is killed, stopped, full or slow while they come
bench-faults: all $(BUILD)/bench/speed/proxy_backend
	@TMPL_MODULE=$(abspath $(BUILD))/mod_tmpl.so bench/speed/faults $(BUILD)/bench/speed/proxy_backend
.PHONY: bench-faults

# bench-store [PAGES=10000] [SEGMENTS=200]   what a page costs LMDB and Redis, and what a site takes there
PAGES    ?= 10000
SEGMENTS ?= 200 500 1500
bench-store: $(BUILD)/bench/speed/store_pages
	@bench/speed/store $< $(PAGES) $(SEGMENTS)
.PHONY: bench-store
# bench-new-pages [PAGES=10000]   microseconds of CPU that each step of a new page takes, with an LMDB store
bench-new-pages: $(BUILD)/bench/speed/new_pages
	@bench/speed/new-pages $< $(PAGES)
.PHONY: bench-new-pages
# bench-batch CORPUS=DIR   text kept of pages, beside Readability and boilerpipe: MB/s, memory, F1 (NODE_DIR=DIR has npm's, or npm is asked)
bench-batch: $(BUILD)/tmplctl
	@$(call with,CORPUS) BUILD=$(BUILD) bench/speed/batch "$(CORPUS)" "$(SCORER)" $<
# bench-profile            where the time of a page goes, in instructions
# check-profile            and whether it takes more of them than it did
bench-profile: $(BUILD)/tmplctl
	@bench/speed/profile $<
check-profile: $(BUILD)/tmplctl
	@bench/speed/profile $< check
.PHONY: bench-batch bench-profile check-profile

.PHONY: accuracy exact bench-lifetime bench-copies bench-parse bench-isotonic pagelevel-accuracy bench-proxy
# paper-chen CORPUS=DIR    Chen et al.: template blocks found, and time, of every method; sites of 80 pages or more
# paper-wang CORPUS=DIR [STORE_URI=redis://...]   Wang et al.: storage of every method for a recall of 80 %; the same sites
# paper-chakrabarti CORPUS=DIR FOLDS=2   Chakrabarti et al.: F on text, anchor text and links, raw and smoothed
# The list of sites and the stores are in a directory that goes when the run ends.
PAPER_OBJ := $(call obj,bench/papers/paper-pages.c bench/papers/paper-items.c bench/papers/paper-methods.c bench/papers/shingle.c bench/papers/sst.c)
LEAST     ?= 80
STORE_URI ?=
paper = @$(call with,CORPUS) dir=$$(mktemp -d) && { bench/papers/paper-sites "$(CORPUS)" "$(SCORER)" $(2) >$$dir/list && \
	  $(BUILD)/bench/$(1) $(if $(STORE_URI),$(STORE_URI),lmdb:$$dir) $(3) <$$dir/list; rc=$$?; rm -rf $$dir; exit $$rc; }
$(BUILD)/bench/papers/paper-chakrabarti: $(PAPER_OBJ)
paper-chakrabarti: $(BUILD)/tmplctl $(BUILD)/bench/papers/paper-chakrabarti
	@$(call with,CORPUS) BUILD=$(BUILD) FIRST=$(FIRST) bench/papers/paper-chakrabarti $(BUILD)/bench/papers/paper-chakrabarti "$(CORPUS)" "$(SCORER)" "$(FOLDS)"
$(BUILD)/bench/papers/paper-chen $(BUILD)/bench/papers/paper-wang $(BUILD)/tests/papers/test_paper: $(PAPER_OBJ)
paper-wang: $(BUILD)/bench/papers/paper-wang
	$(call paper,paper-wang,$(LEAST))
paper-chen: $(BUILD)/bench/papers/paper-chen
	$(call paper,paper-chen,$(LEAST),models/pagelevel.model)
.PHONY: paper-chen paper-wang paper-chakrabarti

# paper-alarte CORPUS=DIR [DOCS=DIR]   Alarte et al.: F1 and pages loaded by the size of the subdigraph
DOCS     ?=
paper-alarte: $(BUILD)/bench/papers/paper-alarte-walk
	@$(call with,CORPUS) bench/papers/paper-alarte "$(CORPUS)" "$(SCORER)" $< "$(DOCS)"
# paper-alarte-traffic CORPUS=DIR   what it would bring to admit segments early by the links of pages that pass
paper-alarte-traffic: $(BUILD)/bench/papers/paper-alarte-passing
	@$(call with,CORPUS) FIRST=$(FIRST) bench/papers/paper-alarte-traffic "$(CORPUS)" "$(SCORER)" $<
.PHONY: paper-alarte paper-alarte-traffic
# --- end of measuring ---

# --- checking ---
# check          everything below that CI runs; long runs have their own targets
# check-style    clang-format and clang-tidy find nothing
# check-units    the library's and the tool's tests, and an HTML5 parser's judgement of our edits
# check-httpd    the module in a real httpd, against scripted backends and a real redis-server
# check-sanitized  the units under ASan and UBSan and the module's tests with the same; threads under TSan
C_FILES  := $(wildcard shared/*.[ch] shared/*/*.[ch] shared/*/*/*.[ch] mod_tmpl/*.[ch] tmplctl/*.[ch] tests/*/*.[ch] bench/*/*.[ch])
LINTED   := $(LIB_SRC) $(MOD_SRC) $(CTL_SRC)
ASAN     := SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined" CFLAGS="-O1 -g"
TSAN     := SANITIZE=-fsanitize=thread CFLAGS="-O1 -g"
JOBS     ?= 2
PROVE    := prove --timer -j $(JOBS)
# what runs under the sanitizers and under valgrind: names of tests for prove
SANITIZED_T ?= -r t
VALGRIND_T  ?= t/learning/10-learn-strip.t t/stores/15-two-proxies.t t/operations/17-graceful.t t/stores/18-redis-restart.t t/http/20-encodings.t \
               t/stores/25-store-down.t t/faults/36-broken-backend.t
MPMS        ?= event worker prefork

# check-plain    what is written for AVX2, too, without it
check: check-style check-units check-plain check-profile check-httpd check-sanitized

check-style:
	@clang-format --dry-run -Werror $(C_FILES)
	@printf "%s\n" $(LINTED) | xargs -P $(JOBS) -n 1 sh -c 'clang-tidy --quiet $$0 -- -std=gnu11 -D_GNU_SOURCE \
	  $(CPPFLAGS_ALL) $(HTTPD_CFLAGS) 2>/dev/null || { echo "clang-tidy: $$0"; exit 1; }'

units: $(TESTS)
check-units: all units $(BUILD)/tests/judge/oracle_corpus $(BUILD)/tests/judge/edits
	$(PROVE) -e '' $(TESTS)
	TMPLCTL=$(BUILD)/tmplctl TMPL_MODULE=$(BUILD)/mod_tmpl.so JUDGE=$(BUILD)/tests/judge/edits BUILD=$(BUILD) $(PROVE) $(wildcard tests/*/*.t)

PLAIN := $(patsubst $(BUILD)/%,$(BUILD)/plain/%,$(call named,collapse detector feature feature_alike fingerprint oracle trees))
check-plain:
	$(MAKE) BUILD=$(BUILD)/plain CPPFLAGS=-DTMPL_NO_AVX2 CFLAGS=-O1 $(PLAIN)
	$(PROVE) -e '' $(PLAIN)

check-httpd: all
	for mpm in $(MPMS); do \
	  TMPL_TEST_MPM=$$mpm TMPL_MODULE=$(abspath $(BUILD))/mod_tmpl.so $(PROVE) -r t || exit 1; done

check-sanitized:
	$(MAKE) BUILD=$(BUILD)/asan $(ASAN) all units
	$(PROVE) -e '' $(patsubst tests/%.c,$(BUILD)/asan/tests/%,$(TEST_SRC))
	ASAN_OPTIONS=detect_leaks=0 TMPL_MODULE=$(abspath $(BUILD))/asan/mod_tmpl.so TMPL_TEST_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	  $(PROVE) $(SANITIZED_T)
	$(MAKE) BUILD=$(BUILD)/tsan $(TSAN) $(BUILD)/tsan/tests/table/test_store $(BUILD)/tsan/tests/table/test_store_epoch $(BUILD)/tsan/tmplctl
	$(PROVE) -e '' $(BUILD)/tsan/tests/table/test_store $(BUILD)/tsan/tests/table/test_store_epoch
	TMPLCTL=$(BUILD)/tsan/tmplctl $(PROVE) $(wildcard tests/tool/tmplctl*.t)

# valgrind       the module in a real httpd under memcheck, with its pages coming at once: minutes
valgrind: all
	TMPL_TEST_PATIENCE=$${TMPL_TEST_PATIENCE:-600} TMPL_MODULE=$(abspath $(BUILD))/mod_tmpl.so \
	  TMPL_TEST_WRAP="valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite" \
	  $(PROVE) $(VALGRIND_T)

# tsan           the module in an httpd and an APR that are built with ThreadSanitizer, event and worker: an hour
TSAN_T       ?= t/stores/15-two-proxies.t t/operations/17-graceful.t t/stores/18-redis-restart.t t/stores/25-store-down.t t/faults/36-broken-backend.t \
                t/faults/37-client-gone.t t/operations/43-graceful-in-flight.t t/learning/46-learn-later.t t/stores/52-lmdb-faults.t t/operations/54-cache.t t/stores/55-redis-delay.t
tsan:
	@mkdir -p $(BUILD)
	@tests/httpd/tsan $(BUILD) $(TSAN_T)
.PHONY: tsan

# faults CORPUS=DIR   every page of DIR/SITE and DIR/DS/SITE through httpd while its store is dead, stopped, late or missing: each answer right, no child dies
faults: all
	@$(call with,CORPUS) TMPL_MODULE=$(abspath $(BUILD))/mod_tmpl.so tests/httpd/faults "$(CORPUS)"
.PHONY: faults

# check-seeds N=n [SEED=1]   the tests of stores with each of n seeds (tests/lib/seeded.c), from SEED on: they must hold for all
N            ?= 100
SEED         ?= 1
SEEDED       ?= $(call named,bucket later learning learning_fails site store store_end store_epoch \
                store_lmdb store_lmdb_buckets store_lmdb_file store_lmdb_full store_near store_paths store_redis store_redis_field \
                store_redis_wire store_walk style)
check-seeds: $(SEEDED)
	@tests/lib/seeds $(SEED) $(N) $(JOBS) $(SEEDED)
.PHONY: check-seeds

# fuzz SECONDS=n [SEED=1]   each of the fuzzers for its part of that, from its seeds; a finding is kept in build/fuzz; SEED=0: any
SECONDS  ?= 30
FUZZERS  := page config reply links decision
FUZZ_CC  ?= clang
FUZZ_SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-sanitize=function
FUZZ_OBJ := $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,$(LIB_SRC) tests/judge/oracle.c)
$(BUILD)/fuzz/obj/shared/model/builtin.o: models/pagelevel.model models/auto.model
$(BUILD)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_CC) -O1 -g -std=gnu11 $(FUZZ_SAN) -fsanitize=fuzzer-no-link $(CPPFLAGS_ALL) -Itests/lib -Itests/judge -pthread -MMD -MP -c -o $@ $<
$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/obj/tests/fuzz/fuzz_%.o $(FUZZ_OBJ)
	$(FUZZ_CC) $(FUZZ_SAN) -fsanitize=fuzzer -pthread -o $@ $^ -lgumbo $(LIBS)

# what took ten seconds of a machine that does other things, too, is none if it takes less when it is run once more
fuzz_stalled = { input=$$(sed -n 's/.*Test unit written to \(.*timeout-.*\)/\1/p' $(BUILD)/fuzz/$(1).log) && \
	  [ -n "$$input" ] && $(BUILD)/fuzz/fuzz_$(1) -timeout=10 "$$input"; }
fuzz: $(FUZZERS:%=$(BUILD)/fuzz/fuzz_%)
	for f in $(FUZZERS); do \
	  mkdir -p $(BUILD)/fuzz/$$f && \
	  $(BUILD)/fuzz/fuzz_$$f -max_total_time=$$(( ($(SECONDS) + 3) / $(words $(FUZZERS)) )) -seed=$(SEED) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	    -dict=tests/fuzz/page.dict -max_len=2048 -artifact_prefix=$(BUILD)/fuzz/ -verbosity=0 \
	    $(BUILD)/fuzz/$$f tests/fuzz/seeds/$$f 2>&1 | tee $(BUILD)/fuzz/$$f.log | grep -E "number_of_executed|ERROR|of$$|expected|found" ; \
	  if grep -qE "ERROR|SUMMARY" $(BUILD)/fuzz/$$f.log && ! $(call fuzz_stalled,$$f); then cat $(BUILD)/fuzz/$$f.log; exit 1; fi; \
	done

# oracle CORPUS=DIR [JOBS=2]   parse5 judges how every page below DIR is read, and random edits of it (V=-v: both trees; without node Gumbo does)
# oracle-gumbo CORPUS=DIR   Gumbo does
DRAWS    ?= 100 60 20
PARSE5   := parse5@8.1.1
BROWSE   := $(PARSE5) puppeteer-core@25.16.0
V        ?=
judge = BUILD=$(BUILD) tests/judge/run "$(or $(2),$(PARSE5))" tests/judge/$(1).mjs $(V) $(BUILD)/tests/judge/edits
pages = find "$(CORPUS)" -path '*/pages/*.html' | LC_ALL=C sort
# PAGES of them, spread evenly
some = $(pages) | awk -v n=$(PAGES) '{ line[NR] = $$0 } END { step = NR > n ? NR / n : 1; for (i = 0; i < n && i * step < NR; i++) print line[int(i * step) + 1] }'
oracle: $(BUILD)/tests/judge/edits $(BUILD)/tests/judge/oracle_corpus
	@$(call with,CORPUS) list=$$(mktemp) && $(pages) >$$list && \
	  { $(call judge,corpus) $(JOBS) $(DRAWS) <$$list; rc=$$?; \
	    if [ $$rc = 77 ]; then $(BUILD)/tests/judge/oracle_corpus <$$list; rc=$$?; fi; rm -f $$list; exit $$rc; }
oracle-gumbo: $(BUILD)/tests/judge/oracle_corpus
	@$(call with,CORPUS) $(pages) | $(BUILD)/tests/judge/oracle_corpus

# oracle-chromium CORPUS=DIR [PAGES=200]   Chromium, with scripts off, judges random edits of that many of the pages
oracle-chromium: PAGES = 200
oracle-chromium: $(BUILD)/tests/judge/edits
	@$(call with,CORPUS) command -v $${CHROMIUM:-chromium} >/dev/null || { echo "$@: skipped, for there is no chromium"; exit 0; }; \
	  $(some) | $(call judge,chromium,$(BROWSE)) $(DRAWS) || test $$? = 77
# oracle-html5lib CORPUS=DIR [PAGES=100]   html5lib, in Python, does; for pages that parse5 finds fault with: tests/judge/second
oracle-html5lib: PAGES = 100
oracle-html5lib: $(BUILD)/tests/judge/edits
	@$(call with,CORPUS) $(some) | tests/judge/second $(V) $< $(DRAWS) || test $$? = 77

# html5lib [SUITES=../shared/suites]   the whole documents of html5lib-tests: how they are read, and edits of them (V=-v: which differ)
# oracle-cases             the same for cases of our own (tests/judge/cases.dat)
SUITES   ?= ../shared/suites
html5lib: $(BUILD)/tests/judge/edits
	@test -d "$(SUITES)/html5lib-tests" || { echo "$@: skipped, for there is no $(SUITES)/html5lib-tests: make $@ SUITES=DIR"; exit 0; }; \
	  $(call judge,cases) "$(SUITES)"/html5lib-tests/tree-construction/*.dat || test $$? = 77
oracle-cases: $(BUILD)/tests/judge/edits
	@$(call judge,cases) --around tests/judge/cases.dat || test $$? = 77
.PHONY: oracle-gumbo oracle-chromium oracle-html5lib html5lib oracle-cases

.PHONY: check check-style check-units check-plain check-httpd check-sanitized units oracle valgrind fuzz
# bench-bounds [CORPUS=DIR]   time and memory of the worst pages by size: neither may grow faster than the page
bench-bounds: $(BUILD)/bench/speed/bounds
	@list=$$(mktemp) && if [ -d "$(CORPUS)" ]; then find "$(CORPUS)" -name '*.html' | LC_ALL=C sort > $$list; fi && \
	  { $< $$list; rc=$$?; rm -f $$list; exit $$rc; }
# bench-memory   what a whole httpd holds for each request, with 1, 4 and 8 pages of 8 MiB at once
bench-memory: all
	@TMPL_MODULE=$(abspath $(BUILD))/mod_tmpl.so bench/speed/memory
.PHONY: bench-bounds bench-memory

# soak           memory of the server over 20,000 pages, under each MPM
soak: all
	for mpm in $(MPMS); do TMPL_TEST_MPM=$$mpm TMPL_TEST_SOAK=20000 TMPL_MODULE=$(abspath $(BUILD))/mod_tmpl.so \
	  prove -v t/operations/44-soak.t || exit 1; done
.PHONY: soak
# --- end of checking ---

# --- demo, packages, installing (demo/) ---
# make help prints every line "# target VAR=value", two blanks or more, what it does; [VAR=value] may be
# left out.
STORE     ?= lmdb
PORT      ?= 8080
DEMO_WAIT ?=
PREFIX    ?= /usr/local
MODULE_DIR = $(shell $(APXS) -q LIBEXECDIR 2>/dev/null)
MODS_DIR   = $(shell $(APXS) -q SYSCONFDIR 2>/dev/null)/mods-available
MAN_PAGES := $(wildcard docs/*.[15])
DOC_DIR    = $(PREFIX)/share/doc/mod_tmpl
# in the places where README.md's links look for them
DOCS      := README.md LICENSE $(filter-out conf/mod_tmpl.%,$(wildcard conf/*.conf)) $(wildcard docs/*.md)

# demo [STORE=redis] [PORT=8080] [DEMO_WAIT=no]   a proxy that strips httpd's manual, to look at
demo:
	@demo/deps build demo $(filter redis,$(STORE))
	@echo building
	@$(MAKE) -s --no-print-directory BUILD=$(BUILD) all
	@exec env BUILD=$(BUILD) STORE=$(STORE) PORT=$(PORT) DEMO_WAIT=$(DEMO_WAIT) demo/run

# deps                     installs the packages that building and running need
deps:
	@demo/deps build demo

# deps-check               installs the packages that the tests need
deps-check:
	@demo/deps build check

# install [PREFIX=/usr/local] [DESTDIR=DIR]   module and configuration in Debian's places, tmplctl, man pages
# (as tmpl.load and tmpl.conf, so that it is a2enmod tmpl; a tmpl.conf that is there is kept)
install: all
	install -D -m 644 $(BUILD)/mod_tmpl.so $(DESTDIR)$(MODULE_DIR)/mod_tmpl.so
	install -D -m 755 $(BUILD)/tmplctl $(DESTDIR)$(PREFIX)/bin/tmplctl
	$(foreach page,$(MAN_PAGES),install -D -m 644 $(page) \
	    $(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)) &&) true
	$(foreach doc,$(DOCS),install -D -m 644 $(doc) $(DESTDIR)$(DOC_DIR)/$(doc) &&) true
	install -D -m 644 conf/mod_tmpl.load $(DESTDIR)$(MODS_DIR)/tmpl.load
	sed -i 's|^\(LoadModule.* \).*/|\1$(MODULE_DIR)/|' $(DESTDIR)$(MODS_DIR)/tmpl.load
	@if [ -e $(DESTDIR)$(MODS_DIR)/tmpl.conf ]; then \
	    cmp -s conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf || \
	    echo "kept: $(DESTDIR)$(MODS_DIR)/tmpl.conf, which differs from conf/mod_tmpl.conf"; \
	else install -v -m 644 conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf; fi

# uninstall                removes what install has put there, but not a tmpl.conf that was changed
uninstall:
	@if [ -e $(DESTDIR)$(MODS_DIR)/../mods-enabled/tmpl.load ]; then \
	    echo "the module is enabled: run a2dismod tmpl first" >&2; exit 1; fi
	rm -f $(DESTDIR)$(MODULE_DIR)/mod_tmpl.so $(DESTDIR)$(PREFIX)/bin/tmplctl
	rm -f $(foreach page,$(MAN_PAGES),\
	    $(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(addprefix $(DESTDIR)$(DOC_DIR)/,$(DOCS))
	if [ -d $(DESTDIR)$(DOC_DIR) ]; then find $(DESTDIR)$(DOC_DIR) -depth -type d -empty -delete; fi
	rm -f $(DESTDIR)$(MODS_DIR)/tmpl.load
	if cmp -s conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf; then \
	    rm -f $(DESTDIR)$(MODS_DIR)/tmpl.conf; fi

# clean                    removes BUILD
# help                     this list
help:
	@echo 'BUILD=DIR (build) is where all is built. Targets:'
	@sed -nE 's/^# ([a-z0-9-]+)(( \[?[A-Z_]+=[^ ]*)*)  +(.*)/\1\2\t\4/p' Makefile | \
	    awk -F '\t' '{ printf "  make %s\n      %s\n", $$1, $$2 }' | sed 's/make make/make/'

.PHONY: demo deps deps-check install uninstall help
# --- end of demo, packages, installing ---

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj $(BUILD)/fuzz/obj -name '*.d' 2>/dev/null)
.PHONY: all clean
.SECONDARY:
