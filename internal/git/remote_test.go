package git

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/internal/git/object"
	"entire/internal/git/store"
	"entire/internal/testrepo"
)

const theirRef = "refs/heads/entire/checkpoints/v1"

// withRemote is a repository with an empty bare one beside it.
func withRemote(t *testing.T) (r *testrepo.Repo, repo *Repo, bare string) {
	t.Helper()
	r = testrepo.New(t)
	bare = filepath.Join(filepath.Dir(r.Dir), "bare.git")
	r.Git("init", "-q", "--bare", bare)
	r.Git("remote", "add", "origin", bare)
	return r, discovered(t, r), bare
}

func discovered(t *testing.T, r *testrepo.Repo) *Repo {
	t.Helper()
	repo, err := Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func TestPushAndFetch(t *testing.T) {
	t.Parallel()
	r, repo, bare := withRemote(t)
	r.Git("tag", "mine")
	r.Git("config", "push.followTags", "true")
	r.Write(".git/hooks/pre-push", "#!/bin/sh\nexit 1\n")
	r.Chmod(".git/hooks/pre-push", 0o755)
	n, head := repo.Network(), object.MustOID(r.Head())

	if _, ok, err := n.Tip(t.Context(), bare, theirRef); ok || err != nil {
		t.Errorf("tip of nothing: %v, %v", ok, err)
	}
	if err := n.Push(t.Context(), bare, head, theirRef); err != nil {
		t.Fatal(err)
	}
	if oid, ok, err := n.Tip(t.Context(), bare, theirRef); oid != head || !ok || err != nil {
		t.Errorf("tip %v, %v, %v", oid, ok, err)
	}
	if got := r.Git("--git-dir", bare, "for-each-ref", "--format=%(refname)"); got != theirRef {
		t.Errorf("the remote has %s", got)
	}

	// Somebody else writes there.
	tree := r.Git("rev-parse", "HEAD^{tree}")
	theirs := r.Git("--git-dir", bare, "commit-tree", "-m", "theirs", "-p", head.String(), tree)
	r.Git("--git-dir", bare, "update-ref", theirRef, theirs)
	r.Git("--git-dir", bare, "tag", "theirs", theirs)
	ours := object.MustOID(r.Git("commit-tree", "-m", "ours", "-p", head.String(), tree))
	if err := n.Push(t.Context(), bare, ours, theirRef); !errors.Is(err, ErrRejected) {
		t.Errorf("push over theirs: %v", err)
	}
	before := r.Git("for-each-ref")
	if err := n.Fetch(t.Context(), bare, theirRef, "refs/entire/fetched"); err != nil {
		t.Fatal(err)
	}
	if err := n.Push(t.Context(), bare, ours, theirRef); !errors.Is(err, ErrRejected) {
		t.Errorf("push over what we know: %v", err)
	}
	want := before + "\n" + theirs + " commit\trefs/entire/fetched"
	if got := r.Git("for-each-ref"); !sameLines(got, want) {
		t.Errorf("refs:\n%s\nwant:\n%s", got, want)
	}
	if r.Exists(".git/FETCH_HEAD") {
		t.Error("FETCH_HEAD is written")
	}
	if err := n.Fetch(t.Context(), bare, "refs/heads/absent", "refs/entire/x"); err == nil || errors.Is(err, ErrRejected) {
		t.Errorf("fetch of nothing: %v", err)
	}
	if err := n.Push(t.Context(), bare+"-absent", ours, theirRef); err == nil || errors.Is(err, ErrRejected) {
		t.Errorf("push to nowhere: %v", err)
	}
}

func sameLines(a, b string) bool {
	count := map[string]int{}
	for _, line := range strings.Split(a, "\n") {
		count[line]++
	}
	for _, line := range strings.Split(b, "\n") {
		count[line]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// The user's rewriting of URLs is applied once: to what git passes on, no more.
func TestResolvedURLIsFinal(t *testing.T) {
	t.Parallel()
	r, repo, bare := withRemote(t)
	r.Git("config", "url."+bare+"-elsewhere.insteadOf", filepath.Dir(bare)+"/bare")
	if err := repo.Network().Push(t.Context(), bare, object.MustOID(r.Head()), theirRef); err != nil {
		t.Error(err)
	}
}

// A remote that does not answer is given up when the time is over, with all that
// was started; nothing of it can ask anybody.
func TestNetworkIsBounded(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	notes := filepath.Join(r.Home, "notes")
	script := filepath.Join(r.Home, "fake-ssh")
	text := "#!/bin/sh\n{ echo \"$@\"; echo askpass=$SSH_ASKPASS$GIT_ASKPASS; (: </dev/tty) 2>/dev/null && echo tty; echo begun; cat | wc -c; } >>'" + notes + "'\ntrap '' TERM\n(sleep 600; echo alive >>'" + notes + "') &\nwait\nsleep 600\n"
	testrepo.WriteScript(t, script, text)
	r.Setenv("SSH_ASKPASS", "/bin/false")
	r.Git("config", "core.sshCommand", "'"+script+"'")
	var got []byte
	for limit := 500 * time.Millisecond; !strings.Contains(string(got), "begun") && limit < time.Minute; limit *= 2 { // until ssh has begun in time
		began := time.Now()
		_, _, err := discovered(t, r).Network().Tip(timeout(t, limit), "git@host.invalid:x.git", theirRef)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > limit+time.Minute {
			t.Fatalf("%v after %s", err, time.Since(began))
		}
		got, _ = os.ReadFile(notes)
	}
	if !strings.Contains(string(got), "host.invalid") || strings.Contains(string(got), "tty") || !strings.Contains(string(got), "askpass=\n") {
		t.Errorf("ssh saw:\n%s", got)
	}
}

// git names the URL it could not open, and may take a token in it for a name.
func TestErrorsHoldNoCredentials(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	repo := discovered(t, testrepo.New(t))
	for _, user := range []string{"s3cr3t-t0ken@", "me:s3cr3t-t0ken@", "s3cr3t-t0ken:x@", "s3cr3t-t0ken%21@"} {
		url := strings.Replace(server.URL, "://", "://"+user, 1) + "/x.git"
		_, _, err := repo.Network().Tip(t.Context(), url, theirRef)
		if err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", user, err)
		}
		var exit *store.ExitError
		if errors.As(err, &exit) && strings.Contains(strings.Join(exit.Args, " ")+exit.Stderr, "s3cr3t") {
			t.Errorf("%s: the error holds %q", user, exit)
		}
	}
}

func TestWithoutCredentials(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"could not read Password for 'https://token@h': off": "could not read Password for 'https://h': off",
		"HTTP://me:se@cret@h/a@b and ftp://x@h":              "HTTP://h/a@b and ftp://h",
		"ssh://git:secret@h:22/x, ssh://git@h":               "ssh://git@h:22/x, ssh://git@h",
		"git@github.com:me/x.git":                            "git@github.com:me/x.git",
	} {
		if got := withoutCredentials(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestBatchSSH(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, command, config, program, variant, want string
	}{
		{"nothing set", "", "", "", "", "ssh -oBatchMode=yes"},
		{"a command", "ssh -i ~/.ssh/other", "", "", "", "ssh -i ~/.ssh/other -oBatchMode=yes"},
		{"configured", "", "/usr/bin/ssh -p 22", "", "", "/usr/bin/ssh -p 22 -oBatchMode=yes"},
		{"both", "ssh -4", "ssh -6", "", "", "ssh -4 -oBatchMode=yes"},
		{"a program", "", "", "/opt/myssh", "", ""},
		{"a wrapper", "mywrap ssh", "", "", "", "mywrap ssh"},
		{"a wrapper of a known kind", "mywrap -x", "", "", "ssh", "mywrap -x -oBatchMode=yes"},
		{"putty", `"C:\Program\plink.exe" -x`, "", "", "", `"C:\Program\plink.exe" -x -batch`},
		{"more than a call", "ssh -v 2>/tmp/x", "", "", "", "ssh -v 2>/tmp/x"},
		{"a comment would hide it", "ssh -v #", "", "", "", "ssh -v #"},
		{"an open quote", "ssh -o 'x", "", "", "", "ssh -o 'x"},
	} {
		r := testrepo.New(t)
		for name, value := range map[string]string{"GIT_SSH_COMMAND": row.command, "GIT_SSH": row.program, "GIT_SSH_VARIANT": row.variant} {
			if value != "" {
				r.Setenv(name, value)
			}
		}
		if row.config != "" {
			r.Git("config", "core.sshCommand", row.config)
		}
		if got, err := discovered(t, r).batchSSH(t.Context()); err != nil || got != row.want {
			t.Errorf("%s: %q, %v; want %q", row.name, got, err, row.want)
		}
	}
}

func TestURLs(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Git("remote", "add", "origin", "gh:me/x.git")
	r.Git("remote", "add", "two", "https://a.example/x")
	r.Git("remote", "set-url", "--push", "two", "gh:me/y")
	r.Git("remote", "set-url", "--add", "--push", "two", "https://b.example/y")
	r.Git("config", "url.ssh://git@github.com/.pushInsteadOf", "gh:")
	r.Git("config", "url.https://github.com/.insteadOf", "gh:")
	r.Git("config", "url.https://wrong.example/.insteadOf", "g")
	repo := discovered(t, r)
	for _, row := range []struct{ remote, push, fetch string }{
		{"origin", "ssh://git@github.com/me/x.git", "https://github.com/me/x.git"},
		{"two", "https://github.com/me/y https://b.example/y", "https://a.example/x"},
		{"gh:me/z", "ssh://git@github.com/me/z", "https://github.com/me/z"},
		{"/some/where", "/some/where", "/some/where"},
	} {
		push, err := repo.PushURLs(t.Context(), row.remote)
		if got := strings.Join(push, " "); err != nil || got != row.push {
			t.Errorf("push to %s: %q, %v", row.remote, got, err)
		}
		if fetch, err := repo.FetchURL(t.Context(), row.remote); err != nil || fetch != row.fetch {
			t.Errorf("fetch from %s: %q, %v", row.remote, fetch, err)
		}
	}
	if _, err := repo.PushURLs(t.Context(), "--all"); err == nil {
		t.Error("an option is taken for a remote")
	}
}

func TestPlainURL(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := discovered(t, r)
	for raw, want := range map[string]string{
		"https://me:secret@GitHub.com/x.git":  "https://github.com/x.git",
		"https://token@github.com/x.git/":     "https://github.com/x.git",
		"https://h/x?private_token=secret#s":  "https://h/x",
		"ssh://git:secret@host:22/x":          "ssh://git@host:22/x",
		"git@github.com:me/x.git":             "git@github.com:me/x.git",
		"../bare.git":                         filepath.Join(filepath.Dir(r.Dir), "bare.git"),
		"/srv/git/x.git/":                     "/srv/git/x.git",
		"file:///srv/x":                       "file:///srv/x",
		"https://me:sec%zzret@github.com/a@b": "https://github.com/a@b",
	} {
		if got := repo.PlainURL(raw); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

func FuzzPlainURL(f *testing.F) {
	for _, seed := range []string{"https://me:secret@h/x", "ssh://a:b@h", "a@b:c", "https://%zz:secret@h", "http://secret@"} {
		f.Add(seed)
	}
	repo := &Repo{Repo: &store.Repo{Top: "/top"}}
	f.Fuzz(func(t *testing.T, raw string) {
		if repo.PlainURL("https://me:s3cr3t-t0ken@example.com/"+raw) != repo.PlainURL("https://example.com/"+raw) && !strings.ContainsAny(raw, "%") {
			t.Errorf("%q: the password makes a difference", raw)
		}
	})
}

// A push to two refs moves each that can move, and says of both what became of them.
func TestPushBeside(t *testing.T) {
	t.Parallel()
	r, repo, bare := withRemote(t)
	n, head := repo.Network(), object.MustOID(r.Head())
	tree := r.Git("rev-parse", "HEAD^{tree}")
	other := object.MustOID(r.Git("commit-tree", "-m", "other", tree))
	push := func(oid object.OID, beside string) (bool, error) {
		return n.PushBeside(t.Context(), bare, oid, theirRef, beside)
	}
	if left, err := push(head, "refs/entire/inbox/a"); !left || err != nil {
		t.Errorf("both: %v, %v", left, err)
	}
	if left, err := push(head, "refs/entire/inbox/a"); !left || err != nil {
		t.Errorf("both are there: %v, %v", left, err)
	}
	if left, err := push(other, "refs/entire/inbox/b"); !left || !errors.Is(err, ErrRejected) {
		t.Errorf("the first is behind: %v, %v", left, err)
	}
	if left, err := push(other, "refs/entire/inbox/a"); left || !errors.Is(err, ErrRejected) {
		t.Errorf("both are behind: %v, %v", left, err)
	}
	next := object.MustOID(r.Git("commit-tree", "-m", "next", "-p", head.String(), tree))
	if left, err := push(next, "refs/entire/inbox/b"); left || err != nil {
		t.Errorf("the second is behind: %v, %v", left, err)
	}
	if left, err := n.PushBeside(t.Context(), bare+"-absent", next, theirRef, "refs/entire/inbox/c"); left || err == nil || errors.Is(err, ErrRejected) {
		t.Errorf("nowhere: %v, %v", left, err)
	}
	if got, want := r.Git("--git-dir", bare, "for-each-ref", "--format=%(refname) %(objectname)"),
		"refs/entire/inbox/a "+head.String()+"\nrefs/entire/inbox/b "+other.String()+"\n"+theirRef+" "+next.String(); got != want {
		t.Errorf("the remote has\n%s\nwant\n%s", got, want)
	}
}
