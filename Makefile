# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

# Verbs, the same here and in continuous integration. The work is in scripts/.

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help setup build release test demo check fmt bench bench-hosting bench-updates fuzz torture conformance docs install uninstall clean

help: ## list the verbs
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing on this machine
	@scripts/setup

build: setup ## build everything, debug
	@swift build

release: setup ## build larder, larderd and larder-host as they are installed: optimised, static, stripped
	@scripts/release

test: ## build and run every test
	@scripts/test

demo: ## package, serve, install, launch and read, on real game data
	@scripts/demo

check: ## the gates that need no build: format, heads, lengths, imports
	@scripts/lint

fmt: ## format the sources in place
	@scripts/lint --fix

bench: ## measure, each figure beside what it is compared with
	@scripts/bench

bench-hosting: ## measure larder-host only, beside nginx, cp and sha256sum
	@scripts/bench hosting

bench-updates: ## measure updates of real packages beside zstd, bsdiff, casync and others: make bench-updates ARGS=--quick
	@scripts/bench-updates $(ARGS)

fuzz: ## run every fuzz target for a minute
	@scripts/fuzz

torture: ## kill, cut and fill through installs and updates for some minutes, and count
	@scripts/torture

conformance: ## hold larder-host against App Store Connect's interface: make conformance SPEC=<OpenAPI file>
	@scripts/conformance $(SPEC)

docs: build ## write docs/cli.md and docs/cli-host.md from the command trees
	@scripts/docs

install: release ## install the programs and the systemd units below PREFIX
	@scripts/install "$(DESTDIR)" "$(PREFIX)"

uninstall: ## remove what install put there
	@scripts/install --remove "$(DESTDIR)" "$(PREFIX)"

clean: ## remove everything that was built
	@rm -rf .build build Examples/TheCoast/.build Examples/Sessions/.build Examples/Levels/.build
