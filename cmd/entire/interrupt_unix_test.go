//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/testrepo"
)

// endsSoon is the two seconds after which a command has ended that was asked to, and what
// a machine that is busy may need beside.
const endsSoon = 30 * time.Second

// Every command ends when it is asked to, even one whose git does not: here git listens
// to nobody, and goes on for minutes.
func TestEveryCommandEndsWhenAsked(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGINT) { // as in a script's background, whose programs ignore it, too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
		t.Cleanup(func() { signal.Ignore(syscall.SIGINT) })
	}
	template := scenarioTemplate(t)
	var waiting atomic.Int32
	var running sync.WaitGroup
	slots := make(chan struct{}, 16) // they mostly wait
	for i, words := range commandLines() {
		signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}
		if !testrepo.Full() {
			signals = signals[i%2 : i%2+1]
		}
		for _, sig := range signals {
			running.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				if interrupted(t, template, words, sig) {
					waiting.Add(1)
				}
			})
		}
	}
	running.Wait()
	if n := waiting.Load(); n < int32(testrepo.Amount(30, 60)) {
		t.Errorf("only %d commands were in the middle of something", n)
	}
}

// commandLines are those of all commands and hooks, with what most of them need.
func commandLines() [][]string {
	var lines [][]string
	var walk func(*cobra.Command, []string)
	walk = func(cmd *cobra.Command, words []string) {
		for _, sub := range cmd.Commands() {
			walk(sub, append(words[:len(words):len(words)], sub.Name()))
		}
		if len(words) > 0 && cmd.Runnable() {
			lines = append(lines, append(words, commandArgs[strings.Join(words, " ")]...))
		}
	}
	walk(rootCommand((&cliui.Env{})), nil)
	return lines
}

// commandArgs are arguments with which a command that has to have some begins its work.
var commandArgs = map[string][]string{
	"blame": {"a.txt"}, "why": {"a.txt:1"}, "attribution": {"HEAD"}, "search": {"word"}, "rewind": {"--list"}, "restore": {"a.txt"},
	"resume": {"main"}, "enable": {"--agent", "claude-code"}, "disable": {"--uninstall", "--force"}, "reset": {"--force"}, "checkpoint": {"name"},
	"checkpoints show": {"HEAD"}, "checkpoints diff": {"HEAD"}, "checkpoints forget": {"a1b2c3d4e5f6", "--yes"},
	"hooks git prepare-commit-msg": {"message"}, "hooks git commit-msg": {"message"}, "hooks git pre-push": {"origin"},
}

// servesAfter is how long a command may need to start git.
const servesAfter = 10 * time.Second

// interrupted runs a command with a git that does not end, and asks the command to end as
// soon as git has begun, or after a while if the command serves on without git, as web does. It is
// false where the command needed no git.
func interrupted(t *testing.T, template string, words []string, sig syscall.Signal) bool {
	t.Helper()
	dir, name := t.TempDir(), strings.Join(words, " ")
	repo, bin, begun := filepath.Join(dir, "repo"), filepath.Join(dir, "bin"), filepath.Join(dir, "begun")
	if err := testrepo.CopyTree(template, repo); err != nil {
		t.Error(err)
		return false
	}
	os.WriteFile(filepath.Join(repo, "a.txt"), []byte("changed\n"), 0o644)
	os.WriteFile(filepath.Join(repo, "message"), []byte("message\n"), 0o644)
	os.Mkdir(bin, 0o755)
	testrepo.WriteScript(t, filepath.Join(bin, "git"), "#!/bin/sh\ntrap '' TERM INT\n: >'"+begun+"'\nsleep 90\nsleep 90\n")
	cmd := exec.Command("entire", words...)
	cmd.Dir, cmd.Env = repo, append(testrepo.Environ(testrepo.NewHome(t)), "ENTIRE_TEST_TTY=0", "TMPDIR="+dir, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdin = strings.NewReader(`{"session_id":"5e55104f-0000-4000-8000-0000000000dd","prompt":"do it","cwd":"` + repo + `","tool_use_id":"toolu_1"}`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return false
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	serving := time.Now().Add(servesAfter)
	for _, err := os.Stat(begun); err != nil && time.Now().Before(serving); _, err = os.Stat(begun) {
		select {
		case <-ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
	asked := time.Now()
	if err := cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
		return false
	}
	select {
	case <-ended:
		t.Logf("%-40s %v %v", name, sig, time.Since(asked).Round(time.Millisecond))
		text := said.String()
		if strings.Contains(text, "context canceled") || strings.Contains(text, "entire: ") && !strings.Contains(text, "entire: interrupted") {
			t.Errorf("entire %s says %q", name, text)
		}
	case <-time.After(endsSoon):
		t.Errorf("entire %s does not end within %v of %v", name, endsSoon, sig)
	}
	return true
}
