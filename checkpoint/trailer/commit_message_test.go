package trailer

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

var idA = id.MustCheckpointID("a3b2c4d5e6f7")

const trailerA = "Entire-Checkpoint: a3b2c4d5e6f7"

const template = "# Please enter the commit message for your changes.\n#\n# On branch main\n"

func TestAddCheckpointTrailer(t *testing.T) {
	t.Parallel()
	editor := MessageOptions{Editor: true, Hint: []string{"Remove the Entire-Checkpoint trailer above", "Last Prompt: a\nb"}}
	hint := "# Remove the Entire-Checkpoint trailer above\n# Last Prompt: a b\n"
	verbose := "# " + strings.Repeat("-", 24) + " >8 " + strings.Repeat("-", 24) + "\n"
	for _, tt := range []struct {
		name     string
		msg      string
		opts     MessageOptions
		want     string
		noOracle bool
	}{
		{name: "one line", msg: "fix it\n", want: "fix it\n\n" + trailerA + "\n"},
		{name: "conventional subject", msg: "feat: x\n", want: "feat: x\n\n" + trailerA + "\n"},
		{name: "no final newline", msg: "feat: x", want: "feat: x\n\n" + trailerA + "\n"},
		{name: "body", msg: "s\n\nbody: not\na trailer\n", want: "s\n\nbody: not\na trailer\n\n" + trailerA + "\n"},
		{name: "existing block", msg: "s\n\nb\n\nFixes: #1\n", want: "s\n\nb\n\nFixes: #1\n" + trailerA + "\n"},
		{name: "two-line title", msg: "s: a\nt: b\n", want: "s: a\nt: b\n\n" + trailerA + "\n"},
		{name: "continued trailer", msg: "s\n\nKey: a\n  b\n", want: "s\n\nKey: a\n  b\n" + trailerA + "\n"},
		{name: "sign-off amid prose", msg: "s\n\none\ntwo\nSigned-off-by: A <a@b>\n", want: "s\n\none\ntwo\nSigned-off-by: A <a@b>\n" + trailerA + "\n"},
		{name: "crlf", msg: "s\r\n\r\nFixes: #1\r\n", want: "s\r\n\r\nFixes: #1\r\n" + trailerA + "\r\n"},
		{name: "crlf subject", msg: "feat: s\r\n", want: "feat: s\r\n\r\n" + trailerA + "\r\n"},
		{name: "unicode", msg: "fix: größe 数\n", want: "fix: größe 数\n\n" + trailerA + "\n"},
		{name: "issue as subject", msg: "#12 fix\n", want: "#12 fix\n\n" + trailerA + "\n"},
		{name: "issue below", msg: "s\n\n#12\n", want: "s\n\n#12\n\n" + trailerA + "\n"},
		{name: "issue below trailers", msg: "s\n\nFixes: y\n\n#12\n", want: "s\n\nFixes: y\n" + trailerA + "\n\n#12\n"},
		{name: "there already", msg: "s\n\n" + trailerA + "\n", want: "s\n\n" + trailerA + "\n"},
		{name: "editor", msg: "s\n\n" + template, opts: editor, want: "s\n\n" + trailerA + "\n" + hint + "\n" + template},
		{name: "editor, empty", msg: "\n" + template, opts: editor, want: "\n\n" + trailerA + "\n" + hint + "\n" + template, noOracle: true},
		{name: "editor, sign-off", msg: "\nSigned-off-by: A <a@b>\n\n" + template, opts: editor,
			want: "\nSigned-off-by: A <a@b>\n" + trailerA + "\n" + hint + "\n" + template, noOracle: true},
		{name: "editor, verbose", msg: "s\n" + template + verbose + "diff\n+x: y\n", opts: editor,
			want: "s\n\n" + trailerA + "\n" + hint + "\n" + template + verbose + "diff\n+x: y\n"},
		{name: "editor, nothing commented", msg: "s\n", opts: editor, want: "s\n\n" + trailerA + "\n"},
		{name: "cleanup=scissors", msg: "s\n" + verbose + "# more\ndiff\n", opts: editor, want: "s\n\n" + trailerA + "\n" + verbose + "# more\ndiff\n"},
		{name: "other comment char", msg: "s\n\n# text\n; c\n", opts: MessageOptions{Editor: true, CommentPrefix: ";", Hint: []string{"h"}},
			want: "s\n\n# text\n\n" + trailerA + "\n; h\n\n; c\n", noOracle: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(AddCheckpointTrailer([]byte(tt.msg), idA, tt.opts))
			if got != tt.want {
				t.Fatalf("got  %q\nwant %q", got, tt.want)
			}
			if !tt.noOracle {
				checkWithGit(t, testrepo.New(t, testrepo.Unborn()), tt.msg, got, tt.opts.Editor)
			}
			if tt.name != "there already" && len(tt.opts.Hint) == 0 {
				checkRemoved(t, tt.msg, got)
			}
		})
	}
}

// checkWithGit commits both messages as git would and compares what git sees.
func checkWithGit(t interface{ Fatalf(string, ...any) }, r *testrepo.Repo, before, after string, editor bool) {
	if got := r.GitInput(after, "interpret-trailers", "--parse", "--no-divider"); !strings.Contains(got, trailerA) {
		t.Fatalf("interpret-trailers sees %q in %q", got, after)
	}
	cleanup := "--cleanup=whitespace"
	if editor {
		cleanup = "--cleanup=strip"
		before, _, _ = strings.Cut(before, "# -----")
		after, _, _ = strings.Cut(after, "# -----")
	}
	commit := func(msg string) string {
		r.GitInput(msg, "commit", "--allow-empty", "--allow-empty-message", "-q", cleanup, "-F", "-")
		return r.Git("log", "-1", "--format=%s%x00%(trailers:only)")
	}
	subject, _, _ := strings.Cut(commit(before), "\x00")
	gotSubject, trailers, _ := strings.Cut(commit(after), "\x00")
	if subject != gotSubject || !strings.Contains(trailers, trailerA) {
		t.Fatalf("git log: subject %q, was %q; trailers %q; message %q", gotSubject, subject, trailers, after)
	}
}

// checkRemoved takes the trailer away again; only a final newline that the text
// had not may remain.
func checkRemoved(t interface{ Fatalf(string, ...any) }, before, after string) {
	back := string(RemoveCheckpointTrailer([]byte(after)))
	if back != before && (strings.HasSuffix(before, "\n") || back != before+lineEnding([]byte(before))) {
		t.Fatalf("removed again: %q\nwas:           %q\nbetween:       %q", back, before, after)
	}
}

// messageGen draws messages from pieces in which placement has gone wrong.
func messageGen() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{
		"feat: x", "plain words", "Fixes: #1", "Signed-off-by: A <a@b.c>", "(cherry picked from commit abc)", "# c",
		"#1", "  indented", "\tx", "", "", "---", "Conflicts:", "größe: 数", ": odd", "Key : v", "a b: c", "http://x/y",
		"Co-authored-by: B <b@c.d>", " ", "0", "-a: b", "Entire-Session: x",
	})
	return rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(line, 0, 9).Draw(t, "lines")
		eol := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "eol")
		end := rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "end")
		return strings.Join(lines, eol) + end
	})
}

func TestAddCheckpointTrailerRandom(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	sig := git.Signature{Name: "A", Email: "a@b", When: time.Unix(1700000000, 0)}
	store := func(msg string) string {
		sig.When = sig.When.Add(time.Second) // git log lists a commit once
		oid, err := repo.Writer().Commit(git.Commit{Tree: repo.EmptyTree(), Author: sig, Committer: sig, Message: msg})
		if err != nil {
			t.Fatal(err)
		}
		return oid.String() + "\n"
	}
	if _, err := repo.Writer().Tree(nil); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var commits strings.Builder
		var subjects []string
		for _, msg := range rapid.SliceOfN(messageGen(), 1, 20).Draw(t, "messages") {
			msg = strings.TrimLeft(msg, " \r\n")
			got := string(AddCheckpointTrailer([]byte(msg), idA, MessageOptions{}))
			checkRemoved(t, msg, got)
			if ids := ParseCheckpointTrailers(got); len(ids) != 1 || ids[0] != idA {
				t.Fatalf("parsed %v from %q", ids, got)
			}
			if msg != "" {
				commits.WriteString(store(msg) + store(got))
				subjects = append(subjects, got)
			}
		}
		if err := repo.Writer().Sync(); err != nil {
			t.Fatal(err)
		}
		out := strings.Split(r.GitInput(commits.String(), "log", "--no-walk=unsorted", "--stdin", "--format=%s%x01%(trailers:only)%x00"), "\x00\n")
		for i, msg := range subjects {
			before, _, _ := strings.Cut(out[2*i], "\x01")
			after, trailers, _ := strings.Cut(out[2*i+1], "\x01")
			if before != after || !strings.Contains(trailers, trailerA) {
				t.Fatalf("git log: subject %q, was %q; trailers %q; message %q", after, before, trailers, msg)
			}
		}
	})
}

func TestAddCheckpointTrailerWithEditorRandom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		msg := messageGen().Draw(t, "msg") + "\n" + template
		got := string(AddCheckpointTrailer([]byte(msg), idA, MessageOptions{Editor: true}))
		checkRemoved(t, msg, got)
		if IsOtherwiseEmpty([]byte(msg), "") != IsOtherwiseEmpty([]byte(got), "") {
			t.Fatalf("the trailer changes whether %q is empty", msg)
		}
		before, _, _ := strings.Cut(got, trailerA)
		if strings.Contains(before, "# Please enter") {
			t.Fatalf("trailer below the template: %q", got)
		}
	})
}

func TestIsOtherwiseEmpty(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, msg, prefix string
		want              bool
	}{
		{"only ours", "\n\n" + trailerA + "\n" + template, "", true},
		{"ours and a sign-off", "\nSigned-off-by: A <a@b>\n" + trailerA + "\n", "", true},
		{"text", "x\n\n" + trailerA + "\n", "", false},
		{"issue number without an editor", "#12\n\n" + trailerA + "\n", NoComments, false},
		{"other comment char", "; c\n" + trailerA + "\n", ";", true},
		{"hash is text then", "# c\n" + trailerA + "\n", ";", false},
		{"diff below scissors", trailerA + "\n#" + scissors + "\n+x\n", "", true},
		{"nothing", "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := IsOtherwiseEmpty([]byte(tt.msg), tt.prefix); got != tt.want {
				t.Errorf("got %v, text %q", got, MessageText([]byte(tt.msg), tt.prefix))
			}
		})
	}
}

func TestMessageCheckpoints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, msg, prefix string
		want              int
	}{
		{"trailer", "s\n\n" + trailerA + "\n" + template, "", 1},
		{"commented out", "s\n\n# " + trailerA + "\n" + template, "", 0},
		{"in the diff", "s\n#" + scissors + "\n+" + trailerA + "\n", "", 0},
		{"hash is text then", "s\n\n# " + trailerA + "\n", ";", 1},
	} {
		if got := MessageCheckpoints([]byte(tt.msg), tt.prefix); len(got) != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestCommentPrefix(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ configured, msg, want string }{
		{"", "s\n", "#"},
		{";", "s\n# x", ";"},
		{"auto", "# title\n\n; Please enter\n; x\n", ";"},
		{"auto", "s\n;" + scissors + "\ndiff\n+x\n", ";"},
		{"auto", "s\n", "#"},
	} {
		if got := CommentPrefix([]byte(tt.msg), tt.configured); got != tt.want {
			t.Errorf("CommentPrefix(%q, %q) = %q, want %q", tt.msg, tt.configured, got, tt.want)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte("feat: x\n\nFixes: #1\n"), "", false)
	f.Add([]byte("\n"+template), "#", true)
	f.Fuzz(func(t *testing.T, msg []byte, prefix string, editor bool) {
		if strings.TrimSpace(prefix) != prefix {
			prefix = "" // git takes no white space
		}
		got := AddCheckpointTrailer(msg, idA, MessageOptions{CommentPrefix: prefix, Editor: editor, Hint: []string{"h"}})
		if !hasTrailer(got, idA.String(), prefixOrHash(prefix)) {
			t.Fatalf("no trailer in %q", got)
		}
		if bytes.HasPrefix(RemoveCheckpointTrailer(got), []byte(trailerA)) {
			t.Fatalf("trailer left in %q", got)
		}
		ParseCheckpointTrailers(string(msg))
		MessageText(msg, prefix)
		CommentPrefix(msg, "auto")
	})
}
