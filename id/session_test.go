package id

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseSessionID(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, reason string }{
		{"uuid", "258c7280-ae70-4798-800f-63464d01a85d", ""},
		{"date prefix", "2026-01-02-abc_DEF.1", ""},
		{"one letter", "a", ""},
		{"leading underscore", "_a", ""},
		{"255 bytes", strings.Repeat("a", 255), ""},
		{"side directory ending", "a.d", ""},
		{"empty", "", "is empty"},
		{"256 bytes", strings.Repeat("a", 256), "has 256 bytes"},
		{"10 kB", strings.Repeat("../", 3334), "has 10002 bytes"},
		{"parent", "..", "begins with '.'"},
		{"traversal", "../../etc/passwd", "begins with '.'"},
		{"hidden", ".git", "begins with '.'"},
		{"option", "--upload-pack=x", "begins with '-'"},
		{"slash", "a/b", `contains "/"`},
		{"backslash", `a\b`, `contains "\\"`},
		{"drive", "c:x", `contains ":"`},
		{"NUL", "a\x00b", `contains "\x00"`},
		{"newline", "a\nb", `contains "\n"`},
		{"space", "a b", `contains " "`},
		{"invalid UTF-8", "a\xff", `contains "\xff"`},
		{"letter outside ASCII", "sessión", `contains "\xc3"`},
		{"right-to-left override", "a\u202eb", `contains "\xe2"`},
		{"range", "a..b", `contains ".."`},
		{"lock", "a.lock", `ends with ".lock"`},
		{"lock in capitals", "a.LOCK", `ends with ".lock"`},
		{"json", "a.json", `ends with ".json"`},
		{"dot at the end", "a.", `ends with "."`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := ParseSessionID(tc.in)
			if tc.reason == "" {
				if err != nil || s.String() != tc.in || s.IsZero() {
					t.Fatalf("ParseSessionID(%q) = %q, %v", tc.in, s, err)
				}
				return
			}
			if err == nil || !s.IsZero() {
				t.Fatalf("accepted %.40q as %q", tc.in, s)
			}
			if !strings.Contains(err.Error(), tc.reason) {
				t.Errorf("error %q does not say %q", err, tc.reason)
			}
			checkMessage(t, err)
		})
	}
}

func TestSessionIDJSON(t *testing.T) {
	t.Parallel()
	type doc struct {
		ID   SessionID         `json:"id"`
		Seen map[SessionID]int `json:"seen,omitempty"`
	}
	in := `{"id":"abc","seen":{"x-1":2}}`
	var d doc
	if err := json.Unmarshal([]byte(in), &d); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(d)
	if err != nil || string(out) != in {
		t.Errorf("round trip gave %s, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"id":"a/b"}`), &d); err == nil {
		t.Error("decoded an invalid id")
	}
	if d.ID.String() != "abc" {
		t.Errorf("a failed decode changed the value to %q", d.ID)
	}
	if err := json.Unmarshal([]byte(`{"id":""}`), &d); err != nil || !d.ID.IsZero() {
		t.Errorf("empty decoded to %q, %v", d.ID, err)
	}
}

func TestParseToolUseID(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in string
		ok       bool
	}{
		{"empty", "", true},
		{"claude", "toolu_01AbC-x", true},
		{"200 bytes", strings.Repeat("a", 200), true},
		{"201 bytes", strings.Repeat("a", 201), false},
		{"dot", "a.b", false},
		{"parent", "..", false},
		{"separator", "a/b", false},
		{"NUL", "a\x00", false},
		{"letter outside ASCII", "é", false},
		{"10 kB", strings.Repeat("\n", 10_000), false},
	} {
		s, err := ParseToolUseID(tc.in)
		if (err == nil) != tc.ok {
			t.Errorf("%s: error %v, want ok %v", tc.name, err, tc.ok)
		}
		if want := tc.in; tc.ok && s != want || !tc.ok && s != "" {
			t.Errorf("%s: got %q", tc.name, s)
		}
		if err != nil {
			checkMessage(t, err)
		}
		stands := ToolUseIDFor(tc.in)
		if _, err := ParseToolUseID(stands); err != nil || (stands == tc.in) != tc.ok || stands == "" && tc.in != "" {
			t.Errorf("%s: %q stands for it", tc.name, stands)
		}
	}
}

func FuzzParseSessionID(f *testing.F) {
	for _, s := range []string{"", "abc", "..", "a/b", "a.lock", "-x", "a\x00", "é", "a..b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseSessionID(s)
		if err != nil {
			checkMessage(t, err)
			return
		}
		if v.String() != s {
			t.Fatalf("%q became %q", s, v)
		}
		if dir := filepath.Join("/base", s); filepath.Dir(dir) != "/base" || filepath.Base(dir) != s {
			t.Fatalf("%q is no single path component: %s", s, dir)
		}
		if strings.ContainsAny(s, "\x00/\\: \n") || strings.HasPrefix(s, "-") {
			t.Fatalf("accepted %q", s)
		}
	})
}

func FuzzParseToolUseID(f *testing.F) {
	for _, s := range []string{"", "toolu_01", "..", "a/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseToolUseID(s)
		if err == nil && (v != s || strings.ContainsAny(s, "./\\\x00")) {
			t.Fatalf("accepted %q as %q", s, v)
		}
	})
}

// checkMessage fails unless err is one short printable line.
func checkMessage(t *testing.T, err error) {
	t.Helper()
	m := err.Error()
	if len(m) > 300 {
		t.Errorf("error of %d bytes", len(m))
	}
	for _, r := range m {
		if r < ' ' || r > '~' {
			t.Errorf("error %q contains %q", m, r)
		}
	}
}
