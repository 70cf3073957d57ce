package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

func TestMain(m *testing.M) {
	if ref := os.Getenv("GIT_TEST_INCREMENT"); ref != "" {
		os.Exit(incrementMain(ref))
	}
	if own := os.Getenv("GIT_TEST_TOGETHER"); own != "" {
		os.Exit(togetherMain(own))
	}
	goleak.VerifyTestMain(m)
}

// open discovers the repository of r and closes it at the end.
func open(t testing.TB, r *testrepo.Repo) *Repo {
	t.Helper()
	repo, err := Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return repo
}

// must fails the test on an error and passes the value on.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func oidOf(t testing.TB, hex string) object.OID {
	t.Helper()
	return must[object.OID](t)(object.ParseOID(hex))
}

var tester = object.Signature{Name: "Tess Ter", Email: "tess@example.com", When: time.Unix(1700000000, 0).UTC()}

var base = testrepo.Files(map[string]string{"kept/changed.txt": "one\n", "kept/removed.txt": "x\n", "kept/same.txt": "same\n"})

// partial is a clone without blobs, with only kept/same.txt and
// kept/removed.txt in its sparse worktree.
func partial(t *testing.T) *testrepo.Repo {
	bare := testrepo.New(t, base).Clone("--bare")
	r := bare.Clone("--filter=blob:none", "--no-checkout")
	r.Git("sparse-checkout", "set", "--no-cone", "/kept/same.txt", "/kept/removed.txt", "/new")
	r.Git("read-tree", "-mu", "HEAD")
	return r
}

// filtered is a repository whose *.big files go through the filter "up".
func filtered(t testing.TB, clean, smudge string) *testrepo.Repo {
	r := testrepo.New(t, testrepo.Files(map[string]string{".gitattributes": "*.big filter=up\n"}))
	r.Git("config", "filter.up.clean", clean)
	r.Git("config", "filter.up.smudge", smudge)
	return r
}

// countSpawns makes repo's git log what it starts; the result tells how many
// git processes there were.
func countSpawns(t testing.TB, repo *Repo) func() int {
	t.Helper()
	log := filepath.Join(t.TempDir(), "trace")
	repo.Env = append(slices.Clone(repo.Env), "GIT_TRACE2_EVENT="+log)
	return func() int {
		data, err := os.ReadFile(log)
		ok(t, err)
		return strings.Count(string(data), `"event":"start"`)
	}
}
