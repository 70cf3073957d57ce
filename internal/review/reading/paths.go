package reading

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"entire/internal/pathtext"
	"entire/internal/review"
)

// codeEndings are the endings of files with code.
var codeEndings = strings.Fields(`.go .py .js .jsx .ts .tsx .mjs .cjs .vue .svelte .rb .rs .java .kt .kts .scala .c .h .cc .cpp .hpp .cs .php .swift .m
	.mm .sh .bash .zsh .ps1 .pl .lua .ex .exs .erl .hs .ml .clj .sql .dart .r .jl .zig .nim .tf`)

// isCode reports whether a file has code.
func isCode(p string) bool { return slices.Contains(codeEndings, strings.ToLower(path.Ext(p))) }

// testFolders are folders whose files are tests.
var testFolders = []string{"test", "tests", "__tests__", "spec", "specs", "testdata", "e2e"}

// isTest reports whether a file is a test, by its name or its folder.
func isTest(p string) bool {
	parts := strings.Split(p, "/")
	for _, folder := range parts[:len(parts)-1] {
		if slices.Contains(testFolders, strings.ToLower(folder)) {
			return true
		}
	}
	name := path.Base(p)
	stem := strings.TrimSuffix(name, path.Ext(name))
	lower := strings.ToLower(stem)
	switch {
	case strings.HasPrefix(lower, "test_"), strings.HasSuffix(lower, "_test"), strings.HasSuffix(lower, "_spec"), strings.HasSuffix(lower, ".test"), strings.HasSuffix(lower, ".spec"):
		return true
	case strings.HasSuffix(stem, "Test"), strings.HasSuffix(stem, "Tests"), strings.HasSuffix(stem, "Spec"):
		return true
	}
	return false
}

// subject returns the name that a file and its test have in common, in lower case.
func subject(p string) string {
	name := path.Base(p)
	name = strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	for _, mark := range []string{"_test", "_spec", ".test", ".spec", "tests", "test", "spec"} {
		if cut, ok := strings.CutSuffix(name, mark); ok && cut != "" {
			return cut
		}
	}
	return strings.TrimPrefix(name, "test_")
}

// testNear returns a test of the change that is about a file: with the same name, or in the same folder.
func (c *change) testNear(p string) string {
	for _, t := range c.tests {
		if subject(t) == subject(p) || path.Dir(t) == path.Dir(p) {
			return t
		}
	}
	return ""
}

// runners are names of files that are run where a project is built, tested or installed.
var runners = strings.Fields(`Dockerfile Containerfile Makefile Jenkinsfile .gitlab-ci.yml package.json setup.py build.rs build.gradle pom.xml
	.pre-commit-config.yaml azure-pipelines.yml`)

// runsElsewhere reports whether a file is run, or names what is run, on the machines of others.
func runsElsewhere(p string) bool {
	if slices.Contains(runners, path.Base(p)) {
		return true
	}
	for _, folder := range []string{".github/", ".gitea/", ".circleci/", ".githooks/", ".husky/"} {
		if strings.HasPrefix(p, folder) {
			return true
		}
	}
	return false
}

// named are the files and folders that a prompt names.
type named struct {
	words []string // as the prompt has them
	paths []string // files of the change
	trees []string // folders of the change
}

// namedIn returns what a prompt names: words that are a path or the name of a file of the change, or that
// look like a file with code.
func namedIn(prompt string, d *review.Document) (n named) {
	for _, word := range strings.FieldsFunc(prompt, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"“”()[]{}<>,;:!?*=@", r) }) {
		word = strings.TrimRight(strings.TrimPrefix(word, "./"), ".")
		if !strings.ContainsAny(word, "./") || strings.Contains(word, "//") || slices.Contains(n.words, word) {
			continue
		}
		found := false
		for i := range d.Files {
			p := pathtext.Decode(d.Files[i].Path)
			switch folder := strings.TrimSuffix(word, "/"); {
			case p == word || strings.HasSuffix(p, "/"+word) || strings.HasSuffix(word, "/"+p):
				n.paths, found = append(n.paths, p), true
			case strings.Contains(word, "/") && folder != "" && (strings.HasPrefix(p, folder+"/") || strings.Contains(p, "/"+folder+"/")):
				n.trees, found = append(n.trees, p), true
			}
		}
		if found || isCode(word) && (path.Ext(word) != ".js" || strings.Contains(word, "/")) { // Node.js is no file
			n.words = append(n.words, word)
		}
	}
	return n
}

// has reports whether the prompt names a file, a folder of it, or the file that it tests.
func (n named) has(p string) bool {
	if slices.Contains(n.paths, p) || slices.Contains(n.trees, p) {
		return true
	}
	if !isTest(p) {
		return false
	}
	return slices.ContainsFunc(slices.Concat(n.paths, n.words), func(about string) bool { return subject(about) == subject(p) })
}
