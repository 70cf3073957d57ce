package walk

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// pick is one of the three sessions; the third works in the linked worktree.
func (w *walk) pick(rng *rand.Rand) *sess { return w.sessions[rng.IntN(len(w.sessions))] }

// hook calls a hook of the agent's. It must leave git's files alone.
func (w *walk) hook(s *sess, verb string, more map[string]any) {
	payload := map[string]any{"session_id": s.id, "transcript_path": s.transcript, "cwd": w.real.dir(s.wt)}
	for k, v := range more {
		payload[k] = v
	}
	data, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	w.note("%s %s", s.id[:2], verb)
	out := w.entire(s.wt, string(data), "hooks", "claude-code", verb)
	if out.code != 0 || (out.out != "" && verb != "session-start") {
		w.fail("hook", "%s: exit %d, says %q", verb, out.code, out.out)
	}
}

// entire runs a command of ours, which must not touch git's files.
func (w *walk) entire(wt int, stdin string, args ...string) outcome {
	before := w.gitFiles(wt)
	out, err := w.real.run(command{wt: wt, stdin: stdin, args: append([]string{binary}, args...)})
	if err != nil {
		panic(failure{"run", err.Error()})
	}
	if after := w.gitFiles(wt); after != before {
		w.fail("touched", "entire %v changed the index or HEAD", args)
	}
	return out
}

func (w *walk) gitFiles(wt int) string {
	index, _ := os.ReadFile(filepath.Join(w.real.gitDir(wt), "index"))
	head, _ := os.ReadFile(filepath.Join(w.real.gitDir(wt), "HEAD"))
	return string(index) + string(head)
}

// say appends a line to the session's transcript.
func (w *walk) say(s *sess, kind string, message map[string]any) {
	s.number++
	message["role"] = kind
	line, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("%08d-2222-4222-8333-%012d", s.number, s.turns),
		"sessionId": s.id, "message": message})
	if err != nil {
		panic(err)
	}
	if err := os.MkdirAll(filepath.Dir(s.transcript), 0o755); err != nil {
		panic(failure{"write", err.Error()})
	}
	f, err := os.OpenFile(s.transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err != nil {
		panic(failure{"write", err.Error()})
	}
	f.Close()
}

// call is a tool call in the transcript; done gives its result.
func (w *walk) call(s *sess, tool string, input map[string]any) (done func()) {
	id := fmt.Sprintf("toolu_%06d", s.number)
	w.say(s, "assistant", map[string]any{"id": "msg_" + id, "usage": map[string]any{"input_tokens": 3, "output_tokens": 20},
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}})
	return func() {
		w.say(s, "user", map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "ok"}}})
	}
}

func (w *walk) prompt(s *sess) {
	if s.phase == active { // it was interrupted
		s.turnClosed(w.real.worktree(s.wt), w.headTree(s.wt))
	}
	s.turns++
	text := fmt.Sprintf("Change what turn %d is about", s.turns)
	w.hook(s, "user-prompt-submit", map[string]any{"prompt": text})
	w.finalised(s)
	w.say(s, "user", map[string]any{"content": text})
	if s.phase == active {
		w.listPoints(s.wt)
	}
	s.unheard = false
	s.phase, s.began, s.alone = active, w.real.worktree(s.wt), true
	s.looked = s.began
	for _, other := range w.sessions {
		if other != s && other.wt == s.wt && other.phase == active {
			s.alone, other.alone = false, false
		}
	}
	w.event(s.wt)
}

func (w *walk) stop(s *sess) {
	w.say(s, "assistant", map[string]any{"id": fmt.Sprintf("msg_end_%d", s.number), "content": []any{map[string]any{"type": "text", "text": "done"}}})
	w.hook(s, "stop", map[string]any{"stop_hook_active": false})
	w.closeTurn(s, idle)
	w.listPoints(s.wt)
}

// closeTurn is the end of a turn, and of what it left open.
func (w *walk) closeTurn(s *sess, next phase) {
	if s.phase == active {
		s.turnClosed(w.real.worktree(s.wt), w.headTree(s.wt))
	}
	s.phase = next
	w.event(s.wt)
	w.finalised(s)
}

// event is a moment at which entire looked at a worktree.
func (w *walk) event(wt int) {
	now, head := w.real.worktree(wt), w.headTree(wt)
	for _, s := range w.sessions {
		if s.wt == wt {
			s.missing(now, head)
		}
	}
}

// restored looks at a worktree after anything that was done in it.
func (w *walk) restored(wt int) {
	now := w.real.worktree(wt)
	for _, s := range w.sessions {
		if s.wt == wt {
			s.restored(now)
		}
	}
}

func (w *walk) agentEdit(s *sess, rng *rand.Rand) {
	for _, c := range w.change(s.wt, s.id[:2], rng) {
		told := rng.IntN(3) > 0 && c.now.mode == "644"
		if told {
			w.call(s, "Write", map[string]any{"file_path": filepath.Join(w.real.dir(s.wt), c.path), "content": c.now.text})()
		} else {
			w.call(s, "Bash", map[string]any{"command": "make " + c.path})()
		}
		for _, other := range w.sessions {
			if other.wt == s.wt { // what one agent replaces, another need not keep
				delete(other.kept, c.path)
				delete(other.left, c.path)
				other.over[c.path] = true
			}
		}
		s.edited(c.path, c.old, c.now, told)
	}
}

func (w *walk) turnOp(rng *rand.Rand) {
	s := w.pick(rng)
	w.prompt(s)
	for range 1 + rng.IntN(3) {
		w.agentEdit(s, rng)
	}
	w.stop(s)
}

func (w *walk) promptOp(rng *rand.Rand) { w.prompt(w.pick(rng)) }

func (w *walk) agentEditOp(rng *rand.Rand) {
	if s := w.atWork(rng); s != nil {
		w.agentEdit(s, rng)
	}
}

// atWork is one of the sessions in a turn, nil when there is none.
func (w *walk) atWork(rng *rand.Rand) *sess {
	var all []*sess
	for _, s := range w.sessions {
		if s.phase == active {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[rng.IntN(len(all))]
}

func (w *walk) stopOp(rng *rand.Rand) {
	if s := w.atWork(rng); s != nil {
		w.stop(s)
	}
}

// restartOp starts the agent's process, again if it was there.
func (w *walk) restartOp(rng *rand.Rand) {
	s := w.pick(rng)
	w.hook(s, "session-start", map[string]any{"source": []string{"startup", "resume"}[rng.IntN(2)]})
	if s.phase != unborn {
		w.closeTurn(s, idle)
		w.listPoints(s.wt)
	}
}

func (w *walk) endOp(rng *rand.Rand) {
	s := w.pick(rng)
	w.hook(s, "session-end", map[string]any{"reason": "exit"})
	if s.phase != unborn {
		w.closeTurn(s, ended)
		w.listPoints(s.wt)
	}
}

// taskOp is a subagent's run in a turn.
func (w *walk) taskOp(rng *rand.Rand) {
	s := w.atWork(rng)
	if s == nil {
		s = w.pick(rng)
		w.prompt(s)
	}
	task := map[string]any{"tool_name": "Task", "tool_use_id": fmt.Sprintf("toolu_task_%d", s.number),
		"tool_input": map[string]any{"subagent_type": "general-purpose", "description": "look around"}}
	w.hook(s, "pre-task", task)
	for range rng.IntN(3) {
		w.agentEdit(s, rng)
		w.hook(s, "post-todo", map[string]any{"tool_name": "TodoWrite", "tool_use_id": fmt.Sprintf("toolu_todo_%d", s.number),
			"tool_input": map[string]any{"todos": []any{map[string]any{"content": "part done", "status": "completed"}}}})
		w.listPoints(s.wt)
	}
	w.agentEdit(s, rng)
	task["tool_response"] = map[string]any{"agentId": "a1b2c3d4"}
	w.hook(s, "post-task", task)
	w.listPoints(s.wt)
}

// agentCommitOp is a commit that the agent makes with its shell in a turn.
func (w *walk) agentCommitOp(rng *rand.Rand) {
	s := w.atWork(rng)
	if s == nil {
		s = w.pick(rng)
		w.prompt(s)
	}
	for range rng.IntN(3) {
		w.agentEdit(s, rng)
	}
	done := w.call(s, "Bash", map[string]any{"command": "git commit"})
	c := w.commitCommand(s.wt)
	c.env = append(c.env, "ENTIRE_TEST_TTY=0")
	switch rng.IntN(3) {
	case 0:
		c.args = append(c.args, "-am", w.subject())
	case 1:
		w.git(s.wt, "add", "-A")
		c.args = append(c.args, "-m", w.subject())
	default:
		w.git(s.wt, "add", w.anyPath(s.wt, rng))
		c.args = append(c.args, "-m", strings.Join([]string{w.subject(), "", "Co-authored-by: An Agent <agent@example.com>"}, "\n"))
	}
	w.commits(c, hooked)
	done()
}
