package effects

import (
	"strings"
	"testing"
)

// TestOfShell: what a command can have written, of some files: the certain ones, the
// possible ones after a question mark, and no others. ~ is a command that may bring
// others' work.
func TestOfShell(t *testing.T) {
	t.Parallel()
	files := []string{"notes.md", "f.py", "src/a.go", "web/b.ts", "testdata/x.json", "go.mod", "package.json", "d/f.txt", "Makefile", "Cargo.lock"}
	for command, want := range map[string]string{
		"":                                             "",
		"ls -la && cat f.py | grep y":                  "",
		"cd a; git status --short":                     "",
		"python3 --version":                            "",
		"node -v; go version; cargo --version":         "",
		"curl -s https://x.org/notes.md":               "",
		"curl -sSLo notes.md https://x.org/":           "notes.md",
		"curl -O https://x.org/notes.md?a=b":           "notes.md",
		"curl --output notes.md https://x.org":         "notes.md",
		"curl https://x.org >notes.md":                 "notes.md",
		"wget -q https://x.org/f.py":                   "f.py",
		"wget -qO- https://x.org/f.py":                 "",
		"awk '{print $1}' notes.md":                    "",
		"awk '$1 > 5 {print}' notes.md":                "",
		"awk '{print > \"notes.md\"}' f.py":            "notes.md ?*",
		"gawk -i inplace '{print}' f.py":               "f.py",
		"grep -rn notes.md . 2>/dev/null":              "",
		"echo x >/dev/shm/r/a.txt":                     "/dev/shm/r/a.txt",
		"grep -o notes.md f.py":                        "",
		"sed -n 1,20p f.py":                            "",
		"sed 's/a/b/' f.py":                            "",
		"sed -i s/a/b/ f.py":                           "f.py",
		"sed -ni s/a/b/ f.py":                          "f.py",
		"sed -fmini.sed f.py":                          "?*",
		"clang-format -style=file f.c >out.c":          "out.c",
		"clang-format -i -style=file f.c":              "f.c",
		"goimports -local=github.com/we/x f.go":        "",
		"goimports -w -local=github.com/we/x f.go":     "f.go",
		"sed -i.bak -e s/a/b/ -e s/c/d/ f.py":          "f.py",
		"sed -E -i '' s/a/b/ src/*.go":                 "src/a.go",
		"sed -i s/a/b/ $(git ls-files)":                "*",
		"sed 's/a/b/e' f.py":                           "?*",
		"sed -n '1w notes.md' f.py":                    "?*",
		"perl -pi -e 's/a/b/' f.py":                    "f.py",
		"perl -ne 'print if /x/' f.py":                 "",
		"echo x > notes.md":                            "notes.md",
		"echo x >> ./d/f.txt":                          "d/f.txt",
		"cd d && echo x > f.txt":                       "d/f.txt",
		"echo x >/tmp/notes.md":                        "",
		"echo x >/r/notes.md":                          "notes.md",
		"echo x > $OUT":                                "notes.md f.py go.mod package.json Makefile Cargo.lock src/a.go web/b.ts testdata/x.json d/f.txt",
		"cat <<E >f.py\nnotes.md\nE":                   "f.py",
		"(ls; rm f.py)":                                "f.py",
		"echo $(rm f.py)":                              "f.py",
		"if true; then touch f.py; fi":                 "f.py",
		"for f in *.py; do sed -i s/a/b/ $f; done":     "*",
		"cp f.py notes.md":                             "notes.md",
		"cp f.py d":                                    "",
		"mv f.py d/":                                   "f.py d/f.txt",
		"rm -rf d":                                     "d/f.txt",
		"tee notes.md":                                 "notes.md",
		"find . -name '*.py'":                          "",
		"find . -name '*.py' -delete":                  "f.py",
		"find . -name '*.go' -exec sed -i s/a/b/ {} +": "src/a.go",
		"ls *.go | xargs sed -i s/a/b/":                "*",
		"env A=1 sed -i s/a/b/ f.py":                   "f.py",
		"bash -c 'echo x > notes.md'":                  "notes.md",
		"bash -lc \"cd d && ls\"":                      "",
		"bash <<E\necho x >f.py\nE":                    "f.py",
		"./build.sh":                                   "?*",
		"./scripts/gen.sh":                             "f.py src/a.go web/b.ts testdata/x.json go.mod package.json Cargo.lock ?*",
		"pytest -q":                                    "?testdata/x.json",
		"python3 -m pytest tests":                      "?testdata/x.json",
		"poetry run pytest":                            "?testdata/x.json",
		"npx jest -u":                                  "?*",
		"go test ./... 2>&1 | tail":                    "?testdata/x.json",
		"go test ./... -update":                        "?*",
		"go build ./... && go vet ./...":               "",
		"go mod tidy":                                  "go.mod",
		"go fmt ./...":                                 "?src/a.go",
		"gofmt -l .":                                   "",
		"gofmt -w src":                                 "?src/a.go",
		"black .":                                      "?f.py",
		"black f.py":                                   "f.py",
		"black --check .":                              "",
		"ruff check .":                                 "",
		"ruff check --fix .":                           "?f.py",
		"npx prettier --write .":                       "?notes.md ?web/b.ts ?testdata/x.json ?package.json",
		"prettier --check .":                           "",
		"make":                                         "?*",
		"make notes.md":                                "notes.md ?*",
		"make test":                                    "?testdata/x.json",
		"make fmt":                                     "?*",
		"npm test":                                     "?testdata/x.json",
		"npm run build":                                "?*",
		"npm run lint:fix":                             "?*",
		"npm install left-pad":                         "package.json",
		"npm ls":                                       "",
		"yarn fmt":                                     "?*",
		"cargo build":                                  "Cargo.lock",
		"python3 -c 'print(1)'":                        "",
		"python3 -c 'import json, sys; print(json.load(sys.stdin))'": "",
		"python3 run.py": "?*",
		"python3 - <<E\nopen('f.py', 'w').write('x')\nE": "f.py ?*",
		"python3 -c 'import subprocess'":                 "?*",
		"node -e 'console.log(1)'":                       "",
		"$x":                                             "?*",
		"some-tool notes.md":                             "?*",
		"some-tool -o notes.md":                          "notes.md ?*",
		"some-tool --version":                            "",
		"git log -3 --oneline":                           "",
		"git -C a -c x=y diff --stat":                    "",
		"git diff --output=f.py":                         "f.py",
		"git show HEAD~1:f >f.py":                        "~ f.py",
		"git add -A && git commit -qm x":                 "",
		"git checkout main":                              "",
		"git checkout -b x main":                         "",
		"git checkout -- f.py":                           "",
		"git checkout HEAD~1 -- f.py":                    "~ *",
		"git checkout HEAD~1 f.py":                       "~ *",
		"git restore f.py":                               "",
		"git restore -s HEAD~1 f.py":                     "~ *",
		"git restore --source=HEAD~1 f.py":               "~ *",
		"git reset --hard HEAD~1":                        "",
		"git reset HEAD f.py":                            "",
		"git reset --soft HEAD~1":                        "~ *",
		"git merge --ff-only x":                          "",
		"git merge x":                                    "~ *",
		"git pull":                                       "~ *",
		"git stash":                                      "",
		"git stash pop":                                  "~",
		"git cherry-pick x":                              "~ *",
		"git apply x.patch":                              "~ *",
		"git apply <<E\n--- a/f.py\n+++ b/f.py\nE":       "f.py",
		"git mv f.py notes.md":                           "notes.md f.py",
		"git some-alias":                                 "~ *",
		"gh pr view 3":                                   "",
		"gh pr checkout 3":                               "~ *",
		"sh -c 'git checkout HEAD~1 -- f.py'":            "~ *",
		"'unfinished":                                    "?*",
		"git 'unfinished":                                "~ ?*",
		strings.Repeat("ls;", MaxParsed):                 "?*",
	} {
		if got := said(OfShell(command), files); got != expanded(want, files) {
			t.Errorf("%.80q: %s, want %s", command, got, expanded(want, files))
		}
	}
}

// said lists the files that effects match.
func said(e Effects, files []string) string {
	var certain, may []string
	for _, file := range files {
		sure, possible := false, false
		for _, f := range e.Files {
			if f.Match("/r", file) {
				sure, possible = sure || !f.Possible, possible || f.Possible
			}
		}
		if sure {
			certain = append(certain, file)
		} else if possible {
			may = append(may, file)
		}
	}
	out := strings.Join(certain, " ")
	if len(may) > 0 {
		out += " ?" + strings.Join(may, " ?")
	}
	if e.ImportsContent {
		out = "~ " + out
	}
	return strings.TrimSpace(out)
}

// expanded writes a wanted list out in the order of the files.
func expanded(want string, files []string) string {
	e := Effects{}
	for w := range strings.FieldsSeq(want) {
		name, may := strings.CutPrefix(w, "?")
		switch {
		case w == "~":
			e.ImportsContent = true
		case name == "*":
			e.Files = append(e.Files, Files{Glob: anything, Possible: may})
		default:
			e.Files = append(e.Files, Files{Glob: "/r/" + name, Possible: may})
		}
	}
	return said(e, files)
}

func TestOfTool(t *testing.T) {
	t.Parallel()
	files := []string{"notes.md", "f.py"}
	for name, want := range map[string]string{
		"Read": "", "WebSearch": "", "TodoWrite": "", "google_web_search": "",
		"mcp__postgres__query": "", "mcp__github__get_file_contents": "", "mcp__docs__resolveLibraryId": "", "mcp__jira__searchIssues": "",
		"mcp__fs__write_file": "f.py ?notes.md", "mcp__fs__createFile": "f.py ?notes.md", "mcp__db__execute_query": "f.py ?notes.md",
		"mcp__x__frobnicate": "?notes.md ?f.py", "SomethingNew": "?notes.md ?f.py", "mcp__": "?notes.md ?f.py",
	} {
		if got := said(OfTool(name, []string{"/r/f.py"}), files); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestStays: what goes on behind a call is told from what is over with it.
func TestStays(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{"make": false, "make &": true, "sleep 5 &": false, "nohup ./serve.sh >log.txt &": true, "ls & wait": false} {
		if got := OfShell(command).Outlives; got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

func FuzzOfShell(f *testing.F) {
	for _, s := range []string{"sed -i s/a/b/ f.py", "find . -exec x {} \\;", "bash -c 'echo >f'", "python3 - <<E\nopen('x','w')\nE", "awk '{print > \"x\"}'", "cp a{b,c} [d] ."} {
		f.Add(s, "a/b")
	}
	f.Fuzz(func(t *testing.T, s, file string) {
		for _, p := range OfShell(s).Files {
			p.Match("/r", file)
			if p.Glob == "" || len(p.Glob) > 3*maxGlob {
				t.Fatalf("%q: %q", s, p.Glob)
			}
		}
	})
}
