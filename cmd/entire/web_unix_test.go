//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// TestWebServesUntilInterrupted starts the pages, asks for some without entering, and interrupts the program.
func TestWebServesUntilInterrupted(t *testing.T) {
	t.Parallel()
	repo := filepath.Join(t.TempDir(), "repo")
	if err := testrepo.CopyTree(scenarioTemplate(t), repo); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("entire", "web")
	cmd.Dir, cmd.Env = repo, append(testrepo.Environ(testrepo.NewHome(t)), "ENTIRE_TEST_TTY=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, token, _ := strings.Cut(strings.TrimSpace(link), "#")
	if !strings.HasPrefix(address, "http://127.0.0.1:") || len(token) < 40 {
		t.Fatalf("the link is %q", link)
	}
	for _, path := range []string{"timeline", "status.json", ""} {
		res, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if strings.Contains(string(text), "a.txt") || len(res.Cookies()) > 0 {
			t.Errorf("without a token /%s shows %s", path, text)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(endsSoon):
		t.Error("it does not end")
	}
	if res, err := http.Get(address); err == nil {
		res.Body.Close()
		t.Error("it still answers")
	}
}
