//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// runScript runs one script and returns its results; problem says why they are not all there.
func (s *suite) runScript(ctx context.Context, mode, name string) (results []result, problem string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	dir := filepath.Join(s.work, mode, strings.TrimSuffix(name, ".sh"))
	data := filepath.Join(dir, "data")
	for path, text := range map[string]string{"data/entire/global.json": `{"enabled": true}`, "out/.keep": ""} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err.Error()
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err.Error()
		}
	}
	installed := filepath.Join(s.kit, "git")
	if mode == "plain" {
		installed = filepath.Dir(s.git)
	}
	cmd := exec.CommandContext(ctx, "sh", "./"+name, "--no-color", "--root="+filepath.Join(dir, "root"))
	cmd.Dir = filepath.Join(s.source, "t")
	cmd.Env = append(os.Environ(), "GIT_TEST_INSTALLED="+installed, "TEST_OUTPUT_DIRECTORY="+filepath.Join(dir, "out"), "XDG_DATA_HOME="+data,
		"SUITE_MODE="+mode, "SUITE_GIT="+s.git, "SUITE_KIT="+s.kit, "SUITE_LOG="+filepath.Join(dir, "session.log"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err := cmd.Run()
	results, ended := parse(out.Bytes())
	if !ended {
		problem = fmt.Sprintf("did not end: %v %s", err, strings.TrimSpace(errors.String()))
	}
	_ = os.WriteFile(filepath.Join(s.work, mode, name+".out"), append(out.Bytes(), errors.Bytes()...), 0o600)
	return results, problem
}

// A result is what a script said of one test.
type result struct {
	number, name string
	state        string // ok, not ok, skipped, or known for a failure that git knows
}

var line = regexp.MustCompile(`^(ok|not ok) (\d+) (?:- )?(.*)$`)

// parse reads the lines of the Test Anything Protocol; ended is false without its plan.
func parse(text []byte) (results []result, ended bool) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "1..") {
			ended = true
		}
		m := line.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		r := result{m[2], m[3], m[1]}
		switch {
		case strings.Contains(r.name, "# TODO"):
			r.state = "known"
		case strings.HasPrefix(r.name, "# skip"):
			r.state = "skipped"
		}
		r.name, _, _ = strings.Cut(r.name, " # ")
		results = append(results, r)
	}
	return results, ended
}
