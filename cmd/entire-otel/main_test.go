package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/testrepo"
)

// run returns what `entire` of a folder prints.
func run(t *testing.T, r *testrepo.Repo, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "entire"), args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestEntireOtel: `entire export otel` becomes the program beside it, with the options that it was given. Without
// that program it says what to do.
func TestEntireOtel(t *testing.T) {
	t.Parallel()
	dir := testrepo.Build(t, "entire", "entire-otel")
	r := testrepo.New(t)
	sample, err := filepath.Abs(clitest.Transcripts(filepath.Join("..", "..", "testdata"))["Claude Code"])
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, r, dir, "sessions", "import", sample); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err == nil {
			body, err = io.ReadAll(z)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	if out, err := run(t, r, dir, "export", "otel", "--endpoint", s.URL, "--dry-run", "--json"); err != nil || !strings.Contains(out, `"dry_run": true`) || body != nil {
		t.Errorf("a dry run: %v, %s", err, out)
	}
	if out, err := run(t, r, dir, "export", "otel", "--endpoint", s.URL, "--since", "2020-01-01"); err != nil || !strings.HasPrefix(out, "Sent ") || !strings.Contains(string(body), "invoke_agent Claude Code") {
		t.Errorf("%v: %s\n%.500s", err, out, body)
	}
	if out, err := run(t, r, dir, "export", "otel", "--endpoint", "ftp://x"); err == nil || !strings.Contains(out, "hint: ") {
		t.Errorf("a bad address: %v, %s", err, out)
	}
	alone := testrepo.Build(t, "entire")
	if out, err := run(t, r, alone, "export", "otel", "--endpoint", s.URL); err == nil || !strings.Contains(out, "entire-otel") || !strings.Contains(out, "go install") {
		t.Errorf("without the program: %v, %s", err, out)
	}
}
