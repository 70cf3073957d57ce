# The usual day: make build test. Before a push: make check.
# make install puts entire where `go install` does, or in $(PREFIX)/bin.

GO       ?= go
PREFIX   ?=
FUZZTIME ?= 1m
VERSION  ?= $(shell git describe --tags --dirty 2>/dev/null || echo dev)
COMMIT   ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)

# The commit is passed in, so that a checkout git distrusts can still be built.
FLAGS := -trimpath -tags nogogit -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)"

.PHONY: all build install test race lint cross check fuzz bench bench-store soak walk rewindwalk attribution-suite attribution-fuzz demo scenarios clean

all: build

build:
	CGO_ENABLED=0 $(GO) build $(FLAGS) -o bin/entire$(shell $(GO) env GOEXE) ./cmd/entire

install:
	CGO_ENABLED=0 $(if $(PREFIX),GOBIN="$(abspath $(PREFIX))/bin") $(GO) install $(FLAGS) ./cmd/entire

test:
	$(GO) test -timeout 20m ./...

# The race detector needs a C compiler; without one the tests run all the same.
race:
	@if command -v $$($(GO) env CC) >/dev/null; then \
		echo "$(GO) test -race -timeout 60m ./..."; CGO_ENABLED=1 $(GO) test -race -timeout 60m ./...; \
	else \
		echo "race: no C compiler here, so without -race"; CGO_ENABLED=0 $(GO) test -timeout 20m ./...; \
	fi

lint:
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .); \
		test -z "$$unformatted" || { echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...

# Compiles everything for every system and processor that we promise.
cross:
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
		echo "build $$os/$$arch"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -buildvcs=false ./... || exit 1; \
	done; done

check: lint build test

# Every fuzz target in turn, FUZZTIME each.
fuzz:
	@list=$$($(GO) test -list '^Fuzz' ./...) || { echo "$$list"; exit 1; }; \
	echo "$$list" | awk '/^Fuzz/ {names[++n] = $$1} \
		/^ok/ {for (i = 1; i <= n; i++) print names[i], $$2; n = 0}' | \
	while read -r name package; do \
		echo "fuzz $$package $$name $(FUZZTIME)"; \
		$(GO) test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) "$$package" </dev/null || exit 1; \
	done

# The tables of docs/scenarios.md, from what the scripts assert.
scenarios:
	$(GO) test ./cmd/entire -run TestScenarioTable -count 1 -args write-scenarios

# Beside plain git in the same run.
bench: build
	$(GO) run ./internal/benchmark -bin bin/entire

# The conversation store beside a plain file and SQLite, in one run.
bench-store:
	$(GO) test -run '^$$' -bench . ./internal/storebench

# The long proofs: many processes, kills at random instants.
soak:
	$(GO) test -tags soak -timeout 120m -run Soak ./...

# Random walks beside plain git; WALK_SEQUENCES, WALK_OPS, WALK_SEED: how many, how long, which.
walk:
	WALK_SEQUENCES=$${WALK_SEQUENCES:-500} WALK_OPS=$${WALK_OPS:-60} WALK_SEED=$${WALK_SEED:-$$(date +%s)} $(GO) test -count=1 -timeout 60m -run Walk -v ./internal/walk

# Random histories with rewinds, beside a model; REWINDWALK_SEQUENCES, REWINDWALK_OPS, REWINDWALK_SEED.
rewindwalk:
	REWINDWALK_SEQUENCES=$${REWINDWALK_SEQUENCES:-2000} REWINDWALK_OPS=$${REWINDWALK_OPS:-25} REWINDWALK_SEED=$${REWINDWALK_SEED:-$$(date +%s)} $(GO) test -count=1 -timeout 120m -run RewindWalk -v ./internal/rewindwalk

# Who wrote which line: labelled sequences of edits, and random histories whose lines
# say it themselves; ATTRIBUTION_SECONDS, ATTRIBUTION_SEED: how long, which.
attribution-suite:
	cd internal/attribsuite && $(GO) test -count=1 -timeout 20m -run Suite

attribution-fuzz:
	ATTRIBUTION_SECONDS=$${ATTRIBUTION_SECONDS:-3600} ATTRIBUTION_SEED=$${ATTRIBUTION_SEED:-$$(date +%s)} $(GO) test -count=1 -timeout 12h -run Oracle -v ./internal/attribsuite

# A fault at every system call of a rewind, and of an undo; hours. FAULTS_ONLY="change
# KILL" names a class of calls and a fault, FAULTS_OF=undo one of the two.
faults:
	FAULTS=all FAULTS_LOG=1 $(GO) test -count=1 -timeout 12h -run Faults -v ./internal/faults

demo: build
	@bin/entire demo

clean:
	rm -rf bin dist
