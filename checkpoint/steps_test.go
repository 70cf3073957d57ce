package checkpoint

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
)

func session(s string) id.SessionID {
	v, err := id.ParseSessionID(s)
	if err != nil {
		panic(err)
	}
	return v
}

func TestStepMessage(t *testing.T) {
	t.Parallel()
	base := git.MustOID(strings.Repeat("ab", 20))
	target := git.MustOID(strings.Repeat("cd", 32))
	pos := TranscriptPosition{Offset: 12, Prefix: "00112233445566ff"}
	for _, tt := range []struct {
		name string
		step Step
		want string
	}{
		{"agent", Step{Kind: StepAgent, Subject: "Add x", Session: session("s1"), Base: base, Transcript: pos},
			"Add x\n\nEntire-Metadata: .entire/metadata/s1\nEntire-Session: s1\nEntire-Strategy: manual-commit\nEntire-Base: " +
				base.String() + "\nEntire-Transcript-Offset: 12 00112233445566ff\n"},
		{"agent, bare", Step{Kind: StepAgent, Subject: "Add x", Session: session("s1")},
			"Add x\n\nEntire-Metadata: .entire/metadata/s1\nEntire-Session: s1\nEntire-Strategy: manual-commit\n"},
		{"task", Step{Kind: StepTask, Subject: "Task: toolu", Session: session("s1"), ToolUseID: "toolu_1"},
			"Task: toolu\n\nEntire-Metadata-Task: .entire/metadata/s1/tasks/toolu_1\nEntire-Session: s1\nEntire-Strategy: manual-commit\n"},
		{"human", Step{Kind: StepHuman, Subject: "changes", Session: session("s1"), Base: base},
			"changes\n\nEntire-Step: human\nEntire-Step-Session: s1\nEntire-Base: " + base.String() + "\n"},
		{"rewind", Step{Kind: StepRewind, Subject: "back", Session: session("s1"), Target: target},
			"back\n\nEntire-Step: rewind\nEntire-Step-Session: s1\nEntire-Step-Target: " + target.String() + "\n"},
		{"carry forward", Step{Kind: StepCarryForward, Subject: CarryForwardSubject, Session: session("s1"), Others: []id.SessionID{session("s2")}},
			"carry forward: uncommitted session files\n\nEntire-Step: carry-forward\nEntire-Session: s1\nEntire-Session: s2\nEntire-Strategy: manual-commit\n"},
		{"hostile subject", Step{Kind: StepHuman, Subject: "x\n\nEntire-Session: evil\x00", Session: session("s1")},
			"x Entire-Session : evil\n\nEntire-Step: human\nEntire-Step-Session: s1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := StepMessage(tt.step)
			if got != tt.want {
				t.Fatalf("got  %q\nwant %q", got, tt.want)
			}
			info := ParseStep(got)
			if info.Kind != tt.step.Kind || info.Base != tt.step.Base || info.Target != tt.step.Target || info.Transcript != tt.step.Transcript ||
				info.ToolUseID != tt.step.ToolUseID || !reflect.DeepEqual(info.Sessions, append([]id.SessionID{tt.step.Session}, tt.step.Others...)) {
				t.Errorf("read back as %+v", info)
			}
		})
	}
}

func TestParseStepOfOtherTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, msg string
		want      StepInfo
	}{
		{"session step", "Fix it\n\nEntire-Metadata: .entire/metadata/2026-01-26-5dd7775c\nEntire-Session: 2026-01-26-5dd7775c\nEntire-Strategy: manual-commit\n",
			StepInfo{StepContext: StepContext{Why: WhyTurnEnd}, Kind: StepAgent, Subject: "Fix it", RawSession: "2026-01-26-5dd7775c", MetadataDir: ".entire/metadata/2026-01-26-5dd7775c", Strategy: "manual-commit"}},
		{"carry forward with an empty trailer", CarryForwardSubject + "\n\nEntire-Metadata: \nEntire-Session: s1\nEntire-Strategy: manual-commit\n",
			StepInfo{StepContext: StepContext{Why: WhyCommit}, Kind: StepCarryForward, Subject: CarryForwardSubject, RawSession: "s1", Strategy: "manual-commit"}},
		{"hostile values", "x\n\nEntire-Metadata: ../../etc\nEntire-Session: ../x\n",
			StepInfo{StepContext: StepContext{Why: WhyTurnEnd}, Kind: StepAgent, Subject: "x", RawSession: "../x"}},
		{"a position whose digest is too long", "x\n\n" + TrailerTranscriptOffset + ": 12 " + strings.Repeat("a", 66) + "\nEntire-Session: s1\n",
			StepInfo{StepContext: StepContext{Why: WhyTurnEnd}, Kind: StepAgent, Subject: "x", RawSession: "s1"}},
		{"nothing of ours", "Initial commit", StepInfo{Subject: "Initial commit"}},
		{"nothing", "", StepInfo{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ParseStep(tt.msg)
			got.Session, got.Sessions = id.SessionID{}, nil
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestStepSubject(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ prompt, want string }{
		{"Can you please add tests?", "Add tests"},
		{"I'd like you to fix\nthe bug", "Fix the bug"},
		{"übersetze das", "Übersetze das"},
		{"  ", "Gemini CLI session updates"},
		{"please ?", "Gemini CLI session updates"},
		{strings.Repeat("é", 100), strings.ToUpper("é") + strings.Repeat("é", 71)},
	} {
		if got := StepSubject(tt.prompt, agent.AgentTypeGemini); got != tt.want {
			t.Errorf("StepSubject(%q) = %q, want %q", tt.prompt, got, tt.want)
		}
	}
}

func TestTaskSubjects(t *testing.T) {
	t.Parallel()
	const use = "toolu_0123456789"
	long := strings.Repeat("é", 40)
	for _, tt := range []struct{ got, want string }{
		{TaskSubject("", "", use), "Task: toolu_012345"},
		{TaskSubject("dev", "", use), "Completed 'dev' agent (toolu_012345)"},
		{TaskSubject("", "do it", use), "Completed agent: do it (toolu_012345)"},
		{TaskSubject("dev", "do it", use), "Completed 'dev' agent: do it (toolu_012345)"},
		{IncrementalSubject("step one", 2, use), "step one (toolu_012345)"},
		{IncrementalSubject("", 2, use), "Checkpoint #2: toolu_012345"},
		{IncrementalSubject(long, 2, "t"), strings.Repeat("é", 28) + "... (t)"},
	} {
		if tt.got != tt.want || !utf8.ValidString(tt.got) {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestContextMarkdown(t *testing.T) {
	t.Parallel()
	if got := ContextMarkdown(nil); got != "" {
		t.Errorf("no prompts: %q", got)
	}
	long := strings.Repeat("x", 499) + "é"
	want := "# Session Context\n\n## User Prompts\n\n### Prompt 1\n\none\n\n### Prompt 2\n\n" + strings.Repeat("x", 499) + "...\n\n"
	if got := ContextMarkdown([]string{"one", long}); got != want {
		t.Errorf("got %q", got)
	}
	if got := SplitPrompts(JoinPrompts([]string{"a", "b\n\nc"})); !reflect.DeepEqual(got, []string{"a", "b\n\nc"}) {
		t.Errorf("prompts %q", got)
	}
}

func TestShadowBranchNames(t *testing.T) {
	t.Parallel()
	if got := ShadowBranchNameForCommit("0123456789abcdef", ""); got != "entire/0123456-e3b0c4" {
		t.Errorf("main worktree: %s", got)
	}
	if got := ShadowBranchNameForCommit("0123", "r14wt"); got != "entire/0123-bea164" {
		t.Errorf("linked worktree, short base: %s", got)
	}
	for _, tt := range []struct {
		name, commit, worktree string
		ok, ours               bool
	}{
		{"entire/0123456-e3b0c4", "0123456", "e3b0c4", true, true},
		{"entire/0123456", "0123456", "", true, true},
		{"entire/a-b-c", "a-b", "c", true, false},
		{"entire/feature", "feature", "", true, false},
		{"entire/checkpoints/v1", "", "", false, false},
		{"entire/", "", "", false, false},
		{"main", "", "", false, false},
	} {
		commit, worktree, ok := ParseShadowBranchName(tt.name)
		if commit != tt.commit || worktree != tt.worktree || ok != tt.ok || looksLikeShadow(tt.name) != tt.ours {
			t.Errorf("%s: %q %q %v, ours %v", tt.name, commit, worktree, ok, looksLikeShadow(tt.name))
		}
	}
}

func FuzzShadowBranchName(f *testing.F) {
	f.Add("entire/0123456-e3b0c4", "wt")
	f.Fuzz(func(t *testing.T, name, worktree string) {
		ParseShadowBranchName(name)
		looksLikeShadow(name)
		made := ShadowBranchNameForCommit(name, worktree)
		_, hash, ok := ParseShadowBranchName(made)
		if !ok || hash != HashWorktreeID(worktree) {
			t.Fatalf("%q is read as %q, %v", made, hash, ok)
		}
	})
}

// TestStoredNotesAreNoPrompts: older versions stored them among the prompts, and a rule
// in one divides it.
func TestStoredNotesAreNoPrompts(t *testing.T) {
	t.Parallel()
	note := "<task-notification>\n<result>one\n\n---\n\ntwo\n\n---\n\nthree</result>\n</task-notification>"
	stored := []string{"[Request interrupted by user]", "a", note, "b", "<session_context>\ncut"}
	if got := SplitPrompts(JoinPrompts(stored)); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("prompts %q", got)
	}
}

func FuzzParseStep(f *testing.F) {
	f.Add("s\n\nEntire-Metadata-Task: .entire/metadata/s/tasks/t\nEntire-Session: s\n")
	f.Add("s\n\nEntire-Step: rewind\nEntire-Step-Session: s\nEntire-Base: 0123456789012345678901234567890123456789\nEntire-Transcript-Offset: 12 00ff\n")
	f.Fuzz(func(t *testing.T, msg string) {
		info := ParseStep(msg)
		for _, s := range info.Sessions {
			if _, err := id.ParseSessionID(s.String()); err != nil {
				t.Fatal(err)
			}
		}
		if info.Transcript.Offset < 0 {
			t.Fatalf("offset %d", info.Transcript.Offset)
		}
		// What was understood can be said again.
		if info.Kind != "" && !info.Session.IsZero() {
			again := ParseStep(StepMessage(Step{Kind: info.Kind, Subject: info.Subject, Session: info.Session, ToolUseID: "t",
				Base: info.Base, Target: info.Target, Transcript: info.Transcript}))
			if again.Kind != info.Kind || again.Session != info.Session || again.Base != info.Base ||
				again.Target != info.Target || again.Transcript != info.Transcript {
				t.Fatalf("%+v\nbecame %+v", info, again)
			}
		}
	})
}
