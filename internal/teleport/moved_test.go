package teleport

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"entire/session"
)

func TestMove(t *testing.T) {
	t.Parallel()
	m := Move{Place{"/home/a", "/home/a/app"}, Place{"/Users/b", "/srv/app"}}
	for _, c := range []struct{ from, to string }{
		{"/home/a/app", "/srv/app"},
		{"/home/a/app/x/y", "/srv/app/x/y"},
		{"/home/a/application", "/Users/b/application"},
		{"/home/a", "/Users/b"},
		{"/home/ab", "/home/ab"},
		{"/etc", "/etc"},
		{"", ""},
	} {
		if got := m.Path(c.from); got != c.to {
			t.Errorf("%s became %s, want %s", c.from, got, c.to)
		}
		line := `{"a":"/home/a/app","cwd":"` + c.from + `","message":"in /home/a"}`
		want := `{"a":"/home/a/app","cwd":"` + c.to + `","message":"in /home/a"}`
		if got := string(m.lineIn([]byte(line))); got != want {
			t.Errorf("%s", got)
		}
		back := Move{m.To, m.From}
		if got := string(back.lineIn(m.lineIn([]byte(line)))); got != line {
			t.Errorf("there and back it is %s, was %s", got, line)
		}
	}
	for _, line := range []string{``, `no json "cwd"`, `{"cwd":7}`, `["cwd"]`, `["/home/a"]`, `{"cwd":"/home/a"`, `{"cwd":"/home/a"} {"cwd"`} {
		if got := string(m.lineIn([]byte(line))); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
}

// TestMoveOfCalls checks which paths in an agent's record are its own: those of its
// tools' calls, wherever they stand, and none in what was said or printed.
func TestMoveOfCalls(t *testing.T) {
	t.Parallel()
	m := Move{Place{"/home/a", "/home/a/app"}, Place{"/Users/b & c", "/srv/app"}}
	for _, c := range []struct{ line, want string }{
		{`{"message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/home/a/app/x.go","old_string":"/home/a/app/x.go"}}]}}`,
			`{"message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/srv/app/x.go","old_string":"/home/a/app/x.go"}}]}}`},
		{`{"toolUseResult" : {"filenames" : [ "/home/a/app/a\u00e9.go" , "/etc/b" , "/home/a/c" ], "filePath":"/home/a/app"}, "cwd":"/home/a/app"}`,
			`{"toolUseResult" : {"filenames" : [ "/srv/app/a\u00e9.go" , "/etc/b" , "/Users/b & c/c" ], "filePath":"/srv/app"}, "cwd":"/srv/app"}`},
		{`{"tool_calls":[{"id":"1","name":"Bash","input":{"command":"cat \"/home/a/app/x\", \"path\":\"/home/a/app\""}}]}`,
			`{"tool_calls":[{"id":"1","name":"Bash","input":{"command":"cat \"/home/a/app/x\", \"path\":\"/home/a/app\""}}]}`},
		{`{"path":{"to":"/home/a/app"},"list":["/home/a/app"],"path":["/home/a/app"]}`, `{"path":{"to":"/home/a/app"},"list":["/home/a/app"],"path":["/srv/app"]}`},
		{`{"content":"{\"cwd\":\"/home/a/app\"}","path":"\/home\/a\/app\/x"}`, `{"content":"{\"cwd\":\"/home/a/app\"}","path":"/srv/app/x"}`},
	} {
		got := string(m.lineIn([]byte(c.line)))
		if got != c.want {
			t.Errorf("%s\nbecame %s\nwant   %s", c.line, got, c.want)
		}
		if back := string((Move{m.To, m.From}).lineIn([]byte(got))); back != c.line && !strings.Contains(c.line, `\/`) {
			t.Errorf("there and back it is %s, was %s", back, c.line)
		}
	}
	windows := Move{Place{Root: `C:\Users\a\app`}, Place{Root: "/srv/app"}}
	if got := string(windows.lineIn([]byte(`{"file_path":"C:\\Users\\a\\app\\dir\\x.go"}`))); got != `{"file_path":"/srv/app/dir/x.go"}` {
		t.Error(got)
	}
}

// FuzzMove checks that a record stays a valid one, with all of its other members.
func FuzzMove(f *testing.F) {
	f.Add(`{"cwd":"/home/a/app","b":["/home/a"],"path":["/home/a/x",{"file_path":"/home/a"}]}`)
	f.Add(`{"cwd":"\u002fhome/a\"","":"/home/a"}`)
	m := Move{Place{"/home/a", "/home/a/app"}, Place{`C:\b`, `D:\app`}}
	f.Fuzz(func(t *testing.T, line string) {
		got := m.lineIn([]byte(line))
		if !json.Valid([]byte(line)) {
			if string(got) != line {
				t.Errorf("%q is no JSON and became %q", line, got)
			}
			return
		}
		if !json.Valid(got) {
			t.Errorf("%q became %q", line, got)
		}
		if bytes.Count(got, []byte{':'}) < bytes.Count([]byte(line), []byte{':'}) || !strings.Contains(line, "/") && string(got) != line && !strings.Contains(line, `\u`) {
			t.Errorf("%q became %q", line, got)
		}
	})
}

// TestRelined checks that what was taken back stays so when lines change their length.
func TestRelined(t *testing.T) {
	t.Parallel()
	lines := []string{"a", "bb", "ccc", string(session.StreamRewind(5)), "d", string(session.StreamRewind(2)), string(session.StreamRewind(4))}
	r := &lineChanger{Change: func(line []byte) []byte { return append([]byte("longer "), line...) }}
	var got []string
	for _, l := range lines {
		got = append(got, string(r.lineIn([]byte(l))))
	}
	// "longer a\n" ends at 9, "longer bb\n" at 19; 4 is no end of a line.
	for i, want := range map[int]int64{3: 19, 5: 9, 6: 4} {
		if got[i] != string(session.StreamRewind(want)) {
			t.Errorf("line %d is %s, want the rewind to %d", i, got[i], want)
		}
	}
}
