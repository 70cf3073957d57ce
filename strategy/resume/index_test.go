package resume_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/id"
	"entire/internal/git"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/resume"
)

// fill makes checkpoints of sessions of ten, with git alone.
func fill(w *enginetest.World, from, to int) {
	var in strings.Builder
	for i := from; i < to; i++ {
		cp, sid := fmt.Sprintf("%012x", i*0x10000001), fmt.Sprintf("session-%d", i/10)
		fmt.Fprintf(&in, "commit refs/heads/entire/checkpoints/v1\ncommitter A <a@b> %d +0000\ndata 1\nx\n", 1700000000+i)
		if i == from && from > 0 {
			in.WriteString("from refs/heads/entire/checkpoints/v1^0\n")
		}
		for name, text := range map[string]string{
			"metadata.json":   `{"checkpoint_id":"` + cp + `","strategy":"manual-commit","sessions":[{"metadata":"/` + cp[:2] + "/" + cp[2:] + `/0/metadata.json"}]}`,
			"0/metadata.json": fmt.Sprintf(`{"checkpoint_id":"%s","session_id":"%s","strategy":"manual-commit","created_at":"2026-01-01T00:%02d:%02d+02:00","agent":"Claude Code","files_touched":["a.txt"]}`, cp, sid, i/60, i%60),
			"0/prompt.txt":    fmt.Sprintf("prompt %d", i),
		} {
			fmt.Fprintf(&in, "M 100644 inline %s/%s/%s\ndata %d\n%s\n", cp[:2], cp[2:], name, len(text), text)
		}
	}
	w.GitInput(in.String(), "fast-import", "--quiet", "--force")
}

// listed is all that lists show.
func listed(w *enginetest.World) string {
	w.T.Helper()
	stored := resume.OpenStoredSessions(w.Engine())
	all, err := stored.All(w.Ctx)
	if err != nil {
		w.T.Fatal(err)
	}
	sessions, err := stored.Sessions(w.Ctx)
	if err != nil {
		w.T.Fatal(err)
	}
	parts, err := stored.Parts(w.Ctx)
	if err != nil {
		w.T.Fatal(err)
	}
	return fmt.Sprintf("%+v\n%+v\n%+v", all, sessions, parts)
}

// TestIndex lists a repository of 100 checkpoints again and again: with the index, with a damaged one, with more
// checkpoints, and after one was forgotten, of which the index then has nothing.
func TestIndex(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Commit("first")
	fill(w, 0, 100)
	index := filepath.Join(w.GitPath("entire"), "cache", "checkpoints")
	same := func(when string) string {
		t.Helper()
		kept := listed(w)
		if err := os.Remove(index); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		if made := listed(w); made != kept {
			t.Errorf("%s: the index gives\n%s\nand git\n%s", when, kept, made)
		}
		return kept
	}
	listed(w)
	before := same("first")
	if !strings.Contains(before, "prompt 57") || strings.Count(before, "session-9") < 10 {
		t.Fatalf("not all is listed: %s", before)
	}
	data, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(index, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := listed(w); got != before {
		t.Errorf("a damaged index gives %s", got)
	}
	fill(w, 100, 103)
	if got := same("a few more"); !strings.Contains(got, "prompt 102") {
		t.Errorf("a new checkpoint is not listed: %s", got)
	}
	fill(w, 103, 140)
	same("many more")
	if _, _, err := maintain.Forget(w.Ctx, w.Engine(), []id.CheckpointID{id.MustCheckpointID(fmt.Sprintf("%012x", 57*0x10000001))}, "a test", nil); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(index); err == nil && strings.Contains(string(data), "prompt 57") {
		t.Error("the index has the prompt of a forgotten checkpoint")
	}
	if got := same("forgotten"); strings.Contains(got, "prompt 57") {
		t.Error("a forgotten checkpoint is listed")
	}
}

// TestNoIndexOfSealed lists 100 checkpoints of a branch with data keys: nothing of what is opened is kept in clear.
func TestNoIndexOfSealed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Commit("first")
	fill(w, 0, 100)
	w.GitInput("commit refs/heads/entire/checkpoints/v1\ncommitter A <a@b> 1700001000 +0000\ndata 1\nx\n"+
		"from refs/heads/entire/checkpoints/v1^0\nM 100644 inline "+git.KeysFolder+"/one\ndata 1\nx\n", "fast-import", "--quiet", "--force")
	if got := listed(w); !strings.Contains(got, "prompt 99") {
		t.Errorf("listed %s", got)
	}
	if _, err := os.Stat(filepath.Join(w.GitPath("entire"), "cache", "checkpoints")); err == nil {
		t.Error("an index is kept beside data keys")
	}
}

// TestNoIndexOfFew lists ten checkpoints.
func TestNoIndexOfFew(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Commit("first")
	fill(w, 0, 10)
	if got := listed(w); !strings.Contains(got, "prompt 9") {
		t.Errorf("listed %s", got)
	}
	if _, err := os.Stat(filepath.Join(w.GitPath("entire"), "cache")); err == nil {
		t.Error("an index is kept of ten checkpoints")
	}
}
