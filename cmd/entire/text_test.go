package main

import (
	"reflect"
	"testing"
	"time"

	"entire/agent"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "just now", 59 * time.Second: "just now", time.Minute: "1m ago", 59 * time.Minute: "59m ago",
		time.Hour: "1h ago", 23 * time.Hour: "23h ago", 24 * time.Hour: "1d ago", 100 * time.Hour: "4d ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("ago(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestSplitSlot(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in, name string
		slot     int
		ok       bool
	}{
		{"a1b2", "a1b2", -1, true},
		{"a1b2/0", "a1b2", 0, true},
		{"a1b2/12", "a1b2", 12, true},
		{"a1b2/", "", 0, false},
		{"a1b2/-1", "", 0, false},
		{"a1b2/1x", "", 0, false},
	} {
		name, slot, err := splitSlot(test.in)
		if name != test.name || slot != test.slot || (err == nil) != test.ok {
			t.Errorf("splitSlot(%q) = %q, %d, %v", test.in, name, slot, err)
		}
	}
}

func TestCommonPrompts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		prompts, older []string
		want           int
	}{
		{[]string{"a", "b", "c"}, []string{"a", "b"}, 2},
		{[]string{"a"}, nil, 0},
		{[]string{"a"}, []string{"a", "b"}, 0},
		{[]string{"c"}, []string{"a"}, 0},
	} {
		if got := common(test.prompts, test.older); got != test.want {
			t.Errorf("common(%q, %q) = %d, want %d", test.prompts, test.older, got, test.want)
		}
	}
}

func TestShownName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a b.txt": "a b.txt", "ä": "ä", "new\nline": `"new\nline"`, "\x1b[31m": `"\x1b[31m"`, "bad\xff": `"bad\xff"`,
		"a\"b": `"a\"b"`, "\u009b2J": `"\u009b2J"`, "a\u202eb": `"a\u202eb"`, "naïve 日本": "naïve 日本",
	} {
		if got := shownName(in); got != want {
			t.Errorf("shownName(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	if got, want := printable("a\x1b]0;title\x07b\tc\r\nd\u009b31m\x7f"), `a\x1b]0;title\x07b`+"\tc\n"+`d\u009b31m\u007f`; got != want {
		t.Errorf("printable = %q, want %q", got, want)
	}
}

// After a plan that a person has read, only what came out otherwise is told.
func TestBeyond(t *testing.T) {
	t.Parallel()
	planned, late := sessionstate.KeptFile{Path: "a", Why: "ignored"}, sessionstate.KeptFile{Path: "b", Why: "changed meanwhile"}
	plan := &rewind.RewindPlan{Kept: []sessionstate.KeptFile{planned}, Warnings: []string{"known"}}
	done := &restore.RewindOutcome{
		Written: []string{"c"}, Removed: []string{"d"}, Kept: []sessionstate.KeptFile{planned, late},
		Warnings: []string{"known", "new"}, SafetyID: "0123456",
	}
	want := &restore.RewindOutcome{Kept: []sessionstate.KeptFile{late}, Warnings: []string{"new"}, SafetyID: "0123456"}
	if got := beyond(done, plan); !reflect.DeepEqual(got, want) {
		t.Errorf("beyond = %+v", got)
	}
	if len(done.Kept) != 2 {
		t.Error("the outcome was changed")
	}
}

func TestSomeNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		files []string
		want  string
	}{
		{[]string{"a"}, "a"},
		{[]string{"a", "b\nc"}, `a, "b\nc"`},
		{[]string{"1", "2", "3", "4", "5"}, "1, 2, 3, 4, 5"},
		{[]string{"1", "2", "3", "4", "5", "6"}, "1, 2, 3, 4, 5, …"},
	} {
		if got := someNames(test.files); got != test.want {
			t.Errorf("someNames(%q) = %s", test.files, got)
		}
	}
	if one, two := count(1, "file"), count(2, "file"); one != "1 file" || two != "2 files" {
		t.Errorf("count: %s, %s", one, two)
	}
}

func TestReadableTranscript(t *testing.T) {
	t.Parallel()
	transcript := `{"type":"assistant","message":{"id":"m","content":[` +
		`{"type":"tool_use","name":"Edit","input":{"file_path":"/home/dana/shop/src/cart.go"}},` +
		`{"type":"tool_use","name":"Read","input":{"file_path":"/etc/hosts"}},` +
		`{"type":"tool_use","name":"Bash","input":{"command":"cd /home/dana/shop/src\ngo test","description":"Run the tests"}}]}}` + "\n"
	want := "[Tool] Edit: src/cart.go\n\n[Tool] Read: /etc/hosts\n\n[Tool] Bash: cd src …\n"
	if got := readable([]byte(transcript), agent.AgentTypeClaudeCode, 0, false, "/home/dana/shop"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
