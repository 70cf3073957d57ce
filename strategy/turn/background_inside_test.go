package turn_test

import (
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/opencode"
	"entire/session"
	"entire/strategy/internal/enginetest"
)

// TestBackgroundSubagentInsideTheTranscript: a subagent whose messages the event of its end brings, with those of its
// session.
func TestBackgroundSubagentInsideTheTranscript(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	var lines []string
	say := func(role, name, parts, more string) {
		lines = append(lines, `{"session":"s1"`+more+`,"info":{"id":"`+name+`","role":"`+role+`"},"parts":[`+parts+`]}`+"\n")
	}
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	write := func(call, file, content string) string {
		return `{"type":"tool","callID":"` + call + `","tool":"write","state":{"status":"completed","input":{"filePath":"` + w.Path(file) + `","content":"` + content + `"}}}`
	}
	hear := func(kind agent.EventType, fill func(*agent.Event)) {
		w.Event(kind, "s1", func(ev *agent.Event) {
			ev.Agent, ev.AgentType, ev.TranscriptPath = opencode.AgentNameKilo, opencode.AgentTypeKilo, ""
			ev.Lines = []byte(strings.Join(lines, ""))
			fill(ev)
		})
	}
	hear(agent.TurnStart, func(ev *agent.Event) { ev.Prompt, ev.Lines = "let a helper write", []byte{} })
	say("user", "m1", text("let a helper write"), "")
	w.Write("main.txt", "by the main agent\n")
	say("assistant", "m2", write("c1", "main.txt", `by the main agent\n`), "")
	hear(agent.TurnEnd, func(ev *agent.Event) { ev.BackgroundTasks = []string{"h1"} })
	if got := w.State("s1").Phase; got != session.PhaseActive {
		t.Errorf("while the subagent works the session is %s", got)
	}
	w.Write("mine.txt", "a line of the person\n")
	w.Write("notes.txt", "notes of the helper\n")
	say("user", "m3", text("write notes"), `,"subagent":"h1"`)
	say("assistant", "m4", write("c2", "notes.txt", `notes of the helper\n`), `,"subagent":"h1"`)
	hear(agent.TaskEnd, func(ev *agent.Event) { ev.AgentID, ev.OwnSession, ev.Partial = "h1", true, true })
	if got := w.State("s1").Phase; got != session.PhaseIdle {
		t.Errorf("when it has ended the session is %s", got)
	}
	hear(agent.TurnContinues, func(ev *agent.Event) { ev.Lines = nil })
	say("assistant", "m5", text("The notes are there."), "")
	hear(agent.TurnEnd, func(ev *agent.Event) { ev.BackgroundTasks, ev.Partial = []string{}, true })
	if n := w.Turns("s1"); n != 1 {
		t.Errorf("it is at turn %d", n)
	}
	w.Git("add", "-A")
	cp := w.GitCommit("-m", "by hand")
	if got := w.Calls(cp, "notes.txt"); got != "s1:c2" {
		t.Errorf("calls: %s", got)
	}
	if got := strings.Join(w.Slots(cp)["s1"], " "); got != "main.txt notes.txt" {
		t.Errorf("files: %q", got)
	}
	w.WantTold(cp, "s1", "2/1/0/0/3")
}
