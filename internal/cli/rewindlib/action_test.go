package rewindlib

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/testrepo"
	"entire/strategy/condense"
)

// TestActions goes to a label, back and again, each as its preview says; a plan that has changed
// since its preview is not carried out.
func TestActions(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\n", "b.txt": "b\n", ".entire/settings.json": `{"enabled": true}`}))
	env, _, _ := clitest.WorldOf(r)
	ctx := t.Context()
	file := filepath.Join(r.Dir, "a.txt")
	has := func(want string) {
		t.Helper()
		if data, err := os.ReadFile(file); err != nil || string(data) != want {
			t.Fatalf("a.txt is %q (%v), want %q", data, err, want)
		}
	}
	point, err := SaveLabel(ctx, env, "before")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Put(t, file, "two\n")
	req := Request{Point: point.ID[:8], Scope: condense.Scope{Kind: condense.ScopeTree}}
	seen, err := Look(ctx, env, req)
	if err != nil {
		t.Fatal(err)
	}
	has("two\n")
	if !strings.Contains(string(seen.Patch), "-two\n+one\n") || len(seen.Changes) != 1 || !strings.HasPrefix(seen.Command, "entire rewind ") {
		t.Errorf("the preview is %q, %v, %q", seen.Patch, seen.Changes, seen.Command)
	}

	clitest.Put(t, file, "three\n")
	if _, err := Do(ctx, env, req, seen.Mark); !errors.Is(err, ErrPlanChanged) {
		t.Fatalf("a plan that changed: %v", err)
	}
	has("three\n")
	clitest.Put(t, file, "two\n")
	done, err := Do(ctx, env, req, seen.Mark)
	if err != nil {
		t.Fatal(err)
	}
	has("one\n")
	if done.Nothing || done.Entry == "" || len(done.Written) != 1 {
		t.Errorf("done: %+v", done)
	}

	for _, step := range []struct {
		kind condense.RewindKind
		want string
	}{{condense.RewindUndo, "two\n"}, {condense.RewindRedo, "one\n"}} {
		back, err := Look(ctx, env, Request{Kind: step.kind})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Do(ctx, env, Request{Kind: step.kind}, back.Mark); err != nil {
			t.Fatal(err)
		}
		has(step.want)
	}
	clitest.Put(t, file, "two\n")
	clitest.Put(t, filepath.Join(r.Dir, "b.txt"), "two\n")
	one := req
	one.Hunks = Hunks{"b.txt": {1}}
	if seen, err = Look(ctx, env, one); err != nil || len(seen.Changes) != 1 || !strings.HasSuffix(seen.Command, " --hunk b.txt:1") {
		t.Fatalf("a chosen hunk: %+v, %v", seen, err)
	}
	if _, err := Do(ctx, env, one, seen.Mark); err != nil {
		t.Fatal(err)
	}
	has("two\n")
	one.Hunks = Hunks{"b.txt": {1}}
	if _, err := Look(ctx, env, one); err == nil || !strings.Contains(err.Error(), "no hunk would change in b.txt") {
		t.Errorf("a hunk that is not there: %v", err)
	}
	clitest.Put(t, file, "one\n")
	if done, err := Do(ctx, env, req, ""); err != nil || !done.Nothing {
		t.Errorf("a rewind that changes nothing: %+v, %v", done, err)
	}
	clitest.Put(t, file, "two\n")
	if seen, err := Look(ctx, env, Request{Point: point.ID}); err != nil || seen.Command != "entire rewind "+point.ID[:7] {
		t.Errorf("the command of the usual scope is %q (%v)", seen.Command, err)
	}
	head := r.Git("rev-parse", "HEAD")
	if _, err := Look(ctx, env, Request{Point: head}); err == nil || !strings.Contains(err.Error(), "is a commit") {
		t.Errorf("a commit with its conversation: %v", err)
	}
	if _, err := Look(ctx, env, Request{Point: head, Scope: condense.Scope{Kind: condense.ScopeTree, SkipConversation: true}}); err != nil {
		t.Errorf("the files of a commit: %v", err)
	}
}
