package share_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
	"entire/strategy/share"
)

// pushable is a world with one checkpoint and a bare repository beside it.
func pushable(t *testing.T) (w *enginetest.World, bare string) {
	t.Helper()
	w = enginetest.NewWorld(t)
	bare = filepath.Join(filepath.Dir(w.Dir), "bare.git")
	w.Git("init", "-q", "--bare", bare)
	w.Git("remote", "add", "origin", bare)
	w.Turn("s1", "work", func() { w.Write("a.txt", "1\n") })
	w.Git("add", "a.txt")
	w.CommitHooked("work")
	return w, bare
}

// A destination that does not answer keeps the push for the stated time and no
// longer, is told of, and is asked nothing.
func TestPushIsBounded(t *testing.T) {
	t.Parallel()
	w, _ := pushable(t)
	script := filepath.Join(w.Home, "slow-ssh")
	testrepo.WriteScript(t, script, "#!/bin/sh\ntrap '' TERM\nsleep 600\n")
	w.Git("config", "core.sshCommand", "'"+script+"'")
	url := "git@host.invalid:x.git"
	w.Agree(url)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var told []string
	began := time.Now()
	if err := share.PrePush(ctx, w.Pusher(&told), url, url, strings.NewReader("")); err == nil {
		t.Error("no error for the log")
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %s", took)
	}
	if got := strings.Join(told, "\n"); !strings.Contains(got, "not sent within 10s; your push goes on. `entire share push git@host.invalid:x.git`") {
		t.Errorf("told %q", got)
	}
}

func TestPrePushSends(t *testing.T) {
	t.Parallel()
	const branch = "refs/heads/main 1111111111111111111111111111111111111111 refs/heads/main 0000000000000000000000000000000000000000\n"
	rows := []struct {
		name  string
		setUp func(w *enginetest.World, e *sessionstate.Env, bare string)
		url   string // "" for the bare repository
		refs  string
		sent  bool
		told  string
	}{
		{name: "agreed", refs: branch, sent: true, told: "sent along 1 checkpoint to origin"},
		{name: "nothing new to push", refs: "", sent: true, told: "sent along 1 checkpoint"},
		{name: "only deletes", refs: "(delete) 0000000000000000000000000000000000000000 refs/heads/x 1111111111111111111111111111111111111111\n"},
		{name: "the branch itself", refs: "refs/heads/entire/checkpoints/v1 1111111111111111111111111111111111111111 refs/heads/entire/checkpoints/v1 0000000000000000000000000000000000000000\n"},
		{name: "another URL of the same name", refs: branch, url: "/elsewhere", told: "you have not agreed to send them to /elsewhere"},
		{name: "with a password that is not shown", refs: branch, url: "https://me:secret@h.invalid/x", told: "not agreed to send them to https://h.invalid/x"},
		{name: "switched off", refs: branch, setUp: func(_ *enginetest.World, e *sessionstate.Env, _ string) { e.KeepSessions = true }},
		{name: "dry run", refs: branch, setUp: func(_ *enginetest.World, e *sessionstate.Env, _ string) {
			e.Invocation = func() (git.Invocation, bool) {
				return git.Invocation{Command: "push", Args: []string{"-fn", "origin"}}, true
			}
		}},
		{name: "nobody knows whether it is one", refs: branch, told: "cannot be seen here whether", setUp: func(_ *enginetest.World, e *sessionstate.Env, _ string) {
			e.Invocation = func() (git.Invocation, bool) { return git.Invocation{}, false }
		}},
		{name: "answers that cannot be read", refs: branch, setUp: func(w *enginetest.World, e *sessionstate.Env, _ string) {
			if err := os.WriteFile(maintain.DestinationsFile(e), []byte("{"), 0o600); err != nil {
				w.T.Fatal(err)
			}
		}},
		{name: "the remote has moved on", refs: branch, sent: true, told: "sent along 1 checkpoint", setUp: func(w *enginetest.World, e *sessionstate.Env, bare string) {
			patient(w, e)
			moveOn(w, bare)
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w, bare := pushable(t)
			w.Agree("origin")
			var told []string
			e := w.Pusher(&told)
			if row.setUp != nil {
				row.setUp(w, e, bare)
			}
			url := row.url
			if url == "" {
				url = bare
			}
			for range 2 { // what is said is said once
				_ = share.PrePush(w.Ctx, e, "origin", url, strings.NewReader(row.refs))
			}
			got := strings.Join(told, "|")
			if row.told == "" && got != "" || !strings.Contains(got, row.told) || len(told) > 1 || strings.Contains(got, "secret") {
				t.Errorf("told %q", told)
			}
			tip, _ := w.TryGit("--git-dir", bare, "rev-parse", "-q", "--verify", "refs/heads/entire/checkpoints/v1")
			if sent := tip == w.Git("rev-parse", "entire/checkpoints/v1"); sent != row.sent {
				t.Errorf("sent: %v", sent)
			}
			w.Fsck()
		})
	}
}

func FuzzParseRefs(f *testing.F) {
	f.Add("refs/heads/a 1 refs/heads/a 0\n")
	f.Add("(delete) 000 refs/heads/entire/checkpoints/v1 1")
	f.Fuzz(func(t *testing.T, text string) {
		refs := share.ParseRefs(text)
		if len(refs) > strings.Count(text, "\n")+1 {
			t.Errorf("%d refs in %q", len(refs), text)
		}
		share.WantsSessions(refs)
	})
}
