package formats

import (
	"strings"
	"testing"
	"time"

	"entire/agent/agents"
	"entire/internal/attribution"
	"entire/internal/formats/agenttrace"
	"entire/internal/formats/authorship"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/review"
)

// line returns a line that the session wrote, or a person for "", or nobody known for "?".
func line(n int, session string) lineage.ChangedLine {
	l := lineage.ChangedLine{Number: n}
	switch session {
	case "":
		l.Owner.Class = attribution.ClassHuman
	case "?":
		l.Owner.Class = attribution.ClassUnknown
	default:
		l.Owner = attribution.RecordOwner{Class: attribution.ClassAgent, Agent: string(agents.All()[0].Type()), SessionID: session, Model: "gpt-9", Turn: 12}
	}
	return l
}

func example(t *testing.T) (git.Commit, []lineage.ChangedFile) {
	t.Helper()
	oid, err := git.ParseOID(strings.Repeat("7", 40))
	if err != nil {
		t.Fatal(err)
	}
	who := git.Signature{Name: "Ada", Email: "ada@example.com", When: time.Unix(1e9, 0)}
	return git.Commit{OID: oid, Author: who, Committer: who}, []lineage.ChangedFile{
		{Path: "a \"b\".txt", Lines: 1, Added: []lineage.ChangedLine{line(1, "s1")}},
		{Path: "a.txt", Lines: 9, Added: []lineage.ChangedLine{line(1, "s1"), line(2, "s1"), line(3, ""), line(4, "s1"), line(5, "s2"), line(7, "?")}},
		{Path: "b\xff.txt", Lines: 1, Added: []lineage.ChangedLine{line(1, "s1")}},
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	c, files := example(t)
	r, left := Trace(c, files, "1.2")
	data, err := r.Encode(Lengths(files))
	if err != nil || len(left) != 1 {
		t.Fatal(err, left)
	}
	if back, err := agenttrace.Decode(data, Lengths(files)); err != nil || back.ID != r.ID || back.Timestamp != "2001-09-09T01:46:40Z" {
		t.Fatal(err)
	}
	got := r.Files[1].Conversations
	if len(got) != 4 || len(got[0].Ranges) != 2 || got[0].Ranges[0].EndLine != 2 || got[0].Contributor.ModelID != "openai/gpt-9" ||
		got[1].Contributor.Type != agenttrace.Human || got[3].Contributor.Type != agenttrace.Unknown {
		t.Errorf("%s", data)
	}
}

func TestNote(t *testing.T) {
	t.Parallel()
	c, files := example(t)
	n, left := Note(c, files)
	data, err := n.Encode(Lengths(files))
	if err != nil || len(left) != 2 {
		t.Fatal(err, left)
	}
	back, err := authorship.Decode(data, Lengths(files))
	if err != nil || !Ours(back) || len(back.Files) != 1 || len(back.Files[0].Entries) != 2 || len(back.Metadata.Sessions) != 2 {
		t.Fatalf("%v: %s", err, data)
	}
	back.Metadata.Program = "1.4.5"
	if Ours(back) {
		t.Error("a note of git-ai passes for ours")
	}
	for i := range files {
		files[i].Added = []lineage.ChangedLine{line(1, "")}
	}
	if n, left := Note(c, files); n != nil || left != nil {
		t.Errorf("a person's lines have the note %v", n)
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	d := &review.Document{Files: []review.File{{Path: `"b\xff.txt"`, Lines: 9, Hunks: []review.Hunk{
		{Start: 1, Count: 3, Class: review.Agent}, {Start: 5, Count: 1, Class: review.Unknown}, {Start: 7, Count: 0, Removed: 2, Class: review.Agent}, {Start: 9, Count: 1, Class: review.Human}}}},
		Checks: []review.Check{{Limit: "max-agent", Than: 5, Found: 60}, {Limit: "min-human", OK: true}}}
	data, err := Findings(d, "").Encode(FileLengths(d))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"uri": "b%FF.txt"`, "these 3 lines", "wrote this line", "max-agent=5 is broken"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in %s", want, data)
		}
	}
	if n := strings.Count(string(data), `"ruleId"`); n != 3 {
		t.Errorf("%d results in %s", n, data)
	}
}
