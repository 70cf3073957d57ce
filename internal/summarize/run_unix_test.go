//go:build unix

package summarize

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire/agent"
	"entire/internal/testrepo"
)

// stub puts a program named claude, a shell script, into a folder of its own and
// returns a request that finds it. The script may use $OUT, that folder.
func stub(t *testing.T, script string) (r Request, out string) {
	t.Helper()
	out = t.TempDir()
	path := filepath.Join(out, "claude")
	testrepo.WriteScript(t, path, "#!/bin/sh\nOUT='"+out+"'\n"+script)
	return Request{
		Agent: agent.AgentTypeClaudeCode, Dir: t.TempDir(), Timeout: 30 * time.Second,
		Environ: []string{"PATH=" + out + ":/usr/bin:/bin", "HOME=/h", "GIT_DIR=/x", "CLAUDECODE=1", "ENTIRE_LOG_LEVEL=debug", "ANTHROPIC_API_KEY=k"},
	}, out
}

const printGood = "cat <<'EOF'\n" + `{"type":"result","is_error":false,"result":"{\"intent\":\"greet\",\"outcome\":\"done\"}"}` + "\nEOF\n"

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	r, out := stub(t, `cat >$OUT/stdin; env >$OUT/env; pwd >$OUT/pwd; for a; do echo "<$a>"; done >$OUT/args`+"\n"+printGood)
	s, err := r.Summarize(t.Context(), "[User] hello\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Intent != "greet" || s.Outcome != "done" {
		t.Errorf("summary %+v", s)
	}
	if got := read(t, out+"/args"); got != "<--model>\n<sonnet>\n<--print>\n<--output-format>\n<json>\n<--setting-sources>\n<>\n" {
		t.Errorf("arguments %q", got)
	}
	if got := read(t, out+"/stdin"); !strings.HasSuffix(got, "<transcript>\n[User] hello\n</transcript>\n") {
		t.Errorf("question %q", got)
	}
	env := read(t, out+"/env")
	for _, bad := range []string{"GIT_", "CLAUDECODE", "ENTIRE_"} {
		if strings.Contains(env, bad) {
			t.Errorf("%s is in its environment", bad)
		}
	}
	if !strings.Contains(env, "ANTHROPIC_API_KEY=k") || !strings.Contains(env, "HOME=/h") {
		t.Errorf("environment %q", env)
	}
	if got := strings.TrimSpace(read(t, out+"/pwd")); !sameFile(t, got, r.Dir) {
		t.Errorf("it ran in %s", got)
	}
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return os.SameFile(one, two)
}

func TestSummarizeFails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, script, want string }{
		{"it fails", "cat >/dev/null; echo 'no credit' >&2; exit 3", "claude CLI failed (exit 3): no credit"},
		{"it fails and says why in JSON", `echo '{"is_error":true,"result":"Invalid API key"}'; exit 1`, "claude CLI failed (exit 1): it reports an error: Invalid API key"},
		{"it fails silently", "exit 1", "claude CLI failed (exit 1): it does not say why"},
		{"no JSON", "echo hello", "claude CLI gave an unusable answer: "},
		{"no summary", `echo '{"result":"I will not"}'`, "claude CLI gave no summary: "},
		{"it never ends an answer", "yes", "claude CLI gave more than "},
		{"it does not read the question", "exec <&-; sleep 0.2; exit 4", "claude CLI failed (exit 4)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, _ := stub(t, tc.script)
			_, err := r.Summarize(t.Context(), strings.Repeat("[User] hello\n\n", 50_000))
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestProgramIsNotThere(t *testing.T) {
	t.Parallel()
	r := Request{Agent: agent.AgentTypeGemini, Environ: []string{"PATH=relative:" + t.TempDir()}, Dir: t.TempDir(), Timeout: time.Second}
	_, err := r.Summarize(t.Context(), "x")
	if !errors.Is(err, errNotFound) || !strings.HasPrefix(err.Error(), "gemini CLI not found: ") {
		t.Errorf("error %v", err)
	}
}

// TestHomeIsLookedAt: a commit from a window has not the PATH of a shell.
func TestHomeIsLookedAt(t *testing.T) {
	t.Parallel()
	r, out := stub(t, "cat >/dev/null\n"+printGood)
	home := t.TempDir()
	if err := os.MkdirAll(home+"/.claude/local", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(out+"/claude", home+"/.claude/local/claude"); err != nil {
		t.Fatal(err)
	}
	r.Home = home
	if _, err := r.Summarize(t.Context(), "x"); err != nil {
		t.Error(err)
	}
}

// TestDeadlineEndsTheGroup: neither the program, which ignores being asked, nor
// what it started lives on, and the caller does not wait for their pipes.
func TestDeadlineEndsTheGroup(t *testing.T) {
	t.Parallel()
	r, out := stub(t, "trap '' TERM\n(trap '' TERM; while :; do sleep 1; done) &\necho $! >$OUT/child; echo $$ >$OUT/self\nwhile :; do sleep 1; done")
	for r.Timeout = 500 * time.Millisecond; r.Timeout < time.Minute; r.Timeout *= 2 { // until the program has begun in time
		begun := time.Now()
		_, err := r.Summarize(t.Context(), "x")
		if err == nil || err.Error() != "claude CLI gave no answer within "+r.Timeout.String() {
			t.Errorf("error %v", err)
		}
		if took := time.Since(begun); took > r.Timeout+time.Minute {
			t.Errorf("it took %s", took)
		}
		if _, err := os.Stat(filepath.Join(out, "self")); err == nil {
			break
		}
	}
	for _, name := range []string{"self", "child"} {
		pid, err := strconv.Atoi(strings.TrimSpace(read(t, filepath.Join(out, name))))
		if err != nil {
			t.Fatal(err)
		}
		if !gone(pid) {
			t.Errorf("process %d (%s) is still there", pid, name)
		}
	}
}

// gone waits for a killed process to vanish.
func gone(pid int) bool {
	for range 1500 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// zombie reports a process that has ended and whose new parent has not noticed.
func zombie(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(data), ") Z ")
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	r, out := stub(t, "echo $$ >$OUT/self; exec sleep 100")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 6000 {
			if _, err := os.Stat(out + "/self"); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if _, err := r.Summarize(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if pid, _ := strconv.Atoi(strings.TrimSpace(read(t, out+"/self"))); pid == 0 || !gone(pid) {
		t.Errorf("process %d is still there", pid)
	}
}
