package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"entire/internal/review"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`{"version":1,"rules":[{"paths":["a/"],"max-agent":80,"need-review":true}],"trailers":[{"require":"Assisted-by","match":"*:*","when":"agent"}]}`, ""},
		{``, "it is empty"}, {`[]`, "has to be an object"}, {`{"version":1}`, "neither"}, {`{"version":2,"rules":[{"max-agent":1}]}`, "version"},
		{`{"version":1,"rules":[{"max-agent":1}]} x`, "text follows"}, {`{"version":1,"rule":[]}`, "no member"},
		{`{"version":1,"rules":[{}]}`, "no limit"}, {`{"version":1,"rules":[{"most-agent":1}]}`, "not known"}, {`{"version":1,"rules":[{"max-agent":101}]}`, "percentage"},
		{`{"version":1,"rules":[{"paths":["/a"],"max-agent":1}]}`, "no pattern"}, {`{"version":1,"trailers":[{}]}`, "either"},
		{`{"version":1,"trailers":[{"require":"a","forbid":"b"}]}`, "either"}, {`{"version":1,"trailers":[{"require":"a b"}]}`, "no name"},
		{`{"version":1,"trailers":[{"forbid":"a","by_author":true}]}`, "by_author"}, {`{"version":1,"trailers":[{"require":"a","when":"never"}]}`, "neither"},
	} {
		p, err := Parse([]byte(test.text))
		if test.want == "" && (err != nil || len(p.Rules) != 1 || len(p.Trailers) != 1) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.text, err)
		}
	}
}

// change is a change with agents' lines 1 to 3 of a/x.go, and a person's line 4.
func change(message string) (*review.Document, map[string]Commit) {
	commit := strings.Repeat("c", 40)
	var b review.Builder
	b.Commit(review.Commit{ID: commit, Time: "2026-01-01T00:00:00Z"})
	var lines []review.Line
	for i, class := range []string{review.Agent, review.Agent, review.Agent, review.Human} {
		o := review.Owner{Class: class}
		if class == review.Agent {
			o.Session, o.Turn = "s", i/2
		}
		lines = append(lines, review.Line{Number: i + 1, Owner: o, Commit: commit})
	}
	b.File(review.File{Path: "a/x.go", Lines: 4}, lines, nil)
	d := b.Document(review.Range{Name: "x", Head: commit}, nil)
	return d, map[string]Commit{commit: {Message: message, Author: "Ann <ann@example.com>"}}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		policy, message string
		want            []string
	}{
		{`"rules":[{"max-agent":75}]`, "", nil},
		{`"rules":[{"max-agent":74}]`, "", []string{"max-agent=74 is broken: it is 75.00 % of 4 added lines"}},
		{`"rules":[{"max-agent":0,"paths":["b/"]}]`, "", nil},
		{`"rules":[{"max-unknown":0}]`, "", nil},
		{`"rules":[{"need-review":true,"paths":["a/**"]}]`, "x\n\nSigned-off-by: B\n", []string{"a/x.go:1-3: an agent wrote these 3 lines, and the commit has no trailer Reviewed-by"}},
		{`"rules":[{"need-review":true}]`, "x\n\nreviewed-by: B\n", nil},
		{`"trailers":[{"require":"Assisted-by","match":"*:*","when":"agent"}]`, "x\n\nAssisted-by: me\n", []string{"ccccccc: the commit has no trailer Assisted-by of the form *:*"}},
		{`"trailers":[{"require":"Assisted-by","match":"*:*","when":"agent"}]`, "x\n\nAssisted-by: one:a/b\n", nil},
		{`"trailers":[{"require":"Signed-off-by","by_author":true}]`, "x\n\nSigned-off-by: Bob <b@example.com>\n", []string{"ccccccc: the commit has no trailer Signed-off-by by its author"}},
		{`"trailers":[{"require":"Signed-off-by","by_author":true}]`, "x\n\nSigned-off-by: Ann <ann@example.com>\n\nCo-authored-by: B\n", nil},
		{`"trailers":[{"forbid":"Co-authored-by","match":"*bot*"}]`, "x\n\nCo-Authored-By: robot <x>\n", []string{"ccccccc: the commit has the trailer Co-authored-by, which is forbidden"}},
		{`"trailers":[{"forbid":"Co-authored-by","match":"*bot*"}]`, "x\n\nCo-Authored-By: Ann <x>\n", nil},
		{`"trailers":[{"require":"Assisted-by","paths":["b/"]}]`, "x", nil},
	} {
		p, err := Parse([]byte(`{"version":1,` + test.policy + `}`))
		if err != nil {
			t.Fatal(err)
		}
		d, commits := change(test.message)
		d.Violations = p.Check(d, commits)
		var got []string
		for _, v := range d.Violations {
			got = append(got, lineOf(v))
		}
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%s, %q: %q", test.policy, test.message, got)
		}
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", test.policy, err)
		}
	}
}

func TestMergesNeedNoTrailers(t *testing.T) {
	t.Parallel()
	p := &Policy{Trailers: []Trailer{{Require: "Signed-off-by"}}}
	d, commits := change("Merge")
	if n := len(p.Check(d, commits)); n != 1 {
		t.Fatal(n)
	}
	for id, c := range commits {
		c.Merge = true
		commits[id] = c
	}
	if list := p.Check(d, commits); len(list) > 0 {
		t.Error(list)
	}
}

func TestAnnotate(t *testing.T) {
	t.Parallel()
	list := []review.Violation{{Rule: "need-review", Message: "100 %\nbad", Path: "a,b:c.go", Start: 2, End: 3}, {Rule: "trailer", Message: "none", Commit: strings.Repeat("c", 40)},
		{Rule: "need-review", Message: "odd", Path: "a\x1b.go", Start: 1, End: 1}}
	data, err := Annotate("github", "policy.json", list)
	want := "::error file=a%2Cb%3Ac.go,line=2,endLine=3,title=entire need-review::100 %25; bad\n::error title=entire trailer::ccccccc: none\n::error title=entire need-review::a\\x1b.go:1: odd\n"
	if err != nil || string(data) != want {
		t.Errorf("%v: %q", err, data)
	}
	data, err = Annotate("gitlab", "policy.json", list)
	var issues []struct {
		Fingerprint string
		Location    struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err != nil || json.Unmarshal(data, &issues) != nil || len(issues) != 3 || issues[0].Location.Lines.Begin != 2 || issues[1].Location.Path != "policy.json" || issues[0].Fingerprint == issues[1].Fingerprint {
		t.Errorf("%v: %s", err, data)
	}
	if data, err := Annotate("gitlab", "policy.json", nil); err != nil || string(data) != "[]\n" {
		t.Errorf("%v: %s", err, data)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"rules":[{"paths":["a/**"],"max-agent":80}],"trailers":[{"forbid":"x","match":"*"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := Parse(data); err == nil {
			d, commits := change("x")
			d.Violations = p.Check(d, commits)
			if err := d.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}
