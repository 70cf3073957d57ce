package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ignoredFiles measures a turn in a worktree with many files that git ignores.
func ignoredFiles(l *lab) {
	lean, full := l.repo(1000), l.repo(1000)
	for i := range l.ignored {
		full.write(filepath.Join(full.dir, "node_modules", fmt.Sprintf("p%d", i/50), fmt.Sprintf("m%d.js", i)), []byte("module.exports = 1\n"))
	}
	full.settle()
	var stop, prompt [2]series
	for range 2 * l.reps {
		for i, r := range []*repo{lean, full} {
			k := r.newSession()
			prompt[i] = append(prompt[i], k.prompt())
			k.edit(2, 1)
			k.say(10000)
			stop[i] = append(stop[i], k.stop())
			r.commitPlain()
			k.end()
		}
	}
	size := thousands(l.ignored) + " ignored files"
	l.times("prompt, minimum", size, prompt[0], prompt[1], least, 1, 2)
	l.times("Stop, minimum", size, stop[0], stop[1], least, 1, 2)
}

// fewCheckpoints are what lists with many checkpoints are compared with.
const fewCheckpoints = 1000

// storedCheckpoints measures a linked commit, and listing commands, in a repository with many
// checkpoints.
func storedCheckpoints(l *lab) {
	young, some, old := l.repo(1000), l.plain(1000), l.plain(1000)
	few, newest := some.history(fewCheckpoints), old.history(l.checkpoints)
	some.enable()
	old.enable()
	some.linkedTurn() // so that both have a checkpoint at HEAD
	var commit [2]series
	s := map[string]series{}
	lists := func(newest string) map[string][]string {
		return map[string][]string{
			"rewind --list":        {"entire", "rewind", "--list"},
			"explain":              {"entire", "explain", "--no-pager"},
			"explain --checkpoint": {"entire", "explain", "--checkpoint", newest, "--no-pager"},
			"explain --commit":     {"entire", "explain", "--commit", "HEAD", "--no-pager"},
		}
	}
	beside := map[string]series{}
	for range l.reps {
		for i, r := range []*repo{young, old} {
			commit[i] = append(commit[i], r.linkedTurn())
		}
		for name, args := range lists(newest) {
			s[name] = append(s[name], l.measure(old.dir, nil, args...))
		}
		for name, args := range lists(few) {
			beside[name] = append(beside[name], l.measure(some.dir, nil, args...))
		}
	}
	size := thousands(l.checkpoints) + " checkpoints"
	l.times("commit, linked", size, commit[0], commit[1], median, 1, 8)
	for _, name := range []string{"rewind --list", "explain", "explain --commit", "explain --checkpoint"} {
		l.times(name+fmt.Sprintf(", beside %s", thousands(fewCheckpoints)), size, beside[name], s[name], median, 2, 0)
	}
}

// linkedTurn makes one turn of a new session and the commit that links it.
func (r *repo) linkedTurn() sample {
	k := r.newSession()
	k.prompt()
	k.edit(2, 1)
	k.say(10000)
	k.stop()
	s := r.commitLinked()
	k.end()
	return s
}

// history makes n commits linked to n checkpoints, in the format of docs/format.md, and returns the
// newest checkpoint's ID.
func (r *repo) history(n int) string {
	newest := ""
	r.fastImport(r.dir, func(w *stream) {
		w.commit("refs/heads/entire/checkpoints/v1", began, "Initialize metadata branch\n", "")
		for i := range n {
			newest = fmt.Sprintf("%012x", r.words.Uint64()&0xffffffffffff)
			r.oldCheckpoint(w, newest, began+100000+60*i)
			from := ""
			if i == 0 {
				from = "refs/heads/main^0"
			}
			w.commit("refs/heads/main", began+100000+60*i, fmt.Sprintf("Work %d\n\nEntire-Checkpoint: %s\n", i, newest), from)
			w.file(fmt.Sprintf("history/%d.txt", i%40), fmt.Sprintf("%d %s\n", i, r.words.sentence(8)))
		}
	})
	r.git("gc", "-q")
	r.git("reset", "-q", "--hard")
	return newest
}

func (r *repo) oldCheckpoint(w *stream, id string, when int) {
	dir := id[:2] + "/" + id[2:]
	sid := fmt.Sprintf("%s-0000-4000-8000-000000000000", id[:8])
	prompt := "Please " + r.words.sentence(9)
	transcript := fmt.Sprintf(`{"type":"user","uuid":"%s-a","sessionId":"%s","message":{"role":"user","content":"%s"}}`, id, sid, prompt) + "\n" +
		fmt.Sprintf(`{"type":"assistant","uuid":"%s-b","sessionId":"%s","message":{"id":"msg_%s","role":"assistant","content":[{"type":"text","text":"%s"}]}}`, id, sid, id, r.words.sentence(250)) + "\n"
	common := fmt.Sprintf(`"checkpoint_id":"%s","strategy":"manual-commit","branch":"main","checkpoints_count":1,"files_touched":["history/1.txt"]`, id)
	w.commit("refs/heads/entire/checkpoints/v1", when,
		fmt.Sprintf("Checkpoint: %s\n\nEntire-Session: %s\nEntire-Strategy: manual-commit\nEntire-Agent: Claude Code\n", id, sid), "")
	w.file(dir+"/metadata.json", fmt.Sprintf(`{%s,"sessions":[{"metadata":"/%[2]s/0/metadata.json","transcript":"/%[2]s/0/full.jsonl","context":"/%[2]s/0/context.md","content_hash":"","prompt":"/%[2]s/0/prompt.txt"}]}`, common, dir))
	w.file(dir+"/0/metadata.json", fmt.Sprintf(`{%s,"session_id":"%s","created_at":"2025-06-15T12:00:00Z","agent":"Claude Code"}`, common, sid))
	w.file(dir+"/0/full.jsonl", transcript)
	w.file(dir+"/0/prompt.txt", prompt)
	w.file(dir+"/0/context.md", "# Session Context\n\n## User Prompts\n\n### Prompt 1\n\n"+prompt+"\n")
}

// oldSessions measures a linked commit in a repository with the states of many sessions: as earlier
// hooks left them, and after all state files were replaced.
func oldSessions(l *lab) {
	young, old := l.repo(1000), l.repo(1000)
	old.grow(l.sessions)
	old.linkedTurn()
	var warm, cold [2]series
	for range l.reps {
		for i, r := range []*repo{young, old} {
			warm[i] = append(warm[i], r.linkedTurn())
		}
		for i, r := range []*repo{young, old} {
			k := r.newSession()
			k.prompt()
			k.edit(2, 1)
			k.say(10000)
			k.stop()
			r.renewStates()
			cold[i] = append(cold[i], r.commitLinked())
			k.end()
		}
	}
	size := thousands(l.sessions) + " sessions"
	l.times("commit, linked, warm", size, warm[0], warm[1], median, 1, 6)
	l.times("commit, linked, cold", size, cold[0], cold[1], median, 1, 15)
}

func (r *repo) states() string { return filepath.Join(r.dir, ".git", "entire-sessions") }

// grow makes n old sessions: one that has ended, one that has not, and one whose work was committed without hooks. The
// others are renamed copies of the first two.
func (r *repo) grow(n int) {
	var made []string
	for i := range 3 {
		k := r.newSession()
		k.prompt()
		k.edit(2, 1)
		k.say(20000)
		k.stop()
		if i < 2 { // condensed
			r.commitLinked()
		} else { // its steps stay on the shadow branch
			r.commitPlain()
		}
		if i == 0 {
			k.end()
		}
		made = append(made, k.id)
	}
	for i := 3; i < n && r.ok(); i++ {
		from := made[i%2]
		r.copyState(from, fmt.Sprintf("%08x%s", i, from[8:]))
	}
}

func (r *repo) copyState(from, to string) {
	paths, err := filepath.Glob(filepath.Join(r.states(), from+"*"))
	r.check(err)
	for _, path := range paths {
		fi, err := os.Stat(path)
		if !r.check(err) || strings.HasSuffix(path, ".lock") {
			continue
		}
		if fi.IsDir() {
			inner, err := filepath.Glob(filepath.Join(path, "*"))
			r.check(err)
			for _, file := range inner {
				r.write(strings.ReplaceAll(file, from, to), []byte(strings.ReplaceAll(string(r.read(file)), from, to)))
			}
			continue
		}
		r.write(strings.ReplaceAll(path, from, to), []byte(strings.ReplaceAll(string(r.read(path)), from, to)))
	}
}

// renewStates gives every state file another inode, as restoring a backup does.
func (r *repo) renewStates() {
	paths, err := filepath.Glob(filepath.Join(r.states(), "*.json"))
	r.check(err)
	for _, path := range paths {
		r.replace(path)
	}
}
