package conversation_test

import (
	"testing"
	"time"

	"entire/agent"
	"entire/agent/conversation"
)

// What a call says of a commit decides whether the agent made it.
func TestCommitCallMade(t *testing.T) {
	t.Parallel()
	const oid = "1234567890abcdef1234567890abcdef12345678"
	at := time.Date(2026, 11, 24, 9, 0, 10, 0, time.UTC)
	for _, row := range []struct {
		name, command, output, subject string
		began, ended                   time.Time
		want                           bool
	}{
		{"its subject", "git add -A && git commit -q -m 'Add farewell' && git log --oneline -1", "", "Add farewell", time.Time{}, time.Time{}, true},
		{"several messages", `git commit -m "Add farewell" -m "more"`, "", "Add farewell", time.Time{}, time.Time{}, true},
		{"-am", "git commit -qam 'Add farewell'", "", "Add farewell", time.Time{}, time.Time{}, true},
		{"--message=", "git -C sub -c core.hooksPath= commit --message='Add farewell\n\nbody'", "", "Add farewell", time.Time{}, time.Time{}, true},
		{"in a login shell", `bash -lc "git commit -m 'Add farewell'"`, "", "Add farewell", time.Time{}, time.Time{}, true},
		{"with variables", `GIT_AUTHOR_NAME=x env -i PATH=/bin git commit -m "Add farewell"`, "", "Add farewell", time.Time{}, time.Time{}, true},
		{"a here-document", "git commit -m \"$(cat <<'EOF'\nAdd farewell\n\nbody\nEOF\n)\"", "", "Add farewell", time.Time{}, time.Time{}, true},
		{"git's output", "make release", "[main 1234567] Release\n 1 file changed\n", "Release", time.Time{}, time.Time{}, true},
		{"git's output, a first commit", "./save", "[main (root-commit) 1234567] Release\n", "Release", time.Time{}, time.Time{}, true},
		{"a message from a file, at that time", "git commit -q -F msg", "", "Add farewell", at.Add(-time.Second), at.Add(time.Second), true},
		{"a message from a file, at another time", "git commit -q -F msg", "", "Add farewell", at.Add(time.Second), at.Add(time.Minute), false},
		{"another subject, at that time", "git commit -q -m 'Add greeting'", "", "Add farewell", at.Add(-time.Second), at.Add(time.Second), false},
		{"another commit in git's output", "git commit -m 'Add greeting'", "[main 7654321] Add greeting", "Add farewell", time.Time{}, time.Time{}, false},
		{"only looked for", "git log --grep 'commit' --grep 'Add farewell'", "1234567 Add farewell", "Add farewell", at.Add(-time.Second), at.Add(time.Second), false},
		{"only said", "echo git commit -m 'Add farewell'", "", "Add farewell", at.Add(-time.Second), at.Add(time.Second), false},
		{"nothing", "ls", "", "Add farewell", at.Add(-time.Second), at.Add(time.Second), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			call := conversation.Passage{Kind: conversation.CallPassage, Call: agent.ToolUse{ID: "c1", Name: "Bash"}, Command: row.command, Time: row.began}
			got := false
			for _, c := range conversation.CommitCalls([]conversation.Passage{call, {Kind: conversation.ResultPassage, CallID: "c1", Text: row.output, Time: row.ended}}) {
				got = got || c.Made(oid, row.subject, at)
			}
			if got != row.want {
				t.Errorf("made: %v, want %v", got, row.want)
			}
		})
	}
}

// Gemini writes a call with its result, and says when each was.
func TestCommitCallOfGemini(t *testing.T) {
	t.Parallel()
	calls := conversation.CommitCalls(conversation.Passages(agent.AgentTypeGemini, []byte(`{"id":"m","timestamp":"2026-11-24T09:07:43.917Z","type":"gemini","content":"","toolCalls":[{"id":"c","name":"run_shell_command",`+
		`"args":{"command":"git commit -q -F - <msg"},"result":[{"functionResponse":{"response":{"output":"ok"}}}],"status":"success","timestamp":"2026-11-24T09:07:45.275Z"}]}`+"\n")))
	if len(calls) != 1 {
		t.Fatalf("calls: %+v", calls)
	}
	at := time.Date(2026, 11, 24, 9, 7, 44, 0, time.UTC)
	if !calls[0].Made("abc", "Add farewell", at) || calls[0].Made("abc", "Add farewell", at.Add(5*time.Second)) {
		t.Errorf("its time decides nothing: %+v", calls[0])
	}
}
