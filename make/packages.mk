# SPDX-License-Identifier: Apache-2.0
#
# What leaves this tree: files that are installed, the tarball, Debian packages. Included by
# ../Makefile: run make at the top of the tree. docs/packages.md explains it.
#
# --- Install and package ---
# install [PREFIX=/usr/local]  the module, its configuration, tmplctl and the man pages
# uninstall      remove what install wrote, and say what stays
# dist           build/mod_tmpl-VERSION.tar.gz, of the last commit
# sbom           build/mod_tmpl-VERSION.cdx.json: what the built files consist of and need
# deb            build/deb/*.deb, of the last commit, for this Debian
# check-deb [SUITES_DEB="bookworm trixie"]  packages are built and tested in fresh roots of Debian 12 and 13
# check-docs [SUITES_DEB="bookworm trixie"] [DOCS=README.md]  the commands of README.md and docs/packages.md, as they stand there, in bare roots
# check-trixie [TRIXIE="units valkey"]  groups of "make check-all" in a fresh root of Debian 13
# check-arch ARCH=arm64|s390x  unit tests of another processor, in QEMU
# check-version  what a release needs of the version, the changelogs and tests/compatibility
# release-check CORPUS="DIR..." [MINUTES=60] [EVERY=1]  what a release has to pass: hours
# container [IMAGE=mod_tmpl] [BASE=debian:bookworm-slim]  the container image; without BASE on a fresh root of Debian 12
# check-container [IMAGE=mod_tmpl]  build the container image, run it and test it
#
# DESTDIR goes in front of every path that is installed. MIRROR is Debian's (default: apt's). Roots are
# kept in BUILD/roots. Only root can make them.

# The one place is shared/base/tmpl.h; tests/project/dist.t compares debian/changelog.
VERSION   := $(shell sed -n 's/^\#define TMPL_VERSION "\(.*\)"/\1/p' shared/base/tmpl.h)
RELEASE    = $(BUILD)/mod_tmpl-$(VERSION)

PREFIX    ?= /usr/local
MODULE_DIR = $(shell $(APXS) -q LIBEXECDIR 2>/dev/null)
MODS_DIR   = $(shell $(APXS) -q SYSCONFDIR 2>/dev/null)/mods-available
MAN_PAGES := $(wildcard docs/*.[15])
DOC_DIR    = $(PREFIX)/share/doc/mod_tmpl
# in the folders that README.md's links name
DOC_FILES := README.md CHANGELOG.md SECURITY.md LICENSE $(filter-out conf/mod_tmpl.%,$(wildcard conf/*.conf)) conf/page.schema.json conf/grafana-dashboard.json conf/prometheus-alerts.yml $(wildcard docs/*.md docs/lab/*.md docs/screenshots/*.png)
STORE_DIR := $(shell sed -n 's|^ *TmplStore lmdb:||p' conf/mod_tmpl.conf)
COMPLETION = $(PREFIX)/share/bash-completion/completions/tmplctl
# true if a package has the module: its files are the package manager's
PACKAGED   = dpkg --root=$(or $(DESTDIR),/) -S $(MODULE_DIR)/mod_tmpl.so >/dev/null 2>&1

# as tmpl.load and tmpl.conf, so that a2enmod's name is tmpl; an existing tmpl.conf is kept
install: counted-all
	@if $(PACKAGED); then \
	    echo "a package has installed the module: run apt-get purge libapache2-mod-tmpl first" >&2; exit 1; fi
	$(quiet)install -D -m 644 $(BUILD)/mod_tmpl.so $(DESTDIR)$(MODULE_DIR)/mod_tmpl.so
	$(quiet)install -D -m 755 $(BUILD)/tmplctl $(DESTDIR)$(PREFIX)/bin/tmplctl
	$(quiet)install -D -m 644 tmplctl/tmplctl.bash $(DESTDIR)$(COMPLETION)
	$(quiet)$(foreach page,$(MAN_PAGES),install -D -m 644 $(page) \
	    $(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)) &&) true
	$(quiet)$(foreach doc,$(DOC_FILES),install -D -m 644 $(doc) $(DESTDIR)$(DOC_DIR)/$(doc) &&) true
	$(quiet)install -D -m 644 conf/mod_tmpl.load $(DESTDIR)$(MODS_DIR)/tmpl.load
	$(quiet)sed -i 's|^\(LoadModule.* \).*/|\1$(MODULE_DIR)/|' $(DESTDIR)$(MODS_DIR)/tmpl.load
	$(quiet)if [ -e $(DESTDIR)$(MODS_DIR)/tmpl.conf ]; then \
	    cmp -s conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf || \
	    echo "kept: $(DESTDIR)$(MODS_DIR)/tmpl.conf, which differs from conf/mod_tmpl.conf"; \
	else install -m 644 conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf; fi
# httpd's user owns the store, also if tmplctl writes to it first
	@if [ -z "$(DESTDIR)" ] && [ $$(id -u) = 0 ] && id www-data >/dev/null 2>&1 && [ ! -e $(STORE_DIR) ]; then \
	    install -v -d -o www-data -g www-data -m 700 $(STORE_DIR); fi
	@printf '  %-14s %s\n' module $(DESTDIR)$(MODULE_DIR)/mod_tmpl.so configuration "$(DESTDIR)$(MODS_DIR)/tmpl.load, tmpl.conf" \
	    tool $(DESTDIR)$(PREFIX)/bin/tmplctl documents "$(DESTDIR)$(DOC_DIR), man tmplctl, man mod_tmpl"
	@echo "  next           a2enmod tmpl, and restart httpd"

uninstall:
	@[ -n "$(MODULE_DIR)" ] || { echo "apxs, which says where the module is, is missing: install apache2-dev" >&2; exit 1; }
	@if $(PACKAGED); then echo "stays: the module and its configuration, which a package has installed"; \
	elif [ -e $(DESTDIR)$(MODS_DIR)/../mods-enabled/tmpl.load ]; then \
	    echo "the module is enabled: run a2dismod tmpl first" >&2; exit 1; \
	else \
	    rm -fv $(DESTDIR)$(MODULE_DIR)/mod_tmpl.so $(DESTDIR)$(MODS_DIR)/tmpl.load; \
	    if cmp -s conf/mod_tmpl.conf $(DESTDIR)$(MODS_DIR)/tmpl.conf; then rm -fv $(DESTDIR)$(MODS_DIR)/tmpl.conf; fi; \
	    ! [ -e $(DESTDIR)$(MODS_DIR)/tmpl.conf ] || \
	        echo "stays: $(DESTDIR)$(MODS_DIR)/tmpl.conf, which you changed"; \
	fi
	$(quiet)rm -f $(DESTDIR)$(PREFIX)/bin/tmplctl $(DESTDIR)$(COMPLETION)
	$(quiet)rm -f $(foreach page,$(MAN_PAGES),\
	    $(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	$(quiet)rm -f $(addprefix $(DESTDIR)$(DOC_DIR)/,$(DOC_FILES))
	$(quiet)if [ -d $(DESTDIR)$(DOC_DIR) ]; then find $(DESTDIR)$(DOC_DIR) -depth -type d -empty -delete; fi
	@$(PACKAGED) || ! [ -d $(DESTDIR)$(STORE_DIR) ] || rmdir $(DESTDIR)$(STORE_DIR) 2>/dev/null || \
	    echo "stays: $(DESTDIR)$(STORE_DIR), what was learnt; nothing else needs it"
	@echo "stays: packages that make deps installed, which other programs may use"

# root may package another user's tree. A tree without .git is an unpacked tarball.
GIT = git -c safe.directory="$(CURDIR)"
dist:
	@mkdir -p $(BUILD)
ifneq ($(wildcard .git),)
	@[ -z "$$($(GIT) status --porcelain)" ] || echo "dist: changes that are not committed are left out" >&2
	$(GIT) archive --format=tar --prefix=mod_tmpl-$(VERSION)/ HEAD >$(RELEASE).tar
else
	tar --sort=name --owner=root:0 --group=root:0 --exclude='./build*' --transform='s|^\.|mod_tmpl-$(VERSION)|S' -cf $(RELEASE).tar .
endif
	gzip -9nf $(RELEASE).tar

sbom: all
	@CC=$(CC) make/sbom $(VERSION) $(BUILD)/mod_tmpl.so $(BUILD)/tmplctl models/*.model >$(RELEASE).cdx.json
	@echo "$(RELEASE).cdx.json"

deb:
	@demo/deps --missing packages
	@$(MAKE) --no-print-directory dist
	make/deb $(RELEASE).tar.gz $(BUILD)/deb

SUITES_DEB ?= bookworm trixie
check-deb: dist
	@for suite in $(SUITES_DEB); do BUILD=$(BUILD) tests/packages/check-deb $$suite $(RELEASE).tar.gz || exit 1; done

DOCS      ?=
check-docs: dist
	@why=$$(tests/packages/root able 2>&1) || { echo "$@: skipped, this system forbids roots: $$why"; exit 0; }; \
	  for suite in $(SUITES_DEB); do BUILD=$(BUILD) DOCS="$(DOCS)" tests/packages/check-docs $$suite $(RELEASE).tar.gz || exit 1; done

TRIXIE    ?= units processes
check-trixie: dist
	@why=$$(tests/packages/root able 2>&1) || { echo "$@: skipped, this system forbids roots: $$why"; exit 0; }; \
	  BUILD=$(BUILD) JOBS=$(JOBS) tests/packages/check-suite trixie $(RELEASE).tar.gz $(TRIXIE)

IMAGE     ?= mod_tmpl
BASE      ?=
container:
	@BUILD=$(BUILD) make/container $(IMAGE) $(BASE)

check-container:
	@command -v buildah >/dev/null || { echo "$@: skipped, there is no buildah: make deps-container"; exit 0; }; \
	  why=$$(tests/packages/root able 2>&1) || { echo "$@: skipped, this system forbids roots: $$why"; exit 0; }; \
	  $(MAKE) --no-print-directory container && IMAGE=$(IMAGE) prove --timer tests/packages/container.t

check-arch:
	@BUILD=$(BUILD) JOBS=$(JOBS) tests/packages/check-arch $(ARCH)

check-version: all
	@make/release-check $(VERSION) $(BUILD)/tmplctl

# All of them run, also after one that fails.
RELEASE_CHECKS = check-version check-all check-deb check-docs check-suites nightly-suites check-indexers check-redis-modes \
                 check-allocations check-syscalls coverage mutation fuzz-long fuzz-requests soak
release-check: MINUTES = 60
release-check: SECONDS = 600
release-check:
	@test -n "$(wildcard $(CORPUS:%=%/*/pages) $(CORPUS:%=%/*/*/pages))" || \
	  { echo "$@: no pages given: make $@ CORPUS=DIR, with DIR/SITE/pages" >&2; exit 2; }
	@$(MAKE) --no-print-directory release-checks MINUTES=$(MINUTES) SECONDS=$(SECONDS) TRIXIE="units processes valkey"
release-checks:
	@MAKE="$(MAKE)" JOBS=$(JOBS) tests/check $(RELEASE_CHECKS)

.PHONY: release-check release-checks check-version install uninstall dist sbom deb check-deb check-docs check-trixie container check-container check-arch
