package rewindlib

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/testrepo"
	"entire/strategy/condense"
)

// TestChosenHunksKeepLineEnds brings back one hunk of files whose line ends git converts: only its lines change.
func TestChosenHunksKeepLineEnds(t *testing.T) {
	t.Parallel()
	text := func(end string, words map[int]string) string {
		var b strings.Builder
		for i := range 40 {
			word, ok := words[i]
			if !ok {
				word = fmt.Sprint("line ", i)
			}
			b.WriteString(word + end)
		}
		return b.String()
	}
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	now := map[int]string{2: "two", 30: "thirty\nand more"}
	for name, row := range map[string]struct{ attributes, now, want string }{
		"CRLF where git has LF":   {"* text=auto\n", crlf(text("\n", now)), crlf(text("\n", map[int]string{2: "two"}))},
		"LF where git has CRLF":   {"* text eol=crlf\n", text("\n", now), text("\n", map[int]string{2: "two"})},
		"mixed, as the neighbour": {"* text=auto\n", strings.Replace(crlf(text("\n", now)), "line 7\r", "line 7", 1), strings.Replace(crlf(text("\n", map[int]string{2: "two"})), "line 7\r", "line 7", 1)},
		"no conversion":           {"", text("\n", now), text("\n", map[int]string{2: "two"})},
		"the last line has none":  {"* text=auto\n", strings.TrimSuffix(crlf(text("\n", now)), "\r\n"), strings.TrimSuffix(crlf(text("\n", map[int]string{2: "two"})), "\r\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := text("\n", nil)
			if strings.HasSuffix(name, "none") {
				first = strings.TrimSuffix(first, "\n")
			}
			r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": first, ".gitattributes": row.attributes, ".entire/settings.json": `{"enabled": true}`}))
			env, _, _ := clitest.WorldOf(r)
			file := filepath.Join(r.Dir, "a.txt")
			clitest.Put(t, file, row.now)
			req := Request{Point: r.Git("rev-parse", "HEAD"), Scope: condense.Scope{Kind: condense.ScopeTree, SkipConversation: true}, Hunks: Hunks{"a.txt": {2}}}
			do := func(req Request, want string) {
				t.Helper()
				seen, err := Look(t.Context(), env, req)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := Do(t.Context(), env, req, seen.Mark); err != nil {
					t.Fatal(err)
				}
				if got := r.Read("a.txt"); got != want {
					t.Errorf("the file is %q, want %q", got, want)
				}
			}
			do(req, row.want)
			do(Request{Kind: condense.RewindUndo}, row.now)
			do(Request{Kind: condense.RewindRedo}, row.want)
		})
	}
}
