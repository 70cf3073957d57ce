package effects

import (
	"strings"
	"sync"
)

func setOf(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// readOnlyPrograms are programs that write no file of a worktree, whatever their arguments.
var readOnlyPrograms = sync.OnceValue(func() map[string]bool {
	return setOf(`[ [[ : ack ag alias base64 basename bat bg break cal cat cd chafa cloc cmp comm continue cut date df diff dig dir dirname dirs
	docker-credential du echo egrep env exit expand export expr eza false fd fdfind fg fgrep file flake8 fmt fold free getconf getent getopts
	git-lfs-ls grep groups hadolint hash head hexdump history host hostname htop id info jobs jq kill killall kubectl last ldd less let local locale
	look ls lsblk lscpu lsof man md5 md5sum mkdir mktemp more mypy nc netstat nl nm nproc nslookup objdump od otool paste pgrep ping pkill
	popd pr printenv printf ps pushd pwd pylint pyright read readelf readlink readonly realpath return rev rg rmdir seq set sha1sum sha256sum
	sha512sum shasum shellcheck shift shuf size sleep ss stat strings sum sysctl tac tail test tig times tldr tokei top tput tr trap tree true
	tsort tty type ulimit umask unalias uname unexpand unset uptime uuidgen vulture w wait wc whatis whereis which who whoami yamllint yes`)
})

// testers are programs that run tests, which may write the files of class artifacts.
var testers = sync.OnceValue(func() map[string]bool {
	return setOf(`pytest py.test unittest nose2 jest vitest mocha ava tap jasmine karma cypress playwright rspec minitest phpunit pest ctest
	behave cucumber tape nyc c8 coverage bats newman k6 hypothesis`)
})

// taskRunners are programs that run the tasks of a project file.
var taskRunners = sync.OnceValue(func() map[string]bool {
	return setOf(`make gmake just task rake ninja gradle gradlew mvn mvnw tox nox invoke inv grunt gulp mage turbo nx lerna wireit earthly`)
})

// A formatter rewrites the files that it is given, or all files of its kinds.
type formatter struct {
	kinds  string
	verbs  string // it rewrites only with one of these subcommands
	only   string // and only with one of these options
	unless string // and with none of these options
}

const webExtensions = "js,jsx,ts,tsx,mjs,cjs,css,scss,less,json,md,mdx,yaml,yml,html,vue,svelte,graphql"

var formatters = sync.OnceValue(func() map[string]formatter {
	return map[string]formatter{
		"gofmt": {kinds: "go", only: "-w"}, "goimports": {kinds: "go", only: "-w"}, "gofumpt": {kinds: "go", only: "-w"}, "golines": {kinds: "go", only: "-w"},
		"golangci-lint": {kinds: "go", only: "--fix"}, "gci": {kinds: "go", verbs: "write"},
		"black": {kinds: "py,pyi,ipynb", unless: "--check --diff"}, "isort": {kinds: "py,pyi", unless: "--check --check-only -c --diff"},
		"autopep8": {kinds: "py", only: "-i --in-place"}, "yapf": {kinds: "py", only: "-i --in-place"}, "autoflake": {kinds: "py", only: "-i --in-place"},
		"pyupgrade": {kinds: "py"}, "ruff": {kinds: "py,pyi,ipynb", verbs: "format check", unless: "--check --diff"},
		"prettier": {kinds: webExtensions, only: "-w --write"}, "eslint": {kinds: webExtensions, only: "--fix"}, "biome": {kinds: webExtensions, only: "--write --apply --fix --apply-unsafe"},
		"stylelint": {kinds: webExtensions, only: "--fix"}, "standard": {kinds: webExtensions, only: "--fix"}, "xo": {kinds: webExtensions, only: "--fix"}, "dprint": {kinds: classCode, verbs: "fmt"},
		"oxlint": {kinds: webExtensions, only: "--fix"}, "markdownlint": {kinds: "md,mdx", only: "--fix"}, "markdownlint-cli2": {kinds: "md,mdx", only: "--fix"},
		"rustfmt": {kinds: "rs", unless: "--check"}, "clang-format": {kinds: "c,h,cc,cpp,hpp,m,java,proto", only: "-i"}, "shfmt": {kinds: "sh,bash", only: "-w"},
		"terraform": {kinds: "tf,tfvars", verbs: "fmt", unless: "-check"}, "tofu": {kinds: "tf,tfvars", verbs: "fmt", unless: "-check"},
		"rubocop": {kinds: "rb,rake", only: "-a -A --autocorrect --autocorrect-all --auto-correct"}, "standardrb": {kinds: "rb", only: "--fix"},
		"swiftformat": {kinds: "swift", unless: "--lint"}, "ktlint": {kinds: "kt,kts", only: "-F --format"}, "dart": {kinds: "dart", verbs: "format fix"},
		"php-cs-fixer": {kinds: "php", verbs: "fix", unless: "--dry-run"}, "phpcbf": {kinds: "php"}, "pint": {kinds: "php", unless: "--test"},
		"stylua": {kinds: "lua", unless: "--check"}, "nixfmt": {kinds: "nix"}, "taplo": {kinds: "toml", verbs: "fmt format"}, "csharpier": {kinds: "cs", unless: "--check"},
		"google-java-format": {kinds: "java", only: "-i --replace"}, "ormolu": {kinds: "hs", only: "-i"}, "fourmolu": {kinds: "hs", only: "-i"},
		"elm-format": {kinds: "elm"}, "buildifier": {kinds: "bzl,bazel"}, "codespell": {kinds: classCode, only: "-w --write-changes"},
	}
})

// formatEffects returns the effects of a formatter. A formatter that only checks writes nothing. One that is given a folder
// certainly writes none of its files: who wrote their lines, the lines themselves tell.
func (c command) formatEffects(f formatter) Effects {
	words := c.plain()
	if f.verbs != "" {
		if len(words) == 0 || !setOf(f.verbs)[words[0]] {
			return c.looksOrUnknown()
		}
		words = words[1:]
	}
	if f.only != "" && !c.has(strings.Fields(f.only)...) || f.unless != "" && c.has(strings.Fields(f.unless)...) {
		return Effects{}
	}
	if c.name == "ruff" && c.verb() == "check" && !c.has("--fix") {
		return Effects{}
	}
	if len(words) == 0 {
		words = []string{"."}
	}
	var out Effects
	for _, w := range words {
		out.add(rewrites(w, f.kinds))
	}
	return out
}

// rewrites returns the effects of a program that rewrites some files of some kinds in a folder, or the file that a word
// names. A person may write others of these files at the same time.
func rewrites(word, kinds string) (out Effects) {
	for _, g := range globsIn(word, kinds) {
		if strings.ContainsAny(g, ":*?") {
			out.add(possible(g))
		} else {
			out.add(certain(g))
		}
	}
	return out
}

// looksOrUnknown returns the effects of a command with subcommands: none for those that
// only read, otherwise unknown ones.
func (c command) looksOrUnknown() Effects {
	switch c.verb() {
	case "check", "lint", "show", "list", "ls", "plan", "validate", "output", "analyze", "diff", "status", "run":
		if c.verb() != "run" || c.name == "golangci-lint" {
			return Effects{}
		}
	}
	return c.unknown()
}

// A manager is a package manager: it installs what a project depends on and writes the
// manifest files.
type manager struct {
	verbs string // subcommands that install
	reads string // subcommands that write nothing
	files string
}

const nodeInstalls = "add i install ci remove rm uninstall un update up upgrade dedupe link unlink prune audit rebuild"
const nodeQueries = "ls list ll view info show outdated why explain config get whoami ping search root prefix bin docs repo fund doctor licenses"
const nodeFiles = "package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb node_modules/**"

var managers = sync.OnceValue(func() map[string]manager {
	return map[string]manager{
		"npm": {nodeInstalls, nodeQueries, nodeFiles}, "pnpm": {nodeInstalls, nodeQueries, nodeFiles}, "yarn": {nodeInstalls, nodeQueries, nodeFiles}, "bun": {nodeInstalls, "pm", nodeFiles},
		"pip": {"install uninstall download wheel", "list show freeze check index search config cache debug", ""}, "pip3": {"install uninstall download wheel", "list show freeze check index search config cache debug", ""},
		"pipx": {"install uninstall upgrade", "list", ""}, "poetry": {"add remove install update lock", "show check env config", "pyproject.toml poetry.lock"},
		"uv": {"add remove sync lock pip venv", "tree version", "pyproject.toml uv.lock"}, "pdm": {"add remove install update lock sync", "list", "pyproject.toml pdm.lock"},
		"pipenv": {"install uninstall update lock sync", "graph check", "Pipfile Pipfile.lock"}, "bundle": {"install add update remove lock", "list show info outdated check", "Gemfile Gemfile.lock"},
		"bundler": {"install add update remove lock", "list show info outdated check", "Gemfile Gemfile.lock"}, "gem": {"install uninstall update", "list search env", ""},
		"composer": {"install require remove update", "show info outdated validate", "composer.json composer.lock vendor/**"}, "mix": {"deps.get deps.update", "", "mix.lock"},
		"brew": {"install uninstall update upgrade", "list info search", ""}, "apt": {"install remove update upgrade", "list search show", ""},
		"apt-get": {"install remove update upgrade", "", ""}, "conda": {"install remove update", "list info search env", ""}, "rustup": {"update", "show", ""},
	}
})

func (c command) installEffects(m manager) (Effects, bool) {
	verb := c.verb()
	switch {
	case setOf(m.reads)[verb]:
		return Effects{}, true
	case setOf(m.verbs)[verb], verb == "" && m.files == nodeFiles:
		return certain(strings.Fields(m.files)...), true
	case m.files == nodeFiles:
		return c.nodeTask(verb), true
	}
	return Effects{}, false
}

// nodeTask returns the effects of a script in package.json: `npm test`, `npm run fmt`,
// `yarn build`.
func (c command) nodeTask(verb string) Effects {
	words := c.plain()
	if verb == "run" || verb == "run-script" {
		words = words[1:]
	}
	if len(words) == 0 {
		return Effects{} // npm run without a name lists the scripts
	}
	return c.taskEffects(words[:1])
}

// testEffects returns the effects of a program that runs tests. With an option that renews
// snapshots, it may write any file.
func (c command) testEffects() Effects {
	e := possible(":" + classArtifacts)
	for _, a := range c.args {
		if a == "-u" || strings.Contains(a, "update") || strings.Contains(a, "record") || strings.Contains(a, "bless") || strings.Contains(a, "overwrite") {
			e.add(Unknown())
		}
	}
	return e.with(certain(c.valuesOf("--junitxml", "--output", "--outputFile", "--cov-report", "--report-file")...))
}

// taskEffects returns the effects of a task runner. A task may be the name of a file that it
// writes. A task whose name says that it generates writes code; one whose name
// says that it tests or checks writes only test artifacts.
func (c command) taskEffects(names []string) Effects {
	var out Effects
	tests := len(names) > 0
	for _, name := range names {
		if strings.Contains(name, "=") {
			tests = false
			continue
		}
		out.add(certain(glob(name)))
		makes, looks := taskWords(name)
		if makes {
			out.add(certain(":" + classCode))
		}
		tests = tests && looks && !makes
	}
	if tests {
		return out.with(c.testEffects())
	}
	out.Commits = true
	return out.with(Unknown())
}

var (
	makingWords  = setOf("gen generate generated codegen regenerate regen scaffold")
	lookingWords = setOf("test tests check checks lint vet typecheck types tsc unit integration e2e ci verify coverage cov spec all quick fast race short")
)

// taskWords classifies a task by the words in its name.
func taskWords(name string) (makes, looks bool) {
	looks = true
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("-_:./", r) }) {
		makes = makes || makingWords[word]
		looks = looks && lookingWords[word]
	}
	return makes, looks && name != "all"
}
