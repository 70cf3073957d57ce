package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// incrementMain is one of the processes of TestNoIncrementIsLost: it counts each ref up by
// rebuilding a commit on whatever it finds there, and says so.
func incrementMain(refs string) int {
	ctx := context.Background()
	repo, err := Discover(ctx, os.Getenv("GIT_TEST_DIR"), os.Environ())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer repo.Close()
	times, _ := strconv.Atoi(os.Getenv("GIT_TEST_TIMES"))
	for n := range times {
		for ref := range strings.SplitSeq(refs, " ") {
			message := fmt.Sprintf("%d %d", os.Getpid(), n)
			if err := increment(ctx, repo, ref, message); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			fmt.Println(message)
		}
	}
	return 0
}

func increment(ctx context.Context, repo *Repo, ref, message string) error {
	for {
		old, found, err := repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		c := object.Commit{Tree: repo.EmptyTree(), Author: tester, Committer: tester, Message: message}
		if found {
			was, err := repo.Reader(ctx).Commit(old)
			if err != nil {
				return err
			}
			c.Tree, c.Parents = was.Tree, []object.OID{old}
		}
		blob, err := repo.Writer().Blob([]byte(message))
		if err != nil {
			return err
		}
		if c.Tree, err = repo.EditTree(ctx, c.Tree, []Edit{{Path: "d/" + message, Mode: object.ModeFile, OID: blob}}); err != nil {
			return err
		}
		oid, err := repo.Writer().Commit(c)
		if err != nil {
			return err
		}
		err = repo.UpdateRefs(ctx, []RefUpdate{{Name: ref, New: oid, Old: old}})
		if !errors.Is(err, ErrRefMoved) {
			return err
		}
	}
}

// TestNoIncrementIsLost: processes that rebuild on what they find and compare
// and swap keep every one of their commits.
func TestNoIncrementIsLost(t *testing.T) {
	t.Parallel()
	const processes, times = 8, 20
	r := testrepo.New(t)
	r.Git("update-ref", "refs/heads/entire/other", "HEAD")
	r.Git("pack-refs", "--all")
	cmds := make([]*exec.Cmd, processes)
	for i := range cmds {
		cmds[i] = exec.Command(os.Args[0])
		cmds[i].Env = append(append([]string{}, r.Env...), "GIT_TEST_INCREMENT=refs/heads/entire/count",
			"GIT_TEST_DIR="+r.Dir, "GIT_TEST_TIMES="+strconv.Itoa(times))
		cmds[i].Stderr = os.Stderr
		ok(t, cmds[i].Start())
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if n := r.Git("rev-list", "--count", "entire/count"); n != strconv.Itoa(processes*times) {
		t.Errorf("%s commits, want %d", n, processes*times)
	}
	if n := len(r.Listed("entire/count")); n != processes*times {
		t.Errorf("%d files, want %d", n, processes*times)
	}
	r.Fsck()
}

func TestUpdateRefs(t *testing.T) {
	t.Parallel()
	for _, packed := range []bool{false, true} {
		for _, row := range []struct {
			name   string
			setup  string // a ref that names the first commit, "" for none
			update func(a, b object.OID) []RefUpdate
			moved  bool
			fails  string
			want   string // refs below refs/x afterwards, by letter of their commit
		}{
			{name: "create", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", a, object.OID{}}} }, want: "r=a"},
			{name: "create what exists", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", b, object.OID{}}} }, moved: true, want: "r=a"},
			{name: "create what is there already", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", a, object.OID{}}} }, want: "r=a"},
			{name: "move", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", b, a}} }, want: "r=b"},
			{name: "move what is not there", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", b, a}} }, moved: true},
			{name: "move from another", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", a, b}, {"refs/x/s", a, b}} }, moved: true, want: "r=a"},
			{name: "delete", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", object.OID{}, a}} }},
			{name: "delete by another value", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", object.OID{}, b}} }, moved: true, want: "r=a"},
			{name: "delete what is gone", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", object.OID{}, a}} }},
			{name: "all or none", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate {
				return []RefUpdate{{"refs/x/s", b, object.OID{}}, {"refs/x/r", b, b}}
			}, moved: true, want: "r=a"},
			{name: "several", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate {
				return []RefUpdate{{"refs/x/s", b, object.OID{}}, {"refs/x/r", object.OID{}, a}}
			}, want: "s=b"},
			{name: "below a ref", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r/s", b, object.OID{}}} }, fails: "refs/x/r", want: "r=a"},
			{name: "above a ref", setup: "refs/x/r/s", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"refs/x/r", b, object.OID{}}} }, fails: "refs/x/r", want: "r/s=a"},
			{name: "missing object", update: func(a, b object.OID) []RefUpdate {
				return []RefUpdate{{"refs/x/r", object.MustOID(strings.Repeat("12", 20)), object.OID{}}}
			}, fails: "nonexistent object"},
			{name: "nothing", setup: "refs/x/r", update: func(a, b object.OID) []RefUpdate { return nil }, want: "r=a"},
			{name: "HEAD", update: func(a, b object.OID) []RefUpdate { return []RefUpdate{{"HEAD", b, a}} }, fails: "not valid"},
			{name: "injection", update: func(a, b object.OID) []RefUpdate {
				return []RefUpdate{{"refs/x/r\ndelete refs/heads/main", b, object.OID{}}}
			}, fails: "not valid"},
			{name: "a tree on a branch", update: func(a, b object.OID) []RefUpdate {
				return []RefUpdate{{"refs/heads/t", object.MustOID("4b825dc642cb6eb9a060e54bf8d69288fbee4904"), object.OID{}}}
			}, fails: "object"},
		} {
			t.Run(fmt.Sprintf("%s, packed %t", row.name, packed), func(t *testing.T) {
				t.Parallel()
				r := testrepo.New(t)
				letters := map[string]string{r.Head(): "a"}
				a := oidOf(t, r.Head())
				b := oidOf(t, r.Commit("b"))
				letters[b.String()] = "b"
				if row.setup != "" {
					r.Git("update-ref", row.setup, a.String())
				}
				if packed {
					r.Git("pack-refs", "--all")
				}
				began := time.Now()
				err := open(t, r).UpdateRefs(t.Context(), row.update(a, b))
				switch {
				case row.moved && !errors.Is(err, ErrRefMoved):
					t.Errorf("error %v, want %v", err, ErrRefMoved)
				case row.fails != "" && (err == nil || errors.Is(err, ErrRefMoved) || !strings.Contains(err.Error(), row.fails)):
					t.Errorf("error %v, want %q", err, row.fails)
				case !row.moved && row.fails == "" && err != nil:
					t.Error(err)
				}
				if err != nil && strings.Contains(err.Error(), "\n") {
					t.Errorf("message of several lines: %q", err)
				}
				if took := time.Since(began); took > 30*time.Second {
					t.Errorf("took %v", took)
				}
				var got []string
				for line := range strings.Lines(r.Git("for-each-ref", "--format=%(refname) %(objectname)", "refs/x")) {
					name, oid, _ := strings.Cut(strings.TrimSpace(line), " ")
					got = append(got, strings.TrimPrefix(name, "refs/x/")+"="+letters[oid])
				}
				if strings.Join(got, " ") != row.want {
					t.Errorf("refs %q, want %q", got, row.want)
				}
				r.Fsck()
				r.Git("gc", "-q") // an empty loose ref would break it
			})
		}
	}
}

// TestSymbolicRefIsNotFollowed: what it points at stays.
func TestSymbolicRefIsNotFollowed(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	a := oidOf(t, r.Head())
	b := oidOf(t, r.Commit("b"))
	r.Git("update-ref", "refs/heads/precious", a.String())
	r.Git("symbolic-ref", "refs/heads/entire/s", "refs/heads/precious")
	repo := open(t, r)
	_ = repo.UpdateRefs(t.Context(), []RefUpdate{{"refs/heads/entire/s", b, a}})
	_ = repo.UpdateRefs(t.Context(), []RefUpdate{{"refs/heads/entire/s", object.OID{}, b}})
	if got := r.Git("rev-parse", "precious"); got != a.String() {
		t.Errorf("precious moved to %s", got)
	}
}

// TestLockContentionIsWaitedOut: somebody else holds the ref's lock for a while.
func TestLockContentionIsWaitedOut(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	a := oidOf(t, r.Head())
	r.Git("update-ref", "refs/x/r", a.String())
	b := oidOf(t, r.Commit("b"))
	lock := r.Path(".git/refs/x/r.lock")
	ok(t, os.WriteFile(lock, nil, 0o644))
	freed := make(chan error, 1)
	go func() {
		time.Sleep(1200 * time.Millisecond) // longer than git itself waits
		freed <- os.Remove(lock)
	}()
	if err := open(t, r).UpdateRefs(t.Context(), []RefUpdate{{"refs/x/r", b, a}}); err != nil {
		t.Error(err)
	}
	ok(t, <-freed)
}

func TestRefsAreListedBelowAPrefix(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	for _, name := range []string{"refs/heads/entire/a", "refs/heads/entire/b/c", "refs/heads/entirely", "refs/x"} {
		r.Git("update-ref", name, "HEAD")
	}
	repo := open(t, r)
	for prefix, want := range map[string]string{
		"refs/heads/entire":   "refs/heads/entire/a refs/heads/entire/b/c",
		"refs/heads/entire/":  "refs/heads/entire/a refs/heads/entire/b/c",
		"refs/heads/entirely": "refs/heads/entirely", "refs/none": "",
	} {
		var names []string
		for _, ref := range must[[]Ref](t)(repo.Refs(t.Context(), prefix)) {
			names = append(names, ref.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", prefix, got, want)
		}
	}
	r.Git("tag", "v1")
	var all []string
	for _, ref := range must[[]Ref](t)(repo.Refs(t.Context())) {
		all = append(all, ref.OID.String()+" "+ref.Name)
	}
	if want := r.Git("for-each-ref", "--format=%(objectname) %(refname)"); strings.Join(all, "\n") != want {
		t.Errorf("all refs: %q, want %q", all, want)
	}
	if _, found, err := repo.Ref(t.Context(), "refs/heads/entire"); found || err != nil {
		t.Errorf("a folder of refs is a ref: %t, %v", found, err)
	}
}

// TestUpdateRefsSyncsFirst: no ref names what is not under its name yet.
func TestUpdateRefsSyncsFirst(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	blob := must[object.OID](t)(repo.Writer().Blob([]byte("x")))
	tree := must[object.OID](t)(repo.Writer().Tree([]object.TreeEntry{{Mode: object.ModeFile, Name: "f", OID: blob}}))
	c := must[object.OID](t)(repo.Writer().Commit(object.Commit{Tree: tree, Author: tester, Committer: tester}))
	ok(t, repo.UpdateRefs(t.Context(), []RefUpdate{{"refs/x/r", c, object.OID{}}}))
	if got := r.Git("cat-file", "-p", "refs/x/r:f"); got != "x" {
		t.Errorf("holds %q", got)
	}
	r.Fsck()
}

func TestStaleLockOnOurRefIsBroken(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	ctx := t.Context()
	head := object.MustOID(r.Head())
	for name, want := range map[string]bool{"refs/heads/entire/x": true, "refs/heads/theirs": false} {
		lock := r.GitPath(name) + ".lock"
		if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(lock, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Minute)
		if err := os.Chtimes(lock, old, old); err != nil {
			t.Fatal(err)
		}
		patience := 3 * time.Second
		if want {
			patience = time.Minute
		}
		limit, cancel := context.WithTimeout(ctx, patience)
		err := repo.UpdateRefs(limit, []RefUpdate{{Name: name, New: head}})
		cancel()
		if (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
		if _, serr := os.Lstat(lock); (serr != nil) != want {
			t.Errorf("%s: lock is there: %v", name, serr == nil)
		}
	}
}

// TestARefIsThereWhileGitPacksIt: a reader that finds it in neither place would take it for deleted. That packed-refs has
// thousands of refs makes the time between its two looks long.
func TestARefIsThereWhileGitPacksIt(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 3000 {
		fmt.Fprintf(&packed, "%s refs/heads/x/%05d\n", r.Head(), i)
	}
	r.Write(".git/packed-refs", packed.String())
	const ref = "refs/heads/entire/kept"
	values := []string{r.Head(), r.Commit("b")}
	r.Git("update-ref", ref, values[0])
	repo, ended := open(t, r), make(chan struct{})
	go func() {
		defer close(ended)
		for n := range testrepo.Amount(25, 400) {
			_, _ = r.TryGit("update-ref", ref, values[n%2])
			_, _ = r.TryGit("pack-refs", "--all", "--prune")
		}
	}()
	for n := 0; ; n++ {
		select {
		case <-ended:
			return
		default:
		}
		if refs, err := repo.Refs(t.Context(), ref); err != nil || len(refs) != 1 {
			t.Errorf("after %d looks: %v, %v", n, refs, err)
			break
		}
	}
	<-ended
}
