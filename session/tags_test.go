package session

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/session/internal/conversation"
	"entire/session/internal/index"
)

func TestTags(t *testing.T) {
	t.Parallel()
	var m SessionMetadata
	added, err := m.AddTags("Bug", "#release/1.2", "bug", "größe")
	if err != nil || !slices.Equal(added, []string{"Bug", "release/1.2", "größe"}) || !slices.Equal(m.Tags, []string{"Bug", "größe", "release/1.2"}) {
		t.Errorf("added %q, has %q, %v", added, m.Tags, err)
	}
	for _, bad := range []string{"", "#", "two words", "lang:go", "-x", "a\x1b", strings.Repeat("a", 65)} {
		if _, err := m.AddTags(bad); err == nil {
			t.Errorf("%q is a tag", bad)
		}
	}
	if removed := m.RemoveTags("BUG", "absent"); !slices.Equal(removed, []string{"Bug"}) || len(m.Tags) != 2 {
		t.Errorf("removed %q, has %q", removed, m.Tags)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	m := SessionMetadata{Title: "made"}
	if err := m.Rename("  The\n retry ", "made"); err != nil || m.Title != "The retry" || m.TitleBy != TitledByUser {
		t.Errorf("%+v, %v", m, err)
	}
	m.SuggestTitle("Fix everything else")
	var add conversation.Tally
	add.Add(&Message{UUID: "1", Role: "user", Content: "Fix everything else"})
	add.AddTo(&m)
	if m.Title != "The retry" {
		t.Errorf("the user's title became %q", m.Title)
	}
	if err := m.Rename("", "made"); err != nil || m.Title != "made" || m.TitleBy != "" {
		t.Errorf("%+v, %v", m, err)
	}
	if m.Rename(strings.Repeat("x", 201), "") == nil || m.Rename("a\x1bb", "") == nil {
		t.Error("a title that is none")
	}
}

// The first prompt that asks for something makes the title, in however many pieces
// the prompts come.
func TestTitleOfTheFirstRequest(t *testing.T) {
	t.Parallel()
	prompts := []string{"hi", "/clear", "Make the count faster", "and the other one"}
	for cut := range len(prompts) + 1 {
		var m SessionMetadata
		for _, part := range [][]string{prompts[:cut], prompts[cut:]} {
			var add conversation.Tally
			for _, p := range part {
				add.Add(&Message{UUID: p, Role: "user", Content: p})
			}
			add.AddTo(&m)
		}
		if m.Title != "Make the count faster" {
			t.Errorf("cut at %d: %q", cut, m.Title)
		}
	}
}

// TestAutomaticTagsOfEachAgent: the tags know the editing tools of every agent.
func TestAutomaticTagsOfEachAgent(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ tool, input string }{
		{"Edit", `{"file_path":"/srv/app/lib/a.py"}`},
		{"replace", `{"file_path":"/srv/app/lib/a.py"}`},
		{"apply_patch", `"*** Begin Patch\n*** Update File: lib/a.py\n@@\n-a\n+b\n*** End Patch"`},
		{"apply_patch", `{"patchText":"*** Begin Patch\n*** Add File: /srv/app/lib/a.py\n+b\n*** End Patch"}`},
		{"edit", `{"path":"lib/a.py","edits":[{"oldText":"a","newText":"b"}]}`},
		{"edit", `{"filePath":"/srv/app/lib/a.py","oldString":"a","newString":"b"}`},
		{"create", `{"path":"/srv/app/lib/a.py","file_text":"a"}`},
		{"editor", `{"path":"/srv/app/lib/a.py","new_text":"a"}`},
		{"Create", `{"file_path":"lib/a.py","content":"a"}`},
		{"StrReplace", `{"path":"/srv/app/lib/a.py","old_string":"a","new_string":"b"}`},
	} {
		m := SessionMetadata{CWD: "/srv/app"}
		var add conversation.Tally
		add.Add(&Message{UUID: "u", Role: "assistant", ToolCalls: []agent.ToolUse{{ID: "1", Name: row.tool, Input: json.RawMessage(row.input)}}})
		add.AddTo(&m)
		if got := m.AutomaticTags(); !slices.Equal(got, []string{"dir:lib", "lang:python"}) {
			t.Errorf("%s %s: %q", row.tool, row.input, got)
		}
	}
}

func TestAutomaticTags(t *testing.T) {
	t.Parallel()
	call := func(tool, key, file string) Message {
		input, _ := json.Marshal(map[string]string{key: file})
		return Message{UUID: file, Role: "assistant", ToolCalls: []agent.ToolUse{{ID: "1", Name: tool, Input: input}}}
	}
	m := SessionMetadata{CWD: "/srv/app", AgentType: agent.AgentTypeClaudeCode}
	m.AddBranches("main", "", "topic/x", "main")
	var add conversation.Tally
	for _, msg := range []Message{
		call("Edit", "file_path", "/srv/app/internal/a.go"), call("Edit", "file_path", "/srv/app/internal/a.go"), call("Write", "file_path", "/srv/app/docs/b.md"),
		call("Read", "file_path", "/srv/app/cmd/read.py"), call("Edit", "file_path", "/etc/passwd"), call("Edit", "file_path", "/srv/app/top.sql"),
		call("write_file", "file_path", "web/c.ts"), call("Edit", "file_path", "../out/d.rs"),
	} {
		add.Add(&msg)
	}
	add.AddTo(&m)
	want := []string{"agent:claude-code", "branch:main", "branch:topic/x", "dir:internal", "dir:docs", "dir:web", "lang:go", "lang:markdown", "lang:rust"}
	if got := m.AutomaticTags(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// A list that was read from its index says the same.
	one := index.ListEntry{Name: "a", Known: true, Meta: m}
	one.Meta.ID, one.Meta.Tags, one.Meta.Rewinds = "a", []string{"x"}, 3
	x, err := index.DecodeList(index.ListIndex{Sessions: []index.ListEntry{one}}.Encode())
	if err != nil || !slices.Equal(x.Sessions[0].Meta.AutomaticTags(), want) || x.Sessions[0].Meta.Rewinds != 3 || !slices.Equal(x.Sessions[0].Meta.Tags, []string{"x"}) {
		t.Errorf("from the index: %+v, %v", x, err)
	}
}
