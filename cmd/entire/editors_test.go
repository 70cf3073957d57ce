package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"entire/internal/testrepo"
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

// TestVSCode runs the tests of editors/vscode in Node.js, if it is there. They need nothing from npm.
func TestVSCode(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("node", "-e", "process.exit(process.versions.node.split('.')[0] < 20 ? 1 : 0)").CombinedOutput(); err != nil {
		t.Skipf("no Node.js 20 or newer on PATH: %v %s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), editorTime)
	defer cancel()
	home := testrepo.NewHome(t)
	tests, err := filepath.Glob(filepath.Join("..", "..", "editors", "vscode", "test", "*.test.js"))
	if err != nil || len(tests) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	cmd := exec.CommandContext(ctx, "node", append([]string{"--test"}, tests...)...)
	cmd.Env = append(testrepo.Environ(home), "ENTIRE_TEST_TTY=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
