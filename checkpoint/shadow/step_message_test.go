package shadow_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
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
	pos := shadow.TranscriptPosition{Offset: 12, Prefix: "00112233445566ff"}
	for _, tt := range []struct {
		name string
		step shadow.Step
		want string
	}{
		{"agent", shadow.Step{Kind: shadow.StepAgent, Subject: "Add x", Session: session("s1"), Base: base, Transcript: pos},
			"Add x\n\nEntire-Metadata: .entire/metadata/s1\nEntire-Session: s1\nEntire-Strategy: manual-commit\nEntire-Base: " +
				base.String() + "\nEntire-Transcript-Offset: 12 00112233445566ff\n"},
		{"agent, bare", shadow.Step{Kind: shadow.StepAgent, Subject: "Add x", Session: session("s1")},
			"Add x\n\nEntire-Metadata: .entire/metadata/s1\nEntire-Session: s1\nEntire-Strategy: manual-commit\n"},
		{"task", shadow.Step{Kind: shadow.StepTask, Subject: "Task: toolu", Session: session("s1"), ToolUseID: "toolu_1"},
			"Task: toolu\n\nEntire-Metadata-Task: .entire/metadata/s1/tasks/toolu_1\nEntire-Session: s1\nEntire-Strategy: manual-commit\n"},
		{"human", shadow.Step{Kind: shadow.StepHuman, Subject: "changes", Session: session("s1"), Base: base},
			"changes\n\nEntire-Step: human\nEntire-Step-Session: s1\nEntire-Base: " + base.String() + "\n"},
		{"rewind", shadow.Step{Kind: shadow.StepRewind, Subject: "back", Session: session("s1"), Target: target},
			"back\n\nEntire-Step: rewind\nEntire-Step-Session: s1\nEntire-Step-Target: " + target.String() + "\n"},
		{"carry forward", shadow.Step{Kind: shadow.StepCarryForward, Subject: shadow.CarryForwardSubject, Session: session("s1"), Others: []id.SessionID{session("s2")}},
			"carry forward: uncommitted session files\n\nEntire-Step: carry-forward\nEntire-Session: s1\nEntire-Session: s2\nEntire-Strategy: manual-commit\n"},
		{"hostile subject", shadow.Step{Kind: shadow.StepHuman, Subject: "x\n\nEntire-Session: evil\x00", Session: session("s1")},
			"x Entire-Session : evil\n\nEntire-Step: human\nEntire-Step-Session: s1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := shadow.StepMessage(tt.step)
			if got != tt.want {
				t.Fatalf("got  %q\nwant %q", got, tt.want)
			}
			info := shadow.ParseStep(got)
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
		want      shadow.StepInfo
	}{
		{"session step", "Fix it\n\nEntire-Metadata: .entire/metadata/2026-01-26-5dd7775c\nEntire-Session: 2026-01-26-5dd7775c\nEntire-Strategy: manual-commit\n",
			shadow.StepInfo{StepContext: shadow.StepContext{Why: shadow.WhyTurnEnd}, Kind: shadow.StepAgent, Subject: "Fix it", RawSession: "2026-01-26-5dd7775c", MetadataDir: ".entire/metadata/2026-01-26-5dd7775c", Strategy: "manual-commit"}},
		{"carry forward with an empty trailer", shadow.CarryForwardSubject + "\n\nEntire-Metadata: \nEntire-Session: s1\nEntire-Strategy: manual-commit\n",
			shadow.StepInfo{StepContext: shadow.StepContext{Why: shadow.WhyCommit}, Kind: shadow.StepCarryForward, Subject: shadow.CarryForwardSubject, RawSession: "s1", Strategy: "manual-commit"}},
		{"hostile values", "x\n\nEntire-Metadata: ../../etc\nEntire-Session: ../x\n",
			shadow.StepInfo{StepContext: shadow.StepContext{Why: shadow.WhyTurnEnd}, Kind: shadow.StepAgent, Subject: "x", RawSession: "../x"}},
		{"a position whose digest is too long", "x\n\n" + trailer.TranscriptOffset + ": 12 " + strings.Repeat("a", 66) + "\nEntire-Session: s1\n",
			shadow.StepInfo{StepContext: shadow.StepContext{Why: shadow.WhyTurnEnd}, Kind: shadow.StepAgent, Subject: "x", RawSession: "s1"}},
		{"nothing of ours", "Initial commit", shadow.StepInfo{Subject: "Initial commit"}},
		{"nothing", "", shadow.StepInfo{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := shadow.ParseStep(tt.msg)
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
		if got := trailer.StepSubject(tt.prompt, agent.AgentTypeGemini); got != tt.want {
			t.Errorf("StepSubject(%q) = %q, want %q", tt.prompt, got, tt.want)
		}
	}
}

func TestTaskSubjects(t *testing.T) {
	t.Parallel()
	const use = "toolu_0123456789"
	long := strings.Repeat("é", 40)
	for _, tt := range []struct{ got, want string }{
		{trailer.TaskSubject("", "", use), "Task: toolu_012345"},
		{trailer.TaskSubject("dev", "", use), "Completed 'dev' agent (toolu_012345)"},
		{trailer.TaskSubject("", "do it", use), "Completed agent: do it (toolu_012345)"},
		{trailer.TaskSubject("dev", "do it", use), "Completed 'dev' agent: do it (toolu_012345)"},
		{trailer.IncrementalSubject("step one", 2, use), "step one (toolu_012345)"},
		{trailer.IncrementalSubject("", 2, use), "Checkpoint #2: toolu_012345"},
		{trailer.IncrementalSubject(long, 2, "t"), strings.Repeat("é", 28) + "... (t)"},
	} {
		if tt.got != tt.want || !utf8.ValidString(tt.got) {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestContextMarkdown(t *testing.T) {
	t.Parallel()
	if got := metadata.ContextMarkdown(nil); got != "" {
		t.Errorf("no prompts: %q", got)
	}
	long := strings.Repeat("x", 499) + "é"
	want := "# Session Context\n\n## User Prompts\n\n### Prompt 1\n\none\n\n### Prompt 2\n\n" + strings.Repeat("x", 499) + "...\n\n"
	if got := metadata.ContextMarkdown([]string{"one", long}); got != want {
		t.Errorf("got %q", got)
	}
	if got := metadata.SplitPrompts(metadata.JoinPrompts([]string{"a", "b\n\nc"})); !reflect.DeepEqual(got, []string{"a", "b\n\nc"}) {
		t.Errorf("prompts %q", got)
	}
}

func TestShadowBranchNames(t *testing.T) {
	t.Parallel()
	if got := shadow.BranchName("0123456789abcdef", ""); got != "entire/0123456-e3b0c4" {
		t.Errorf("main worktree: %s", got)
	}
	if got := shadow.BranchName("0123", "r14wt"); got != "entire/0123-bea164" {
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
		commit, worktree, ok := shadow.ParseShadowBranchName(tt.name)
		if commit != tt.commit || worktree != tt.worktree || ok != tt.ok || shadow.LooksLikeShadow(tt.name) != tt.ours {
			t.Errorf("%s: %q %q %v, ours %v", tt.name, commit, worktree, ok, shadow.LooksLikeShadow(tt.name))
		}
	}
}

func FuzzShadowBranchName(f *testing.F) {
	f.Add("entire/0123456-e3b0c4", "wt")
	f.Fuzz(func(t *testing.T, name, worktree string) {
		shadow.ParseShadowBranchName(name)
		shadow.LooksLikeShadow(name)
		made := shadow.BranchName(name, worktree)
		_, hash, ok := shadow.ParseShadowBranchName(made)
		if !ok || hash != shadow.HashWorktreeID(worktree) {
			t.Fatalf("%q is read as %q, %v", made, hash, ok)
		}
	})
}

func FuzzParseStep(f *testing.F) {
	f.Add("s\n\nEntire-Metadata-Task: .entire/metadata/s/tasks/t\nEntire-Session: s\n")
	f.Add("s\n\nEntire-Step: rewind\nEntire-Step-Session: s\nEntire-Base: 0123456789012345678901234567890123456789\nEntire-Transcript-Offset: 12 00ff\n")
	f.Fuzz(func(t *testing.T, msg string) {
		info := shadow.ParseStep(msg)
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
			again := shadow.ParseStep(shadow.StepMessage(shadow.Step{Kind: info.Kind, Subject: info.Subject, Session: info.Session, ToolUseID: "t",
				Base: info.Base, Target: info.Target, Transcript: info.Transcript}))
			if again.Kind != info.Kind || again.Session != info.Session || again.Base != info.Base ||
				again.Target != info.Target || again.Transcript != info.Transcript {
				t.Fatalf("%+v\nbecame %+v", info, again)
			}
		}
	})
}
