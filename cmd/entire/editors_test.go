package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// editorTime bounds how long an editor may take for its tests.
const editorTime = 2 * time.Minute

// TestNeovim runs the tests of editors/nvim in a real Neovim, if there is one.
func TestNeovim(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("nvim"); err != nil {
		t.Skip("no nvim on PATH")
	}
	plugin, err := filepath.Abs(filepath.Join("..", "..", "editors", "nvim"))
	if err != nil {
		t.Fatal(err)
	}
	e := newEditing(t)
	ctx, cancel := context.WithTimeout(t.Context(), editorTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", "set runtimepath+="+plugin,
		"-c", "runtime plugin/entire.lua", "-c", "luafile "+filepath.Join(plugin, "test", "test.lua"))
	cmd.Dir, cmd.Env = e.repo, e.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
