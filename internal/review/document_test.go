package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"entire/agent"
)

const (
	oneID = "1111111111111111111111111111111111111111"
	twoID = "2222222222222222222222222222222222222222"
)

// sample is a document with every kind of line: a file of an agent's alone, a
// mixed one, one that only lost lines, a renamed one, one that was skipped.
func sample() *Document {
	var b Builder
	b.Commit(Commit{ID: oneID, Author: "Ann", Email: "ann@example.com", Time: "2026-03-01T12:00:00Z", Subject: "one"})
	b.Commit(Commit{ID: twoID, Author: "Bob", Time: "2026-03-02T12:00:00Z", Subject: "two"})
	a := Owner{Class: Agent, Session: "s1", Agent: "Claude Code", Model: "m1", Turn: 1, ToolUseID: "t1", Checkpoint: "a1b2c3d4e5f6", Evidence: "recorded"}
	a2 := a
	a2.Turn, a2.ToolUseID = 2, ""
	h, u, o := Owner{Class: Human, Evidence: "no-agent-work"}, Owner{Class: Unknown}, Owner{Class: Older}
	lines := func(owner Owner, commit string, ns ...int) []Line {
		var out []Line
		for _, n := range ns {
			out = append(out, Line{n, fmt.Sprintf("line %d", n), owner, commit})
		}
		return out
	}
	b.File(File{Path: "z.go", Lines: 3}, append(lines(a, oneID, 1, 2), lines(a2, oneID, 3)...), nil)
	mixed := append(append(append(lines(a, oneID, 2, 3), lines(h, twoID, 4)...), lines(a, oneID, 8)...), lines(o, "", 10)...)
	b.File(File{Path: "m.go", Lines: 10, OldLines: 7}, mixed, append(lines(h, twoID, 2), lines(o, "", 6)...))
	b.File(File{Path: "gone.go", OldLines: 2}, nil, lines(u, "", 1, 2))
	b.File(File{Path: "n.go", OldPath: "o.go", Lines: 1, OldLines: 1}, nil, nil)
	b.File(File{Path: "p\xffng", Skipped: true}, nil, nil)
	return b.Document(Range{"main..topic", oneID, twoID}, []Session{{ID: "s1", Prompts: []string{"do it"},
		Usage: &agent.TokenUsage{InputTokens: 10, OutputTokens: 5, SubagentTokens: &agent.TokenUsage{OutputTokens: 1}}}})
}

func TestDocument(t *testing.T) {
	t.Parallel()
	d := sample()
	if got, want := fmt.Sprintf("%+v %+v %v", d.Totals.Added, d.Totals.Removed, d.Totals.AgentPercentage),
		"{Lines:8 Agent:6 Human:1 Unknown:0 Older:1} {Lines:4 Agent:0 Human:1 Unknown:2 Older:1} 85.71"; got != want {
		t.Errorf("totals %s\nwant %s", got, want)
	}
	var got []string
	for i := range d.Files {
		f := &d.Files[i]
		line := f.Path + " " + f.Class
		for _, h := range f.Hunks {
			added, removed := f.InHunk(h)
			line += fmt.Sprintf(" [%d,%d -%d,%d %s %d/%d]", h.Start, h.Count, h.OldStart, h.Removed, h.Class, len(added), len(removed))
		}
		got = append(got, line)
	}
	want := `"p\xffng" none
gone.go unknown [1,0 -1,2 unknown 0/1]
m.go mixed [2,3 -2,1 mixed 2/1] [8,1 -6,1 agent 1/1] [10,1 -8,0 older 1/0]
n.go none
z.go agent [1,3 -1,0 agent 2/0]`
	if strings.Join(got, "\n") != want {
		t.Errorf("files\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	files, hunks := d.AgentOnly()
	if fmt.Sprint(files) != "[z.go]" || len(hunks) != 1 || hunks["m.go"][0].Start != 8 {
		t.Errorf("an agent's alone: %v %v", files, hunks)
	}
	if s := d.Sessions[0]; s.Added != 6 || s.Agent != "Claude Code" || fmt.Sprint(s.Models) != "[m1]" || d.Totals.Usage.Total() != s.Usage.Total() {
		t.Errorf("session %+v", s)
	}
	if f := d.Files[2]; f.addedText(4) != "line 4" || f.removedText(2) != "line 2" {
		t.Error("the texts of the lines are lost")
	}
}

func TestBehind(t *testing.T) {
	t.Parallel()
	owner := func(turn int, call string) Owner {
		return Owner{Class: Agent, Session: "s", Turn: turn, ToolUseID: call}
	}
	var b Builder
	b.File(File{Path: "f", Lines: 6, OldLines: 1}, []Line{{1, "", owner(1, "a"), ""}, {2, "", owner(1, ""), ""}, {3, "", owner(2, "b"), ""},
		{4, "", owner(2, "c"), ""}, {5, "", owner(2, ""), ""}, {6, "", owner(3, ""), ""}}, []Line{{1, "", owner(1, "a"), ""}})
	d := b.Document(Range{"r", "", oneID}, []Session{{ID: "s", Prompts: []string{"one", "two", "three"}}})
	d.SetPrompts("s", map[string]string{"a": "one", "b": "two", "c": "three", "d": "four"})
	var got []int
	for _, o := range d.Owners {
		got = append(got, o.Prompt)
	}
	// A turn in which two prompts were given does not say which of them it was.
	if fmt.Sprint(got) != "[1 1 2 3 0 0]" || d.Check() != nil {
		t.Errorf("prompts %v, %v", got, d.Check())
	}
	if works := fmt.Sprint(d.PromptResults(d.Sessions[0])); works != "[{one 2 1 [f]} {two 1 0 [f]} {three 1 0 [f]}]" {
		t.Errorf("works %s", works)
	}
	if p := d.promptOf(d.Owners[3]); p != "three" {
		t.Errorf("prompt %q", p)
	}
}

// Lines without a call have the prompt that their turn began with, where that was recorded.
func TestBehindByTurn(t *testing.T) {
	t.Parallel()
	owner := func(turn int, prompt string) Owner {
		return Owner{Class: Agent, Session: "s", Turn: turn, PromptKey: agent.PromptKey(prompt)}
	}
	var b Builder
	b.File(File{Path: "f", Lines: 3}, []Line{{1, "", owner(1, "two"), ""}, {2, "", owner(2, "one"), ""}, {3, "", owner(3, "gone"), ""}}, nil)
	if got := b.PromptKeys()["s"]; len(got) != 3 || !got[agent.PromptKey("one")] {
		t.Errorf("asked: %v", got)
	}
	d := b.Document(Range{"r", "", oneID}, []Session{{ID: "s", Prompts: []string{"one", "two"}}})
	d.SetPrompts("s", nil)
	if works := fmt.Sprint(d.PromptResults(d.Sessions[0])); works != "[{one 1 0 [f]} {two 1 0 [f]}]" || d.Owners[2].Prompt != 0 {
		t.Errorf("works %s, owners %+v", works, d.Owners)
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	for by, want := range map[string]string{
		"file":    "m.go 5/2, z.go 3/0, gone.go 0/2",
		"author":  "Ann 6/0, (older) 1/1, Bob 1/1, (unknown) 0/2",
		"session": "s1 6/0, (older) 1/1, (people) 1/1, (unknown) 0/2",
		"agent":   "Claude Code 6/0, (older) 1/1, (people) 1/1, (unknown) 0/2",
		"model":   "m1 6/0, (older) 1/1, (people) 1/1, (unknown) 0/2",
	} {
		d := sample()
		if err := d.Group(by); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range d.Groups.Rows {
			got = append(got, fmt.Sprintf("%s %d/%d", r.Name, r.Added.Lines, r.Removed.Lines))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("by %s: %s, want %s", by, strings.Join(got, ", "), want)
		}
		if err := d.Check(); err != nil {
			t.Errorf("by %s: %v", by, err)
		}
	}
	if err := sample().Group("colour"); err == nil {
		t.Error("grouped by colour")
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		ok   bool
		bad  string
	}{
		{"max-agent=86", true, ""},
		{"max-agent=85.7", false, ""},
		{"max-agent=85.72, max-unknown=0", true, ""},
		{"min-human=14", true, ""},
		{"min-human=15%,max-agent=90", false, ""},
		{"", false, "no such limit"},
		{"max-agent", false, "not a limit"},
		{"max-agent=", false, "not a limit"},
		{"max-agent=101", false, "not a limit"},
		{"max-agent=NaN", false, "not a limit"},
		{"max-cats=1", false, "no such limit"},
		{"max-agent=1,max-agent=2", false, "twice"},
	} {
		limits, err := ParseLimits(tc.text)
		if tc.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tc.bad) {
				t.Errorf("%q: %v, want %q", tc.text, err, tc.bad)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		d := sample()
		if d.ApplyLimits(limits) != tc.ok || d.Check() != nil {
			t.Errorf("%q: %+v, %v", tc.text, d.Checks, d.Check())
		}
	}
	var b Builder
	empty := b.Document(Range{Head: oneID}, nil)
	if limits, _ := ParseLimits("max-agent=0,min-human=100"); !empty.ApplyLimits(limits) {
		t.Error("a change that writes nothing breaks limits")
	}
}

func TestValidateTakesWhatIsWritten(t *testing.T) {
	t.Parallel()
	d := sample()
	d.SetPrompts("s1", map[string]string{"t1": "do it"})
	d.Group("author")
	limits, _ := ParseLimits("max-agent=10,max-unknown=50")
	d.ApplyLimits(limits)
	data, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := again.Encode(); err != nil || !bytes.Equal(twice, data) {
		t.Errorf("read and written again it is another: %v\n%s", err, twice)
	}
	if bytes.Contains(data, []byte("line 4")) {
		t.Error("the document has text of a line")
	}
	golden, err := os.ReadFile("testdata/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, golden) {
		t.Errorf("the form is not that of testdata/sample.json; a change that readers notice is another version of the schema:\n%s", data)
	}
}

// Each row spoils one thing; the validator must name its place.
func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	file := func(d object, i int) object { return d["files"].([]any)[i].(object) }
	rows := func(d object, i int) []any { return file(d, i)["ranges"].([]any) }
	const m, z = 2, 4 // m.go and z.go
	for _, tc := range []struct {
		name, want string
		spoil      func(d object)
	}{
		{"no schema", "schema: missing", func(d object) { delete(d, "schema") }},
		{"another version", `schema: "entire-attribution/2" is not known`, func(d object) { d["schema"] = "entire-attribution/2" }},
		{"head", "range: ", func(d object) { d["range"].(object)["head"] = "HEAD" }},
		{"overlapping", "files[2].ranges[1]: line 3 belongs", func(d object) { rows(d, m)[1].(object)["start"] = 3 }},
		{"unsorted", "files[2].ranges[1]: line 1 comes after line 2", func(d object) { rows(d, m)[1].(object)["start"] = 1 }},
		{"out of the file", "files[2].ranges[3]: line 11 is beyond the file's 10", func(d object) { rows(d, m)[3].(object)["start"] = 11 }},
		{"before the file", "files[2].ranges[0]: 2 lines from 0 on", func(d object) { rows(d, m)[0].(object)["start"] = 0 }},
		{"no lines", "files[2].ranges[0]: 0 lines from 2 on", func(d object) { rows(d, m)[0].(object)["count"] = 0 }},
		{"many lines", "files[2].ranges[0]: ", func(d object) { rows(d, m)[0].(object)["count"] = 1 << 62 }},
		{"half a line", "a number", func(d object) { rows(d, m)[0].(object)["count"] = 1.5 }},
		{"a dangling owner", "files[2].ranges[0].owner: there is no owner 99", func(d object) { rows(d, m)[0].(object)["owner"] = 99 }},
		{"a negative owner", "files[2].ranges[0].owner", func(d object) { rows(d, m)[0].(object)["owner"] = -1 }},
		{"a dangling commit", "files[2].ranges[0].commit: there is no commit 2", func(d object) { rows(d, m)[0].(object)["commit"] = 2 }},
		{"a dangling session", "owners[0].session_id: no session", func(d object) { d["sessions"] = []any{} }},
		{"a session twice", "sessions[1].session_id", func(d object) { d["sessions"] = append(d["sessions"].([]any), d["sessions"].([]any)[0]) }},
		{"a commit twice", "commits[1].id", func(d object) { d["commits"].([]any)[1].(object)["id"] = oneID }},
		{"a commit without ID", "commits[0].id", func(d object) { d["commits"].([]any)[0].(object)["id"] = "main" }},
		{"a commit without time", "commits[0].time", func(d object) { delete(d["commits"].([]any)[0].(object), "time") }},
		{"a strange class", "owners[0].class", func(d object) { d["owners"].([]any)[0].(object)["class"] = "cat" }},
		{"a person with a session", "owners[2]: only an agent", func(d object) { d["owners"].([]any)[2].(object)["session_id"] = "s1" }},
		{"a dangling prompt", "owners[0].prompt: its session has no prompt 2", func(d object) { d["owners"].([]any)[0].(object)["prompt"] = 2 }},
		{"a count of nothing", "sessions[0].counted: 2 of 1", func(d object) {
			d["sessions"].([]any)[0].(object)["counted"] = object{"agent_lines": 2, "total_committed": 1}
		}},
		{"files unsorted", "files[4].path", func(d object) { file(d, z)["path"] = "a" }},
		{"a file twice", "files[3].path", func(d object) { file(d, 3)["path"] = "m.go" }},
		{"a file without path", "files[0].path", func(d object) { file(d, 0)["path"] = "" }},
		{"a skipped file with lines", "files[4]: it was skipped", func(d object) { file(d, z)["skipped"] = true }},
		{"a file's sum", "files[4].added: ", func(d object) { file(d, z)["added"].(object)["agent"] = 4 }},
		{"a file's removed sum", "files[2].removed: ", func(d object) { file(d, m)["removed"].(object)["lines"] = 1 }},
		{"a file's class", "files[4].class", func(d object) { file(d, z)["class"] = "human" }},
		{"hunks", "files[4].hunks", func(d object) { file(d, z)["hunks"] = []any{} }},
		{"totals", "totals: ", func(d object) { d["totals"].(object)["files"] = 1 }},
		{"percentage", "totals.agent_percentage: 50", func(d object) { d["totals"].(object)["agent_percentage"] = 50 }},
		{"tokens", "totals.token_usage", func(d object) { delete(d["totals"].(object), "token_usage") }},
		{"a session's lines", "sessions[0]: 1 added", func(d object) { d["sessions"].([]any)[0].(object)["added"] = 1 }},
		{"groups", "groups.rows[0]", func(d object) { d["groups"].(object)["rows"].([]any)[0].(object)["name"] = "Eve" }},
		{"a group less", "groups.rows: ", func(d object) { d["groups"].(object)["rows"] = d["groups"].(object)["rows"].([]any)[:1] }},
		{"an unknown axis", "groups.by", func(d object) { d["groups"].(object)["by"] = "colour" }},
		{"a check", "checks[0]", func(d object) { d["checks"].([]any)[0].(object)["ok"] = true }},
		{"an unknown limit", "checks[0]", func(d object) { d["checks"].([]any)[0].(object)["limit"] = "max-cats" }},
		{"nothing", "", func(object) {}},
		{"something new", "", func(d object) { d["since"] = "later" }},
	} {
		var d object
		if err := json.Unmarshal(whole, &d); err != nil {
			t.Fatal(err)
		}
		tc.spoil(d)
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Decode(data)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
	for _, text := range []string{"", "{", "[]", "null", "12", string(whole) + "{}"} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%.20q is no document", text)
		}
	}
}

func FuzzValidate(f *testing.F) {
	whole, err := os.ReadFile("testdata/sample.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"schema":"entire-attribution/1","range":{"head":"` + oneID + `"},"files":[{"path":"a","lines":1,"ranges":[{"start":1,"count":1}]}],"owners":[{"class":"human"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Decode(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than a line: %q", err)
			}
			return
		}
		again, err := d.Encode()
		if err != nil {
			t.Fatalf("what was taken cannot be written: %v", err)
		}
		if _, err := Decode(again); err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, again)
		}
	})
}
