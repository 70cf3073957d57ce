package trailer

import (
	"os/exec"
	"strings"
	"testing"
)

func TestFormsFor(t *testing.T) {
	t.Parallel()
	rules := []CreditRule{{Form: FormAssisted}, {Paths: []string{"web/"}, Form: FormCoAuthored}, {Paths: []string{"**/*.md"}, Form: FormNone}}
	for _, test := range []struct{ paths, want string }{
		{"a.go", "assisted-by"}, {"web/a.js", "co-authored-by"}, {"web/README.md", ""}, {"a.go web/a.js", "assisted-by co-authored-by"},
		{"a.md b.go", "assisted-by"}, {"", ""},
	} {
		if got := strings.Join(FormsFor(rules, strings.Fields(test.paths)), " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.paths, got, test.want)
		}
	}
	if got := FormsFor([]CreditRule{{Paths: []string{"x/"}, Form: FormAssisted}}, []string{"y"}); got != nil {
		t.Errorf("no rule means the path: %q", got)
	}
}

// parsed returns the trailers that git finds.
func parsed(t *testing.T, msg []byte) string {
	t.Helper()
	cmd := exec.Command("git", "interpret-trailers", "--parse")
	cmd.Stdin = strings.NewReader(string(msg))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(out), "\n", "|"))
}

func TestAddCredit(t *testing.T) {
	t.Parallel()
	plain := MessageOptions{CommentPrefix: NoComments}
	c := Assisted("claude-code", "opus 4")
	co := CoAuthored("Some <Agent>", "Bot@Example.com")
	for _, test := range []struct {
		name, msg string
		c         Credit
		want      string
	}{
		{"a subject", "Work\n", c, "Assisted-by: claude-code:opus-4|"},
		{"no end of line", "Work", c, "Assisted-by: claude-code:opus-4|"},
		{"before the sign-off", "Work\n\nFixes: 1\nSigned-off-by: Ann <a@b>\n", c, "Fixes: 1|Assisted-by: claude-code:opus-4|Signed-off-by: Ann <a@b>|"},
		{"after the checkpoint", "Work\n\nEntire-Checkpoint: a1b2c3d4e5f6\n", c, "Entire-Checkpoint: a1b2c3d4e5f6|Assisted-by: claude-code:opus-4|"},
		{"there already", "Work\n\nAssisted-by: claude-code:opus-4\n", c, "Assisted-by: claude-code:opus-4|"},
		{"there by another name, with tools", "Work\n\nassisted-by: Claude:opus-4 sparse\n", c, "assisted-by: Claude:opus-4 sparse|"},
		{"the same model of another agent", "Work\n\nAssisted-by: cursor:opus-4\n", c, "Assisted-by: cursor:opus-4|Assisted-by: claude-code:opus-4|"},
		{"another model", "Work\n\nAssisted-by: claude-code:opus-3\n", c, "Assisted-by: claude-code:opus-3|Assisted-by: claude-code:opus-4|"},
		{"an unknown model twice", "Work\n\nAssisted-by: one:unknown\n", Assisted("two", ""), "Assisted-by: one:unknown|Assisted-by: two:unknown|"},
		{"a co-author", "Work\n", co, "Co-authored-by: Some Agent <Bot@Example.com>|"},
		{"a co-author of the same address", "Work\n\nCo-Authored-By: Agent <bot@example.com>\n", co, "Co-Authored-By: Agent <bot@example.com>|"},
		{"a person", "Work\n\nCo-authored-by: Bob <bob@example.com>\n", co, "Co-authored-by: Bob <bob@example.com>|Co-authored-by: Some Agent <Bot@Example.com>|"},
		{"only in the middle", "Work\n\nAssisted-by: claude-code:opus-4\n\nmore text\n", c, "Assisted-by: claude-code:opus-4|"},
	} {
		got := AddCredit([]byte(test.msg), test.c, plain)
		if found := parsed(t, got); found != test.want {
			t.Errorf("%s: git finds %q, want %q", test.name, found, test.want)
		}
		if again := AddCredit(got, test.c, plain); string(again) != string(got) {
			t.Errorf("%s: added twice: %q", test.name, again)
		}
	}
}

// TestOnlyCredits: a message with nothing but what we added is empty, so that git gives up on it.
func TestOnlyCredits(t *testing.T) {
	t.Parallel()
	editor := MessageOptions{Editor: true}
	msg := []byte("\n# Please enter the commit message\n#\n")
	out := AddCredit(msg, Assisted("one", "m"), editor)
	out = AddCredit(out, CoAuthored("Two", "t@example.com"), editor)
	if !IsOtherwiseEmpty(out, "#") {
		t.Errorf("not empty: %q", out)
	}
	if left := RemoveTrailers(out); strings.Contains(string(left), "-by") {
		t.Errorf("left %q", left)
	}
	if IsOtherwiseEmpty([]byte("Assisted by nobody\n"), "#") {
		t.Error("text is text")
	}
}

func FuzzAddCredit(f *testing.F) {
	f.Add("Work\n\nSigned-off-by: A <a@b>\n", "agent", "model", true)
	f.Fuzz(func(t *testing.T, msg, agent, model string, editor bool) {
		c := Assisted(agent, model)
		out := AddCredit([]byte(msg), c, MessageOptions{Editor: editor})
		if again := AddCredit(out, c, MessageOptions{Editor: editor}); len(again) != len(out) && !strings.ContainsAny(msg+agent+model, "#\r\x00") {
			t.Errorf("%q, then %q", out, again)
		}
		Credits(msg)
		RemoveTrailers(out)
	})
}
