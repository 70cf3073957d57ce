package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

func thousands(n int) string {
	if n >= 1000 && n%1000 == 0 {
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// startUp measures hooks that have nothing to do, beside what no program can go below: a program of Go that does
// nothing, git commit in a repository with one file, and the plain commit by which the rows are divided.
func startUp(l *lab) {
	r, small := l.repo(1000), l.repo(1)
	off := l.repo(1000)
	l.run(off.dir, "entire", "disable")
	message := filepath.Join(l.dir, "MESSAGE")
	l.write(message, []byte("hello\n"))
	payload, err := json.Marshal(map[string]any{"session_id": "11111111-2222-4333-8444-555555555555", "transcript_path": "/nonexistent.jsonl",
		"cwd": off.dir, "prompt": "hello"})
	l.check(err)
	s := map[string]series{}
	put := func(name string, one sample) { s[name] = append(s[name], one) }
	for range 3 * l.reps {
		put("floor: a program of Go that does nothing", l.measure(r.dir, nil, l.self, nothingVerb))
		small.touch(1)
		put("floor: git commit, 1 file", small.commitPlain())
		r.touch(6)
		put("floor: git commit, 1k files", r.commitPlain())
		put("entire version", l.measure(r.dir, nil, "entire", "version"))
		for _, verb := range []string{"stop", "user-prompt-submit"} {
			put("disabled: "+verb, l.measure(off.dir, payload, "entire", "hooks", "claude-code", verb))
		}
		put("disabled: prepare-commit-msg", l.measure(off.dir, nil, "entire", "hooks", "git", "prepare-commit-msg", message, "message"))
		put("disabled: post-commit", l.measure(off.dir, nil, "entire", "hooks", "git", "post-commit"))
	}
	l.commit = median(s["floor: git commit, 1k files"])
	for _, name := range []string{"floor: a program of Go that does nothing", "floor: git commit, 1 file", "floor: git commit, 1k files"} {
		l.times(name, "-", nil, s[name], median, 0, median(s[name]))
	}
	for _, name := range []string{"entire version", "disabled: stop", "disabled: user-prompt-submit", "disabled: prepare-commit-msg", "disabled: post-commit"} {
		l.times(name, "-", nil, s[name], median, 0, 8)
		l.inCommits(0.4)
	}
}

// hooksBySize measures an agent's turn and a commit in repositories of every size.
func hooksBySize(l *lab) {
	for _, n := range l.sizes {
		r := l.repo(n)
		s := map[string]series{}
		for range l.reps {
			r.turnsAndCommits(func(name string, one sample) { s[name] = append(s[name], one) })
		}
		size := thousands(n) + " files"
		if n == 1000 {
			l.commit = median(s["commit plain"])
		}
		l.times("prompt, nothing to save", size, s["status clean"], s["prompt"], median, 1.15, 20)
		l.inCommits(0.7)
		l.times("prompt, a human step saved", size, s["status human"], s["prompt human"], median, 1.15, 55)
		l.times("Stop, 3 files changed", size, s["status agent"], s["stop"], median, 1.15, 40)
		l.inCommits(1.3)
		l.times("commit, linked", size, s["commit plain"], s["commit linked"], median, 1.2, 50)
		l.inCommits(2.5)
		l.times("commit, nothing to link", size, s["commit plain"], s["commit unlinked"], median, 1.2, 30)
		l.inCommits(0.8)
		l.times("another commit, nothing to link", size, s["commit plain"], s["commit quiet"], median, 1.2, 10)
		l.inCommits(0.8)
		if n == l.sizes[0] {
			r.countProcesses(size)
		}
	}
}

// turnsAndCommits runs one round of all operations, each paired with plain git in the same worktree.
func (r *repo) turnsAndCommits(put func(string, sample)) {
	k := r.newSession()
	put("status clean", r.status())
	put("prompt", k.prompt())
	k.edit(2, 1)
	k.say(30000)
	put("status agent", r.status())
	put("stop", k.stop())
	r.touch(3)
	put("status human", r.status())
	put("prompt human", k.prompt())
	k.edit(2, 1)
	k.say(30000)
	k.stop()
	put("commit linked", r.commitLinked())
	r.touch(6)
	put("commit unlinked", r.commit())
	r.touch(6)
	put("commit quiet", r.commit())
	r.touch(6)
	put("commit plain", r.commitPlain())
	k.end()
}

// countProcesses counts the git processes that each hook starts.
func (r *repo) countProcesses(size string) {
	k := r.newSession()
	r.traced(size, "user-prompt-submit", k, func() { k.prompt() })
	k.edit(2, 1)
	r.traced(size, "stop", k, func() { k.stop() })
	r.touch(2)
	r.traced(size, "user-prompt-submit, human step", k, func() { k.prompt() })
	k.edit(2, 1)
	k.stop()
	r.git("add", "-A")
	r.traced(size, "", k, func() { k.measure(r.dir, nil, "git", "commit", "-q", "-m", "traced") })
	k.end()
}

// traced runs a part of the session while git records every process.
func (r *repo) traced(size, name string, k *agentSession, run func()) {
	trace := r.dir + "-trace"
	r.write(trace, nil)
	watched := *r
	watched.lab = r.with("GIT_TRACE2_EVENT=" + trace)
	k.repo = &watched
	run()
	k.repo = r
	r.check(watched.err)
	for _, hook := range startsByHook(name, r.read(trace)) {
		r.add(row{Operation: "git processes of " + hook.name, Size: size, Unit: "processes", Entire: float64(hook.starts), Allowed: 5})
	}
}

type hookStarts struct {
	name   string
	starts int
}

// startsByHook parses git's trace and counts the processes started during each hook of a commit. If
// name is not empty, all of them belong to that hook of an agent.
func startsByHook(name string, trace []byte) []hookStarts {
	if name != "" {
		return []hookStarts{{name, strings.Count(string(trace), `"event":"start"`)}}
	}
	var out []hookStarts
	now := -1
	for line := range strings.Lines(string(trace)) {
		var ev struct {
			Event, SID string
			Hook       string `json:"hook_name"`
		}
		if json.Unmarshal([]byte(line), &ev) != nil {
			continue
		}
		top := !strings.Contains(ev.SID, "/")
		switch {
		case top && ev.Event == "child_start" && ev.Hook != "":
			out = append(out, hookStarts{name: ev.Hook})
			now = len(out) - 1
		case top && ev.Event == "child_exit":
			now = -1
		case !top && ev.Event == "start" && now >= 0:
			out[now].starts++
		}
	}
	return slices.Clip(out)
}
