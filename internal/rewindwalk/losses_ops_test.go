package rewindwalk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"entire/internal/histories"
)

// destructive are the commands that internal/risk knows and that run without a network or a service. %s is a path.
var destructive = []string{
	"rm -rf %s", "rm -rf dir sub *.txt", "find . -path ./.git -prune -o -path ./.entire -prune -o -path ./.claude -prune -o -type f -name '*.txt' -delete -print",
	"find dir sub -type f -delete", "shred %s", "shred -u %s", "truncate -s 0 %s", "truncate --size=3 %s", "dd if=/dev/zero of=%s bs=1 count=5",
	"echo lost > %s", ": >| %s", "ls nothing &> %s", "git reset --hard", "git cat-file -e HEAD~1:.entire/settings.json && git reset --hard HEAD~1", "git reset -q --merge HEAD", "git reset --keep HEAD",
	"git clean -fd", "git clean -fdx -e .entire -e .claude", "git restore .", "git restore --source=HEAD --staged --worktree %s", "git checkout -- .", "git checkout -f",
	"git checkout HEAD -- %s", "git checkout %s", "git switch --discard-changes main", "git switch -f main", "git stash -q; git stash drop", "git stash -q -u && git stash clear",
	"git branch other; git branch -D other", "git rm -rfq %s", "git read-histories.Tree -u --reset HEAD", "bash -c 'rm -rf dir && git reset --hard'",
	"(cd dir && rm -rf .)", "ls | grep txt | xargs rm -rf", "timeout 5 git checkout -- . && rm -r sub", "git worktree add -q ../extra 2>/dev/null; git worktree remove --force ../extra",
}

func (l *losses) destructive(rng *rand.Rand) string {
	line := histories.Pick(rng, destructive)
	if strings.Contains(line, "%s") {
		path := histories.Pick(rng, []string{"a.txt", "b.txt", "dir/c.txt", "dir", "run.sh", "n1", "sub"})
		line = fmt.Sprintf(line, path)
	}
	return line
}

// sh runs a command as an agent or a person does; it may fail.
func (l *losses) sh(line string) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = l.top, l.Repo.Env
	err := cmd.Run()
	l.Note("   $ %s: %v", line, err)
	l.moved()
	l.Stats["destroyed"]++
}

// alter changes some files; what is at stake is text, bytes, modes, links, and what lies where.
func (l *losses) alter(rng *rand.Rand) {
	for range 1 + rng.IntN(3) {
		l.Change(nil, 0, rng)
	}
}

// call runs a hook with a payload, and in one of eight times kills it at some instant. It returns what the hook
// printed, and whether it ended by itself.
func (l *losses) call(rng *rand.Rand, payload map[string]any, name string, args ...string) (string, bool) {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // only Go would write > as \u003e
	if err := enc.Encode(payload); err != nil {
		histories.Fail("payload", "%v", err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = l.top, l.Repo.Env, &data
	return l.perhapsKilled(rng, cmd)
}

func (l *losses) perhapsKilled(rng *rand.Rand, cmd *exec.Cmd) (string, bool) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	kill, after := rng.IntN(8) == 0, time.Duration(rng.IntN(60_000))*time.Microsecond
	if err := cmd.Start(); err != nil {
		histories.Fail("start", "%v", err)
	}
	if kill {
		time.Sleep(after)
		_ = cmd.Process.Kill()
	}
	err := cmd.Wait()
	if kill && err != nil {
		l.Note("   killed after %s: %q", after, cmd.Args[1:min(3, len(cmd.Args))])
		l.Stats["killed"]++
		return out.String(), false
	}
	if err != nil {
		histories.Fail("hook", "%q: %v: %s", cmd.Args[1:], err, out.String())
	}
	return out.String(), true
}

// Two agents: the first one's commands go through the line of its hook, as it would run it.
const (
	first  = "5e55104f-0000-4000-8000-000000000001"
	second = "5e55104f-0000-4000-8000-000000000002"
)

// tell tells of an event, and records the state of the files if the hook ended by itself.
func (l *losses) tell(rng *rand.Rand, who, event, prompt string) {
	payload := map[string]any{"session_id": who, "cwd": l.top, "prompt": prompt}
	names := map[string]string{"start": "turn-start", "end": "turn-end"}
	adapter := "generic"
	if who == first {
		adapter = "claude-code"
		names = map[string]string{"start": "user-prompt-submit", "end": "stop"}
		payload["transcript_path"] = filepath.Join(l.Repo.Root, "home", ".claude", "projects", "x", who+".jsonl")
		payload["hook_event_name"] = map[string]string{"start": "UserPromptSubmit", "end": "Stop"}[event]
	}
	before := l.Files(0)
	if _, ended := l.call(rng, payload, program(), "hooks", adapter, names[event]); ended {
		l.keep(event+" of a turn", "", before)
	}
	l.active[who] = event == "start"
}

func (l *losses) who(rng *rand.Rand) string { return histories.Pick(rng, []string{first, second}) }

func (l *losses) turn(rng *rand.Rand) {
	who := l.who(rng)
	l.tell(rng, who, "start", "Do "+l.Line(nil))
	l.alter(rng)
	if rng.IntN(2) == 0 {
		l.destroy(rng, who)
		l.alter(rng)
	}
	l.tell(rng, who, "end", "")
}

func (l *losses) open(rng *rand.Rand) { l.tell(rng, l.who(rng), "start", "Do "+l.Line(nil)) }

func (l *losses) close(rng *rand.Rand) {
	if who := l.who(rng); l.active[who] {
		l.tell(rng, who, "end", "")
	}
}

func (l *losses) destroyInTurn(rng *rand.Rand) {
	if who := l.who(rng); l.active[who] {
		l.alter(rng)
		l.destroy(rng, who)
	}
}

var savedAs = regexp.MustCompile(`as ([0-9a-f]{7,40})[ ;]`)

// destroy is a command of an agent, after its hook.
func (l *losses) destroy(rng *rand.Rand, who string) {
	line := l.destructive(rng)
	before := l.Files(0)
	payload := map[string]any{"session_id": who, "cwd": l.top, "tool_name": "Bash", "tool_input": map[string]any{"command": line}}
	var out string
	var ended bool
	if who == first {
		payload["hook_event_name"], payload["tool_use_id"] = "PreToolUse", "toolu_1"
		payload["transcript_path"] = filepath.Join(l.Repo.Root, "home", ".claude", "projects", "x", who+".jsonl")
		out, ended = l.call(rng, payload, "sh", "-c", l.hookLine())
	} else {
		out, ended = l.call(rng, payload, program(), "hooks", "generic", "tool-start")
	}
	if ended && l.active[who] {
		l.guarded(line, saved(out), before)
		return
	}
	l.sh(line)
}

// saved returns the point that the program's output names, "" for none.
func saved(out string) string {
	if m := savedAs.FindStringSubmatch(out); m != nil {
		return m[1]
	}
	return ""
}

func (l *losses) destroyByHand(rng *rand.Rand) {
	if rng.IntN(3) > 0 {
		l.alter(rng)
	}
	line := l.destructive(rng)
	before := l.Files(0)
	cmd := l.command("guard", "save")
	cmd.Stdin = strings.NewReader(`:"` + line + `"`)
	if out, ended := l.perhapsKilled(rng, cmd); ended {
		l.guarded(line, saved(out), before)
		return
	}
	l.sh(line)
}

func (l *losses) edit(rng *rand.Rand) { l.alter(rng) }

func (l *losses) commitAll(rng *rand.Rand) {
	l.tryGit("add", "-A", "--", ":!nested")
	l.tryGit(histories.Pick(rng, [][]string{{"commit", "-q", "-m", l.Line(nil)}, {"commit", "-q", "-m", l.Line(nil), "--", "a.txt"}})...)
	l.moved()
}
