package enginetest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"entire/strategy/maintain"
)

// Examine returns the findings that are no notes.
func (w *World) Examine() []maintain.Finding {
	w.T.Helper()
	var out []maintain.Finding
	for _, f := range maintain.Examine(w.Ctx, w.Engine(), func(string, int, int) {}) {
		if !f.Note {
			out = append(out, f)
		}
	}
	return out
}

// Diagnoses are what is found, as "kind subject".
func (w *World) Diagnoses() string {
	w.T.Helper()
	var out []string
	for _, f := range w.Examine() {
		out = append(out, f.Kind+" "+f.Subject)
	}
	return strings.Join(out, ", ")
}

// Put writes a file into the git directory.
func (w *World) Put(path, text string) {
	w.T.Helper()
	full := w.GitPath(path)
	err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o600))
	if err != nil {
		w.T.Fatal(err)
	}
}

// ReplaceBlob gives the path of a branch's tree another content.
func (w *World) ReplaceBlob(spec string) {
	w.T.Helper()
	_, path, _ := strings.Cut(spec, ":")
	blob := w.GitInput("sha256:0000", "hash-object", "-w", "--stdin")
	w.editBranch(spec, "--add", "--cacheinfo", "100644,"+blob+","+path)
}

// DropBlob takes the path out of a branch's tree.
func (w *World) DropBlob(spec string) {
	w.T.Helper()
	_, path, _ := strings.Cut(spec, ":")
	w.editBranch(spec, "--force-remove", path)
}

func (w *World) editBranch(spec string, change ...string) {
	w.T.Helper()
	branch, _, _ := strings.Cut(spec, ":")
	index := w.GitPath("scratch-index")
	run := func(args ...string) string {
		w.T.Helper()
		cmd := w.Command("git", args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
		out, err := cmd.Output()
		if err != nil {
			w.T.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	run("read-tree", branch)
	run(append([]string{"update-index"}, change...)...)
	w.Git("update-ref", "refs/heads/"+branch, w.Git("commit-tree", "-p", branch, "-m", "x", run("write-tree")))
}
