//go:build linux

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/internal/fakemodel"
)

func TestEveryClientIsPinned(t *testing.T) {
	t.Parallel()
	versions, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	if versions["node"].Version == "" {
		t.Error("no version of Node")
	}
	for _, client := range Clients() {
		if v := versions[client.Name]; v.Package == "" || v.Version == "" {
			t.Errorf("versions.json does not pin %s", client.Name)
		}
		if found, err := Find(client.Name); err != nil || found.Title != client.Title {
			t.Errorf("Find(%s): %v, %v", client.Name, found.Title, err)
		}
	}
	if len(versions) != len(Clients())+1 {
		t.Errorf("versions.json pins %d packages for %d clients and Node", len(versions), len(Clients()))
	}
}

// TestAWorldHoldsWhatItRuns runs a shell in place of a client: its home, its end, and what it leaves behind.
func TestAWorldHoldsWhatItRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := &World{Home: filepath.Join(dir, "home"), Repo: dir, Cache: filepath.Join(dir, "cache")}
	var err error
	if w.Model, err = fakemodel.Start(nil, dir); err != nil {
		t.Fatal(err)
	}
	defer w.Model.Close()
	shell := Client{Name: "shell",
		prepare: func(*World) map[string]string { return map[string]string{".config/x": "y"} },
		command: func(_ *World, prompt string) []string { return []string{"sh", "-c", prompt} },
	}
	if err := w.Prepare(t.Context(), shell); err != nil {
		t.Fatal(err)
	}
	run, err := w.Start(t.Context(), shell, "cat ~/.config/x; echo in $PWD; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	if said, err := run.Wait(); err == nil || !strings.Contains(said, "yin "+dir) {
		t.Errorf("said %q, %v", said, err)
	}
	if _, err := w.Continue(t.Context(), shell, "", ""); err == nil {
		t.Error("a client that cannot continue a session does")
	}
	// Sweep kills by the home in the environment.
	run, err = w.Start(t.Context(), shell, "sleep 300 & echo $! > pid; wait")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if text, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil && len(text) > 1 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.Sweep()
	if _, err := run.Wait(); err == nil {
		t.Error("a swept program ended well")
	}
}
