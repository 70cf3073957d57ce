package gather

import (
	"bufio"
	"errors"
	"strings"
	"testing"

	"entire/internal/git"
	"entire/internal/testrepo"
)

// TestEachFieldEnds: a field that is too long is an error, and git ends although nobody reads what it still has.
func TestEachFieldEnds(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	oid, err := repo.Writer().Blob([]byte("a\x00b\x00" + strings.Repeat("c", 4*maxField)))
	if err := errors.Join(err, repo.Writer().Sync()); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = eachField(t.Context(), repo, "", func(field string) { got = append(got, field) }, "cat-file", "blob", oid.String())
	if !errors.Is(err, bufio.ErrTooLong) || strings.Join(got, ",") != "a,b" {
		t.Errorf("%q, %v", got, err)
	}
	err = eachField(t.Context(), repo, "", func(field string) { t.Errorf("%q", field) }, "cat-file", "blob", "none")
	if err == nil || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}
