package workplace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

var (
	cpA = id.MustCheckpointID("aaaaaaaaaaaa")
	cpB = id.MustCheckpointID("bbbbbbbbbbbb")
)

func linkTo(cp id.CheckpointID, subject string) string {
	return subject + "\n\nEntire-Checkpoint: " + cp.String() + "\n"
}

func TestBranchHistory(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", linkTo(cpA, "on main"))
	r.Git("checkout", "-q", "-b", "feature")
	r.Git("commit", "-q", "--allow-empty", "-m", linkTo(cpB, "on feature"))
	if got := subjects(t, r); !slices.Equal(got, []string{"on feature"}) {
		t.Errorf("on a feature branch: %q", got)
	}
	r.Git("checkout", "-q", "main")
	r.Git("merge", "-q", "--no-ff", "-m", "merge", "feature")
	if got := subjects(t, r); !slices.Contains(got, "on feature") || !slices.Contains(got, "on main") || len(got) != 4 {
		t.Errorf("on main: %q", got)
	}
	r.Git("checkout", "-q", "--detach", "HEAD~1")
	if got := subjects(t, r); len(got) != 0 {
		t.Errorf("detached on main: %q", got)
	}
}

// A page without enough checkpoints is followed by the rest, without a gap.
func TestBranchHistoryInPages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		message string
		want    int
	}{
		{"none is linked", "plain %d", 171},
		{"all name one checkpoint", "work %d\n\nEntire-Checkpoint: aaaaaaaaaaaa\n", 171},
		{"each names another", "work %d\n\nEntire-Checkpoint: aaaaaaaa%04x\n", firstPage},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			var stream strings.Builder
			for i := range 170 {
				numbers := []any{i, i}[:strings.Count(test.message, "%")]
				message := fmt.Sprintf(test.message, numbers...)
				fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata %d\n%s\n", 1800000000+i, len(message), message)
				if i == 0 {
					stream.WriteString("from refs/heads/main^0\n")
				}
			}
			if _, err := open(t, r).RunInput(t.Context(), []byte(stream.String()), "fast-import", "--quiet"); err != nil {
				t.Fatal(err)
			}
			got := subjects(t, r)
			if len(got) != test.want || !strings.HasSuffix(got[149], " 20") {
				t.Errorf("%d commits, want %d; the 150th is %q", len(got), test.want, got[149])
			}
			if test.want > firstPage && !strings.HasSuffix(got[150], " 19") {
				t.Errorf("after the page comes %q", got[150])
			}
		})
	}
}

func TestDefaultBranch(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	want := func(name string) {
		t.Helper()
		if got, err := defaultBranch(t.Context(), open(t, r)); err != nil || got != name {
			t.Errorf("default branch %q, %v; want %q", got, err, name)
		}
	}
	want("refs/heads/main")
	r.Git("update-ref", "refs/remotes/origin/master", "main")
	want("refs/remotes/origin/master")
	r.Git("update-ref", "refs/remotes/origin/trunk", "main")
	r.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	want("refs/remotes/origin/trunk")
	r.Git("update-ref", "-d", "refs/remotes/origin/trunk")
	want("refs/remotes/origin/master")
	r.Git("update-ref", "-d", "refs/remotes/origin/master")
	r.Git("branch", "-m", "main", "other")
	want("")
}

func TestBranchHistoryWithoutCommits(t *testing.T) {
	t.Parallel()
	if got := subjects(t, testrepo.New(t, testrepo.Unborn())); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func open(t *testing.T, r *testrepo.Repo) *git.Repo {
	t.Helper()
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func subjects(t *testing.T, r *testrepo.Repo) []string {
	t.Helper()
	commits, err := branchHistory(t.Context(), open(t, r))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range commits {
		all = append(all, c.Message)
	}
	return all
}

func TestCommitsOf(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", linkTo(cpA, "linked"))
	r.Git("commit", "-q", "--allow-empty", "-m", "mentions aaaaaaaaaaaa only")
	r.Git("checkout", "-q", "-b", "other")
	r.Git("commit", "-q", "--allow-empty", "-m", linkTo(cpB, "elsewhere"))
	r.Git("cherry-pick", "--allow-empty", "--keep-redundant-commits", "main~1")
	r.Git("checkout", "-q", "main")
	repo := open(t, r)
	for _, test := range []struct {
		name       string
		cp         id.CheckpointID
		everywhere bool
		want       int
	}{
		{"on this branch", cpA, false, 1},
		{"on every branch", cpA, true, 2},
		{"only on another", cpB, false, 0},
		{"on another", cpB, true, 1},
		{"nowhere", id.MustCheckpointID("cccccccccccc"), true, 0},
	} {
		got, err := CommitsOf(t.Context(), repo, test.cp, test.everywhere)
		if err != nil || len(got) != test.want {
			t.Errorf("%s: %d commits, %v; want %d", test.name, len(got), err, test.want)
		}
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add("0123456\x001 2026-01-02T03:04:05+01:00\x00A\x00a@b\x00subject\n\nEntire-Checkpoint: aaaaaaaaaaaa\n\x00")
	f.Add("\x00\x00\x00\x00\x00\x00")
	f.Add("")
	f.Fuzz(func(t *testing.T, out string) {
		commits, err := parseLog(out)
		if err != nil && commits != nil {
			t.Error("commits beside an error")
		}
		for _, c := range commits {
			_ = c.Short()
		}
	})
}
