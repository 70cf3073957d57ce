package strategy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/session"
)

// launch begins a subagent in the background, in the order of Claude Code's events.
func (w *world) launch(sid, use, aid string) {
	w.t.Helper()
	w.task(agent.TaskStart, sid, use, func(ev *agent.Event) { ev.SubagentType, ev.Description = "general-purpose", "Write "+aid })
	w.event(agent.TaskStart, sid, func(ev *agent.Event) { ev.AgentID, ev.SubagentType = aid, "general-purpose" })
	w.result(sid, use, aid)
	w.task(agent.TaskStart, sid, use, func(ev *agent.Event) {
		ev.AgentID, ev.SubagentType, ev.Description, ev.Launched = aid, "general-purpose", "Write "+aid, true
	})
}

// subagentWrites has a subagent write a file with a call of its own, below a prompt that
// stands in its transcript from the start.
func (w *world) subagentWrites(sid, aid, path, text string) {
	w.t.Helper()
	w.subagentCalls(sid, aid, "Write", map[string]any{"file_path": filepath.Join(w.Dir, path), "content": text})
	w.Write(path, text)
}

func (w *world) subagentCalls(sid, aid, tool string, input map[string]any) {
	w.t.Helper()
	file := filepath.Join(filepath.Dir(w.transcript(sid)), sid, "subagents", "agent-"+aid+".jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	had, _ := os.ReadFile(file)
	use := fmt.Sprintf("toolu_%s_%d", aid, strings.Count(string(had), "\n"))
	call, _ := json.Marshal(map[string]any{"type": "tool_use", "id": use, "name": tool, "input": input})
	line := fmt.Sprintf(`{"type":"assistant","uuid":"%[1]s","requestId":"r","isSidechain":true,"agentId":"%[2]s","message":{"id":"m%[1]s","role":"assistant","model":"claude-x","content":[%[3]s]}}
{"type":"user","uuid":"r%[1]s","isSidechain":true,"agentId":"%[2]s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%[1]s","content":"ok"}]}}
`, use, aid, call)
	if err := os.WriteFile(file, append(had, line...), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// stopBeside ends the main conversation's turn while subagents work.
func (w *world) stopBeside(sid string, running ...string) {
	w.t.Helper()
	w.say(sid, "assistant", "they are at work")
	w.event(agent.TurnEnd, sid, func(ev *agent.Event) { ev.AtWork = append([]string{}, running...) })
}

func (w *world) subagentStop(sid, aid string) {
	w.t.Helper()
	w.event(agent.TaskEnd, sid, func(ev *agent.Event) { ev.AgentID, ev.SubagentType = aid, "general-purpose" })
}

// notified is the agent's program telling it that a subagent has ended, and the answer.
func (w *world) notified(sid, use, aid string) {
	w.t.Helper()
	text := "<task-notification>\n<task-id>" + aid + "</task-id>\n<tool-use-id>" + use + "</tool-use-id>\n<status>completed</status>\n</task-notification>"
	w.event(agent.TurnGoesOn, sid, func(ev *agent.Event) { ev.Ended = []string{aid} })
	w.say(sid, "user", text)
	w.stopBeside(sid)
}

func (w *world) turns(sid string) int {
	w.t.Helper()
	o := &open{id: sessionID(w.t, sid)}
	if err := w.engine().readSession(w.ctx, o); err != nil {
		w.t.Fatal(err)
	}
	return o.side.Turns
}

// TestBackgroundSubagent: Stop comes while it works, then its own end, then a notification.
func TestBackgroundSubagent(t *testing.T) {
	t.Parallel()
	for _, hooksOfOld := range []bool{false, true} {
		t.Run(fmt.Sprintf("without the hooks of subagents: %v", hooksOfOld), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sourceFiles()).hooked()
			w.prompt("s1", "let a helper write")
			w.Write("main.txt", "by the main agent\n")
			w.launch("s1", "toolu_1", "h1")
			w.stopBeside("s1", "h1")
			if st := w.state("s1"); st.Phase != session.PhaseActive {
				t.Errorf("while the subagent works the session is %s", st.Phase)
			}
			w.subagentWrites("s1", "h1", "notes.txt", "notes of the helper\nand a second line\n")
			if !hooksOfOld {
				w.subagentStop("s1", "h1")
				if st := w.state("s1"); st.Phase != session.PhaseIdle {
					t.Errorf("when it has ended the session is %s", st.Phase)
				}
			}
			w.notified("s1", "toolu_1", "h1")
			if st := w.state("s1"); st.Phase != session.PhaseIdle {
				t.Errorf("at the end the session is %s", st.Phase)
			}
			if n := w.turns("s1"); n != 1 {
				t.Errorf("it is at turn %d", n)
			}
			var tasks, own []string
			for _, p := range w.points() {
				if p.IsTaskCheckpoint {
					tasks = append(tasks, p.ToolUseID+" "+p.Message)
				} else {
					own = append(own, p.Message)
				}
			}
			if len(tasks) != 1 || !strings.HasPrefix(tasks[0], "toolu_1 ") || !strings.Contains(tasks[0], "Write h1") {
				t.Errorf("tasks: %q", tasks)
			}
			if len(own) != 1 || own[0] != "Let a helper write" {
				t.Errorf("steps of the turn: %q", own)
			}
			w.Git("add", "-A")
			cp := w.gitCommit("-m", "by hand")
			if cp == "" {
				t.Fatal("not linked")
			}
			if got := strings.Join(w.slots(cp)["s1"], " "); got != "main.txt notes.txt" {
				t.Errorf("files: %q", got)
			}
			w.metadata(cp, "0/tasks/toolu_1/agent-h1.jsonl")
			if got := w.metadata(cp, "0/prompt.txt"); got != "let a helper write" {
				t.Errorf("prompts: %q", got)
			}
			w.wantTold(cp, "s1", "3/0/0/0/3")
			if got := w.calls(cp, "notes.txt"); got != "s1:toolu_h1_0 s1:toolu_h1_0" {
				t.Errorf("calls: %s", got)
			}
			w.Fsck()
		})
	}
}

// TestCommitBesideABackgroundSubagent: what it has written by then is its own and linked,
// and what a person wrote is not.
func TestCommitBesideABackgroundSubagent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.tty = true
	w.turn("s1", "let a helper write", func() { w.launch("s1", "toolu_1", "h1") })
	w.event(agent.TurnGoesOn, "s1", nil)
	w.launch("s1", "toolu_2", "h2")
	w.stopBeside("s1", "h2")
	w.Write("mine.txt", "my own words, first\nand second\n")
	w.subagentWrites("s1", "h2", "notes.txt", "notes of the helper\nand a second line\n")
	w.subagentCalls("s1", "h2", "Bash", map[string]any{"command": "echo 'by its shell' >> notes.txt"})
	w.Write("notes.txt", w.Read("notes.txt")+"by its shell\n")
	w.Git("add", "mine.txt")
	if cp := w.commitByPerson("-m", "my own"); cp != "" {
		t.Errorf("a person's file is linked: %s", cp)
	}
	w.Git("add", "-A")
	cp := w.commitByPerson("-m", "notes of the helper")
	if cp == "" {
		t.Fatal("not linked")
	}
	w.wantTold(cp, "s1", "3/0/0/0/3")
	w.metadata(cp, "0/tasks/toolu_2/agent-h2.jsonl")
	w.subagentWrites("s1", "h2", "notes.txt", w.Read("notes.txt")+"and one line more\n")
	w.subagentStop("s1", "h2")
	w.notified("s1", "toolu_2", "h2")
	cp = w.commitByPerson("-a", "-m", "the rest")
	if cp == "" {
		t.Fatal("the rest is not linked")
	}
	w.wantTold(cp, "s1", "1/0/0/0/1")
	w.metadata(cp, "0/tasks/toolu_2/agent-h2.jsonl")
}

// TestPromptBesideABackgroundSubagent: the next prompt comes before the subagent has ended.
func TestPromptBesideABackgroundSubagent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.tty = true
	w.prompt("s1", "let a helper write")
	w.launch("s1", "toolu_1", "h1")
	w.stopBeside("s1", "h1")
	w.subagentWrites("s1", "h1", "notes.txt", "notes of the helper\n")
	w.prompt("s1", "and now this")
	w.writes("s1", "t2", "main.txt", "by the main agent\n")
	w.stopBeside("s1", "h1")
	w.subagentWrites("s1", "h1", "more.txt", "more of the helper\n")
	w.subagentStop("s1", "h1")
	w.notified("s1", "toolu_1", "h1")
	if n := w.turns("s1"); n != 2 {
		t.Errorf("it is at turn %d", n)
	}
	w.Git("add", "-A")
	cp := w.commitByPerson("-m", "all")
	w.wantTold(cp, "s1", "3/0/0/0/3")
	if got := w.metadata(cp, "0/prompt.txt"); got != "let a helper write\n\n---\n\nand now this" {
		t.Errorf("prompts: %q", got)
	}
}

// TestPersonBesideABackgroundSubagent: only what the subagent's own calls tell of is its
// own, however much the main conversation ran before.
func TestPersonBesideABackgroundSubagent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.tty = true
	w.prompt("s1", "let a helper write")
	w.launch("s1", "toolu_1", "h1")
	w.ranShell("s1", func() { w.Write("built.txt", "by make\n") })
	w.stopBeside("s1", "h1")
	w.Write("mine.txt", "my own words, first\nand second\n")
	w.subagentWrites("s1", "h1", "notes.txt", "notes of the helper\n")
	w.subagentCalls("s1", "h1", "Bash", map[string]any{"command": "cat notes.txt && echo 'by its shell' >> notes.txt"})
	w.Write("notes.txt", "notes of the helper\nby its shell\n")
	w.subagentStop("s1", "h1")
	w.notified("s1", "toolu_1", "h1")
	w.Git("add", "mine.txt")
	if cp := w.commitByPerson("-m", "my own"); cp != "" {
		t.Errorf("a person's file is linked: %s, owners %s", cp, w.calls(cp, "mine.txt"))
	}
	w.Git("add", "-A")
	w.wantTold(w.commitByPerson("-m", "theirs"), "s1", "3/0/0/0/3")
}

// TestSubagentIsAskedAgain: a message to one that has ended begins it anew, at its task.
func TestSubagentIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s1", "let a helper write")
	w.launch("s1", "toolu_1", "h1")
	w.subagentWrites("s1", "h1", "one.txt", "one of the helper\n")
	w.subagentStop("s1", "h1")
	w.event(agent.TaskEnd, "s1", func(ev *agent.Event) { ev.AgentID = "stranger" }) // as of a compaction
	w.event(agent.TaskStart, "s1", func(ev *agent.Event) { ev.AgentID = "h1" })
	w.stopBeside("s1", "h1")
	w.subagentWrites("s1", "h1", "two.txt", "two of the helper\n")
	w.subagentStop("s1", "h1")
	w.notified("s1", "toolu_1", "h1")
	tasks := 0
	for _, p := range w.points() {
		if p.IsTaskCheckpoint && p.ToolUseID == "toolu_1" {
			tasks++
		}
	}
	if tasks != 2 {
		t.Errorf("%d steps of the task: %+v", tasks, w.points())
	}
	w.Git("add", "-A")
	w.wantTold(w.gitCommit("-m", "all"), "s1", "2/0/0/0/2")
}
