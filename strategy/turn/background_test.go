package turn_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/session"
	"entire/strategy/internal/enginetest"
)

// TestBackgroundSubagent: Stop comes while it works, then its own end, then a notification.
func TestBackgroundSubagent(t *testing.T) {
	t.Parallel()
	for _, hooksOfOld := range []bool{false, true} {
		t.Run(fmt.Sprintf("without the hooks of subagents: %v", hooksOfOld), func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Prompt("s1", "let a helper write")
			w.Write("main.txt", "by the main agent\n")
			w.Launch("s1", "toolu_1", "h1")
			w.StopBeside("s1", "h1")
			if st := w.State("s1"); st.Phase != session.PhaseActive {
				t.Errorf("while the subagent works the session is %s", st.Phase)
			}
			w.SubagentWrites("s1", "h1", "notes.txt", "notes of the helper\nand a second line\n")
			if !hooksOfOld {
				w.SubagentStop("s1", "h1")
				if st := w.State("s1"); st.Phase != session.PhaseIdle {
					t.Errorf("when it has ended the session is %s", st.Phase)
				}
			}
			w.Notified("s1", "toolu_1", "h1")
			if st := w.State("s1"); st.Phase != session.PhaseIdle {
				t.Errorf("at the end the session is %s", st.Phase)
			}
			if n := w.Turns("s1"); n != 1 {
				t.Errorf("it is at turn %d", n)
			}
			var tasks, own []string
			for _, p := range w.Points() {
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
			cp := w.GitCommit("-m", "by hand")
			if cp == "" {
				t.Fatal("not linked")
			}
			if got := strings.Join(w.Slots(cp)["s1"], " "); got != "main.txt notes.txt" {
				t.Errorf("files: %q", got)
			}
			w.Metadata(cp, "0/tasks/toolu_1/agent-h1.jsonl")
			if got := w.Metadata(cp, "0/prompt.txt"); got != "let a helper write" {
				t.Errorf("prompts: %q", got)
			}
			w.WantTold(cp, "s1", "3/0/0/0/3")
			if got := w.Calls(cp, "notes.txt"); got != "s1:toolu_h1_0 s1:toolu_h1_0" {
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
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Tty = true
	w.Turn("s1", "let a helper write", func() { w.Launch("s1", "toolu_1", "h1") })
	w.Event(agent.TurnContinues, "s1", nil)
	w.Launch("s1", "toolu_2", "h2")
	w.StopBeside("s1", "h2")
	w.Write("mine.txt", "my own words, first\nand second\n")
	w.SubagentWrites("s1", "h2", "notes.txt", "notes of the helper\nand a second line\n")
	w.SubagentCalls("s1", "h2", "Bash", map[string]any{"command": "echo 'by its shell' >> notes.txt"})
	w.Write("notes.txt", w.Read("notes.txt")+"by its shell\n")
	w.Git("add", "mine.txt")
	if cp := w.CommitByPerson("-m", "my own"); cp != "" {
		t.Errorf("a person's file is linked: %s", cp)
	}
	w.Git("add", "-A")
	cp := w.CommitByPerson("-m", "notes of the helper")
	if cp == "" {
		t.Fatal("not linked")
	}
	w.WantTold(cp, "s1", "3/0/0/0/3")
	w.Metadata(cp, "0/tasks/toolu_2/agent-h2.jsonl")
	w.SubagentWrites("s1", "h2", "notes.txt", w.Read("notes.txt")+"and one line more\n")
	w.SubagentStop("s1", "h2")
	w.Notified("s1", "toolu_2", "h2")
	cp = w.CommitByPerson("-a", "-m", "the rest")
	if cp == "" {
		t.Fatal("the rest is not linked")
	}
	w.WantTold(cp, "s1", "1/0/0/0/1")
	w.Metadata(cp, "0/tasks/toolu_2/agent-h2.jsonl")
}

// TestPromptBesideABackgroundSubagent: the next prompt comes before the subagent has ended.
func TestPromptBesideABackgroundSubagent(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Tty = true
	w.Prompt("s1", "let a helper write")
	w.Launch("s1", "toolu_1", "h1")
	w.StopBeside("s1", "h1")
	w.SubagentWrites("s1", "h1", "notes.txt", "notes of the helper\n")
	w.Prompt("s1", "and now this")
	w.Writes("s1", "t2", "main.txt", "by the main agent\n")
	w.StopBeside("s1", "h1")
	w.SubagentWrites("s1", "h1", "more.txt", "more of the helper\n")
	w.SubagentStop("s1", "h1")
	w.Notified("s1", "toolu_1", "h1")
	if n := w.Turns("s1"); n != 2 {
		t.Errorf("it is at turn %d", n)
	}
	w.Git("add", "-A")
	cp := w.CommitByPerson("-m", "all")
	w.WantTold(cp, "s1", "3/0/0/0/3")
	if got := w.Metadata(cp, "0/prompt.txt"); got != "let a helper write\n\n---\n\nand now this" {
		t.Errorf("prompts: %q", got)
	}
}

// TestPersonBesideABackgroundSubagent: only what the subagent's own calls tell of is its
// own, however much the main conversation ran before.
func TestPersonBesideABackgroundSubagent(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Tty = true
	w.Prompt("s1", "let a helper write")
	w.Launch("s1", "toolu_1", "h1")
	w.RanShell("s1", func() { w.Write("built.txt", "by make\n") })
	w.StopBeside("s1", "h1")
	w.Write("mine.txt", "my own words, first\nand second\n")
	w.SubagentWrites("s1", "h1", "notes.txt", "notes of the helper\n")
	w.SubagentCalls("s1", "h1", "Bash", map[string]any{"command": "cat notes.txt && echo 'by its shell' >> notes.txt"})
	w.Write("notes.txt", "notes of the helper\nby its shell\n")
	w.SubagentStop("s1", "h1")
	w.Notified("s1", "toolu_1", "h1")
	w.Git("add", "mine.txt")
	if cp := w.CommitByPerson("-m", "my own"); cp != "" {
		t.Errorf("a person's file is linked: %s, owners %s", cp, w.Calls(cp, "mine.txt"))
	}
	w.Git("add", "-A")
	w.WantTold(w.CommitByPerson("-m", "theirs"), "s1", "3/0/0/0/3")
}

// TestSubagentWhoseTranscriptIsLate: Claude Code writes a transcript some 100 ms after the call. Without
// the subagent's last text, its file would count as the person's beside it.
func TestSubagentWhoseTranscriptIsLate(t *testing.T) {
	t.Parallel()
	for range 50 {
		if subagentWrites100msLate(t) {
			return
		}
	}
	t.Skip("this machine never gets round to writing a file within half a second")
}

// subagentWrites100msLate is false where the transcript was so late, on a busy machine, that a hook does not wait for it.
func subagentWrites100msLate(t *testing.T) bool {
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Tty = true
	w.Prompt("s1", "let a helper write")
	w.Launch("s1", "toolu_1", "h1")
	w.SubagentCalls("s1", "h1", "Read", map[string]any{"file_path": "a.txt"})
	w.StopBeside("s1", "h1")
	w.Write("mine.txt", "my own words, first\nand second\n")
	w.Write("notes.txt", "# Side\nwritten late\n")
	written := make(chan time.Time, 1)
	go func() {
		time.Sleep(80 * time.Millisecond)
		w.SubagentCalls("s1", "h1", "Write", map[string]any{"file_path": filepath.Join(w.Dir, "notes.txt"), "content": "# Side\nwritten late\n"})
		w.SubagentSays("s1", "h1", "The notes are written.")
		written <- time.Now()
	}()
	ended := time.Now()
	w.Event(agent.TaskEnd, "s1", func(ev *agent.Event) { ev.AgentID, ev.Answer = "h1", "The notes are written." })
	if at := <-written; at.Sub(ended) > 400*time.Millisecond {
		return false
	}
	w.Notified("s1", "toolu_1", "h1")
	w.Git("add", "mine.txt")
	if cp := w.CommitByPerson("-m", "my own"); cp != "" {
		t.Errorf("a person's file is linked: %s, owners %s", cp, w.Calls(cp, "mine.txt"))
	}
	w.Git("add", "-A")
	w.WantTold(w.CommitByPerson("-m", "theirs"), "s1", "2/0/0/0/2")
	return true
}

// TestSubagentIsAskedAgain: a message to one that has ended begins it anew, at its task.
func TestSubagentIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "let a helper write")
	w.Launch("s1", "toolu_1", "h1")
	w.SubagentWrites("s1", "h1", "one.txt", "one of the helper\n")
	w.SubagentStop("s1", "h1")
	w.Event(agent.TaskEnd, "s1", func(ev *agent.Event) { ev.AgentID = "stranger" }) // as of a compaction
	w.Event(agent.TaskStart, "s1", func(ev *agent.Event) { ev.AgentID = "h1" })
	w.StopBeside("s1", "h1")
	w.SubagentWrites("s1", "h1", "two.txt", "two of the helper\n")
	w.SubagentStop("s1", "h1")
	w.Notified("s1", "toolu_1", "h1")
	tasks := 0
	for _, p := range w.Points() {
		if p.IsTaskCheckpoint && p.ToolUseID == "toolu_1" {
			tasks++
		}
	}
	if tasks != 2 {
		t.Errorf("%d steps of the task: %+v", tasks, w.Points())
	}
	w.Git("add", "-A")
	w.WantTold(w.GitCommit("-m", "all"), "s1", "2/0/0/0/2")
}
