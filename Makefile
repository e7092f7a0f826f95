# SPDX-License-Identifier: BSD-3-Clause
# Targets for common tasks; Meson does the build. See CONTRIBUTING.md.
DESTDIR ?=
PREFIX ?= /usr/local
BUILD = build/release

.PHONY: all help deps check-deps demo check check-kernel check-long check-mutants bench bench-quick bench-long bench-kernel bench-manychannels bench-slow bench-rhythm bench-dds bench-fleet experiments lint coverage install install-module uninstall clean

# make and make install never install packages: they may run as root, or without a network.
all: check-deps $(BUILD)/build.ninja
	ninja -C $(BUILD)

help:
	@echo 'make             build; says what is missing and installs no packages, nor does make install'
	@echo 'make deps        install the Debian packages to build with'
	@echo 'make demo        install what is missing, build, and run three small robots (under a minute)'
	@echo 'make check       install what is missing, build, and run all tests'
	@echo 'make check-kernel only its tests on real kernels, in virtual machines (about 3 minutes)'
	@echo 'make check-long  the exhaustive tests: hours'
	@echo 'make check-mutants  plant small bugs, and see that a test notices each: about an hour'
	@echo 'make bench       measure, beside everything else that passes messages (under 20 minutes)'
	@echo 'make bench-quick the main part of it (under 2 minutes)'
	@echo 'make bench-long  ten minutes for each contender'
	@echo 'make bench-kernel only kernel channels, inside emulated machines (about 5 minutes)'
	@echo 'make bench-manychannels 10,000 channels in one loop, inside an emulated machine (about 5 minutes)'
	@echo 'make bench-slow  ages of messages behind a slow link, inside an emulated machine (about 5 minutes)'
	@echo 'make bench-rhythm receivers that anticipate, inside emulated machines (about 5 minutes)'
	@echo 'make bench-dds   latency and rate of ach-dds beside Cyclone DDS alone and ddsperf (two minutes)'
	@echo 'make bench-fleet the cost of each hop, and the tables of docs/fleet.md (three minutes)'
	@echo 'make experiments  simulated robots beside the figures of the paper (about 20 minutes)'
	@echo 'make lint        format, static checkers'
	@echo 'make coverage    line coverage of core and libach'
	@echo 'make install     into PREFIX=$(PREFIX), below DESTDIR'
	@echo 'make install-module  the kernel module, for kernel channels: man 4 ach'
	@echo 'make uninstall   remove what make install put there last'

check-deps:
	@packaging/install-deps --check build

deps:
	@packaging/install-deps build

$(BUILD)/build.ninja: | check-deps
	meson setup $(BUILD) --buildtype=release -Dwerror=false --prefix=$(PREFIX) -Dtests=false -Dbench=true

demo: deps
	@$(MAKE) --no-print-directory all
	@examples/demo/run $(BUILD)
	@examples/device/run $(BUILD) $(BUILD)/demo
	@examples/sim/run $(BUILD)

check:
	@packaging/install-deps build test
	@tests/run-all

check-kernel:
	@packaging/install-deps build test
	@tests/run-all --only kernel

check-long:
	@packaging/install-deps build test long
	@tests/run-all --long

check-mutants:
	@packaging/install-deps build test
	@tests/mutants/run

# Install packages first: the build includes the peers (other libraries) that it finds.
bench bench-quick bench-long bench-kernel:
	@packaging/install-deps build bench
	@$(MAKE) --no-print-directory all
	@meson setup --reconfigure -Dpeers=true $(BUILD) >/dev/null && ninja -C $(BUILD)
	@bench/run $(BUILD) $(patsubst bench-%,%,$(filter-out bench,$@))

bench-manychannels bench-slow bench-rhythm:
	@packaging/install-deps build test
	@$(MAKE) --no-print-directory all
	@bench/emulated/run $(BUILD) $(patsubst bench-%,%,$@)

bench-dds:
	@packaging/install-deps build bench
	@$(MAKE) --no-print-directory all
	@bench/dds/run $(BUILD)

bench-fleet:
	@packaging/install-deps build bench
	@$(MAKE) --no-print-directory all
	@bench/fleet/run --measure $(BUILD) --write

experiments:
	@packaging/install-deps build
	@$(MAKE) --no-print-directory all
	@bench/sim/run $(BUILD)

lint:
	@packaging/install-deps build lint
	@packaging/lint

coverage:
	@packaging/install-deps build test
	@tests/coverage

install: all
	meson configure $(BUILD) -Dprefix=$(PREFIX)
	DESTDIR=$(DESTDIR) meson install -C $(BUILD)

# DKMS rebuilds the module for each new kernel. Without DKMS it is only for the running kernel.
install-module:
	@if [ -z "$(DESTDIR)" ] && command -v dkms >/dev/null; then \
		$(MAKE) --no-print-directory -C src/kmod headers dkms-install; \
	else \
		$(MAKE) --no-print-directory -C src/kmod install DESTDIR=$(DESTDIR); \
	fi
	@[ -n "$(DESTDIR)" ] || echo "Installed. 'modprobe ach' loads the module; members of the group 'ach' may make channels."

uninstall:
	ninja -C $(BUILD) uninstall

clean:
	rm -rf build
