package share_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
	"entire/strategy/share"
)

const theBranch = "refs/heads/entire/checkpoints/v1"

// patient lets pushes try again however slow this machine is: a push there usually takes ten seconds, says the file.
func patient(w *enginetest.World, e *sessionstate.Env) {
	w.T.Helper()
	d, err := maintain.ReadDestinations(e)
	if err != nil {
		w.T.Fatal(err)
	}
	for i := range d.Agreed {
		d.Agreed[i].Took = 10_000
	}
	data, err := json.Marshal(d)
	if err == nil {
		err = os.WriteFile(maintain.DestinationsFile(e), data, 0o600)
	}
	if err != nil {
		w.T.Fatal(err)
	}
}

// moveOn lets somebody else write to the branch of the bare repository, and returns the commit.
func moveOn(w *enginetest.World, bare string) string {
	tree := w.Git("--git-dir", bare, "mktree", "--missing")
	theirs := w.Git("--git-dir", bare, "commit-tree", "-m", "theirs", tree)
	w.Git("--git-dir", bare, "update-ref", theBranch, theirs)
	return theirs
}

// refsAt lists the refs of the bare repository: "branch" if it has what is here, "behind" if it has something else, and
// "inbox" for each ref of the inbox.
func refsAt(w *enginetest.World, bare string) string {
	var has []string
	for line := range strings.Lines(w.Git("--git-dir", bare, "for-each-ref", "--format=%(refname) %(objectname)") + "\n") {
		name, oid, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == theBranch && oid == w.Git("rev-parse", theBranch):
			has = append(has, "branch")
		case name == theBranch:
			has = append(has, "behind")
		case strings.HasPrefix(name, "refs/entire/inbox/"):
			has = append(has, "inbox")
		}
	}
	return strings.Join(has, " ")
}

// What becomes of the branch and of the ref beside it, if the destination takes both, one or none. The first push of a
// clone uses both.
func TestPushBesideRefused(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name   string
		hook   string // of the destination: its name
		script string
		setUp  func(w *enginetest.World, bare string)
		has    string // see refsAt
		told   string
	}{
		{name: "both taken", has: "branch", told: "sent along 1 checkpoint"},
		{name: "another push came first", has: "branch", told: "sent along 1 checkpoint",
			setUp: func(w *enginetest.World, bare string) { moveOn(w, bare) }},
		{name: "the branch is locked", has: "inbox behind", told: "sent along 1 checkpoint", setUp: func(w *enginetest.World, bare string) {
			moveOn(w, bare)
			lock(w, bare)
		}},
		{name: "no refs of our own", has: "branch", told: "sent along 1 checkpoint",
			hook: "update", script: "case $1 in refs/entire/*) exit 1;; esac"},
		{name: "no push with a ref of our own", has: "branch", told: "sent along 1 checkpoint",
			hook: "pre-receive", script: "while read old new ref; do case $ref in refs/entire/*) exit 1;; esac; done"},
		{name: "not the branch", has: "", told: "not sent (git push: [remote rejected] (hook declined))",
			hook: "update", script: "case $1 in refs/heads/entire/*) exit 1;; esac"},
		{name: "nothing", has: "", told: "not sent (git push: [remote rejected] (pre-receive hook declined))",
			hook: "pre-receive", script: "exit 1"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w, bare := pushable(t)
			w.Agree("origin")
			var told []string
			e := w.Pusher(&told)
			patient(w, e)
			if row.hook != "" {
				testrepo.WriteScript(t, filepath.Join(bare, "hooks", row.hook), "#!/bin/sh\n"+row.script+"\n")
			}
			if row.setUp != nil {
				row.setUp(w, bare)
			}
			_ = share.PrePush(w.Ctx, e, "origin", bare, nil) // what went wrong is told
			if got := strings.Join(told, "\n"); !strings.Contains(got, row.told) {
				t.Errorf("told %q", got)
			}
			if got := refsAt(w, bare); got != row.has {
				t.Errorf("the destination has %q", got)
			}
			w.Git("--git-dir", bare, "fsck", "--strict", "--no-dangling")
			w.Fsck()
		})
	}
}

// lock keeps git from moving the branch of the bare repository.
func lock(w *enginetest.World, bare string) (unlock func()) {
	w.T.Helper()
	w.Git("--git-dir", bare, "config", "core.filesRefLockTimeout", "0")
	path := filepath.Join(bare, filepath.FromSlash(theBranch)+".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		w.T.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		w.T.Fatal(err)
	}
	return func() { os.Remove(path) }
}

// A clone leaves one ref however often it is too late, and the push that comes through takes it away: a minute later by
// itself, and also if the branch was rewritten meanwhile.
func TestLeftIsMerged(t *testing.T) {
	t.Parallel()
	for _, rewritten := range []bool{false, true} {
		w, bare := pushable(t)
		w.Agree("origin")
		var told []string
		now := time.Now()
		push := func(content string) {
			t.Helper()
			e := w.Pusher(&told)
			e.Now = func() time.Time { return now }
			if content != "" {
				w.Turn("s1", "more", func() { w.Write("a.txt", content) })
				w.Git("add", "a.txt")
				w.CommitHooked("more")
			}
			if err := share.PrePush(w.Ctx, e, "origin", bare, nil); err != nil {
				t.Fatal(err)
			}
		}
		unlock := lock(w, bare)
		push("2\n")
		push("3\n")
		if got := refsAt(w, bare); got != "inbox" {
			t.Errorf("after two pushes that were too late the destination has %q, %q", got, told)
		}
		if rewritten { // as after forgetting: nothing that continues what was left
			w.Git("update-ref", theBranch, w.Git("commit-tree", "-m", "again", theBranch+"^{tree}"))
			push("")
			if got := refsAt(w, bare); got != "inbox inbox" {
				t.Errorf("a rewritten branch: the destination has %q, %q", got, told)
			}
		}
		unlock()
		theirs := moveOn(w, bare)
		now = now.Add(2 * time.Minute)
		e := w.Pusher(&told)
		patient(w, e)
		push("4\n")
		if got := refsAt(w, bare); got != "branch" {
			t.Errorf("the push that came through: the destination has %q, %q", got, told)
		}
		w.Git("merge-base", "--is-ancestor", theirs, theBranch)
		if n := strings.Count(w.Git("ls-tree", "-r", "--name-only", theBranch), "/metadata.json"); n < 4 {
			t.Errorf("%d files of metadata are on the branch", n)
		}
	}
}

// Other pushes merge and delete what somebody has left, and leave something else, while a push looks there: that is no
// error, even if there are as many refs as before.
func TestLeftIsGone(t *testing.T) {
	t.Parallel()
	w, bare := pushable(t)
	const there = "refs/entire/inbox/0000000000000000000000000000000"
	w.Git("--git-dir", bare, "update-ref", there+"0", moveOn(w, bare))
	w.Git("--git-dir", bare, "update-ref", "-d", theBranch)
	script := filepath.Join(w.Home, "busy-ssh")
	testrepo.WriteScript(t, script, `#!/bin/sh
n=$(git --git-dir '`+bare+`' for-each-ref --format='%(refname)' refs/entire/inbox | tail -c 2)
eval "$2"
status=$?
case $2 in git-upload-pack*)
	git --git-dir '`+bare+`' update-ref `+there+`$(( (n+1) % 10 )) `+there+`$n &&
	git --git-dir '`+bare+`' update-ref -d `+there+`$n ;;
esac
exit $status
`)
	w.Git("config", "core.sshCommand", "'"+script+"'")
	w.Git("config", "ssh.variant", "simple")
	w.Git("remote", "set-url", "origin", "git@host.invalid:"+bare)
	w.Agree("origin")
	var told []string
	if done, err := share.Push(w.Ctx, w.Pusher(&told), share.PushRequest{}); err != nil || len(done) != 1 || done[0].Err != nil {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := refsAt(w, bare); got != "inbox branch" {
		t.Errorf("the destination has %q, %q", got, told)
	}
}
