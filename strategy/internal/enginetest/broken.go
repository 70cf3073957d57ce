package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint/records"
	"entire/internal/git"
	"entire/strategy/maintain"
	"entire/strategy/turn"
)

// Lose removes an object, as a prune does that did not see the ref yet.
func (w *World) Lose(spec string) {
	w.T.Helper()
	oid := w.Git("rev-parse", spec)
	if err := os.Remove(w.GitPath("objects/" + oid[:2] + "/" + oid[2:])); err != nil {
		w.T.Fatal(err)
	}
}

// Empty leaves an object's file without a byte, as a power cut may.
func (w *World) Empty(spec string) {
	w.T.Helper()
	oid := w.Git("rev-parse", spec)
	w.Lose(spec)
	if err := os.WriteFile(w.GitPath("objects/"+oid[:2]+"/"+oid[2:]), nil, 0o444); err != nil {
		w.T.Fatal(err)
	}
}

func (w *World) Reported() []turn.Problem {
	w.T.Helper()
	report, err := maintain.Status(w.Ctx, w.Engine())
	if err != nil {
		w.T.Fatal(err)
	}
	return report.Problems
}

// MendByDoctor does what doctor --fix does for broken branches.
func (w *World) MendByDoctor() {
	w.T.Helper()
	found := 0
	for _, f := range maintain.Examine(w.Ctx, w.Engine(), func(string, int, int) {}) {
		if f.Kind != "broken-branch" {
			continue
		}
		found++
		if _, err := f.Mend(w.Ctx); err != nil {
			w.T.Fatal(err)
		}
	}
	if found == 0 {
		w.T.Error("doctor finds nothing")
	}
}

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

// withIndex returns a function that runs git with an index file of its own, and returns what git prints.
func (w *World) withIndex(index string) func(args ...string) string {
	return func(args ...string) string {
		w.T.Helper()
		cmd := w.Command("git", args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
		out, err := cmd.Output()
		if err != nil {
			w.T.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
}

func (w *World) editBranch(spec string, change ...string) {
	w.T.Helper()
	branch, _, _ := strings.Cut(spec, ":")
	run := w.withIndex(w.GitPath("scratch-index"))
	run("read-tree", branch)
	run(append([]string{"update-index"}, change...)...)
	w.Git("update-ref", "refs/heads/"+branch, w.Git("commit-tree", "-p", branch, "-m", "x", run("write-tree")))
}

// Shell is a call of the agent's shell, with a command that runs without git's hooks.
func (w *World) Shell(sid, command string) {
	w.T.Helper()
	call := fmt.Sprintf("t-%d", w.Now.UnixNano())
	w.Now = w.Now.Add(1)
	put := func(kind string, block map[string]any) {
		line, err := json.Marshal(map[string]any{"type": kind, "uuid": kind + call, "message": map[string]any{"id": "m-" + call, "role": kind, "content": []any{block}}})
		if err != nil {
			w.T.Fatal(err)
		}
		w.Line(sid, string(line))
	}
	put("assistant", map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": command}})
	out := w.Unhooked(command)
	put("user", map[string]any{"type": "tool_result", "tool_use_id": call, "content": out})
}

// Unhooked runs a shell command without git's hooks.
func (w *World) Unhooked(command string) string {
	w.T.Helper()
	cmd := w.Command("sh", "-c", command)
	cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.T.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// ToolEnded tells of the end of a call of the agent's shell.
func (w *World) ToolEnded(sid, command string) {
	w.T.Helper()
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Event(agent.ToolEnd, sid, func(ev *agent.Event) {
		ev.ToolName, ev.ToolInput = "Bash", input
	})
}

func oidOf(t *testing.T, hex string) git.OID {
	t.Helper()
	oid, err := git.ParseOID(hex)
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

// Linked are the checkpoints of a commit that its message does not name.
func (w *World) Linked(rev string) []string {
	w.T.Helper()
	e := w.Engine()
	links, err := records.NewReader(e.Repo).Links(w.Ctx)
	if err != nil {
		w.T.Fatal(err)
	}
	var out []string
	for _, cp := range links[oidOf(w.T, w.Git("rev-parse", rev))] {
		out = append(out, cp.String())
	}
	return out
}
