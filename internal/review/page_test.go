package review

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entire/agent"
)

// examplePage is the page of a change of two files, by an agent in two sessions, a person and unknown.
func examplePage(t *testing.T) string {
	t.Helper()
	var b Builder
	second := strings.Repeat("cd", 20)
	b.Commit(Commit{ID: oneID, Author: "Ada Lovelace", Time: "2026-03-01T12:00:00Z"})
	b.Commit(Commit{ID: second, Author: "Grace Hopper", Time: "2026-03-04T23:30:00Z"})
	first := Owner{Class: Agent, Session: "s-one", Agent: "Claude Code", Turn: 1}
	other := Owner{Class: Agent, Session: "s-two", Agent: "Gemini CLI"}
	var long []Line
	for n := 11; n <= 40; n++ {
		long = append(long, Line{n, fmt.Sprint("text ", n), first, oneID})
	}
	long = append(long, Line{45, "text 45", Owner{Class: Unknown}, ""}, Line{60, "text 60", other, second})
	b.File(File{Path: "long.txt", Lines: 100, OldLines: 69}, long, []Line{{11, "gone", Owner{Class: Human}, oneID}})
	b.File(File{Path: "short.txt", Lines: 3, OldLines: 0}, []Line{{1, "a", Owner{Class: Human}, oneID}, {2, "b", Owner{Class: Human}, oneID}, {3, "c", other, oneID}}, nil)
	d := b.Document(Range{"main..topic", oneID, second}, []Session{
		{ID: "s-one", Usage: &agent.TokenUsage{InputTokens: 1001, CacheCreationTokens: 2002, CacheReadTokens: 3003, OutputTokens: 4004,
			SubagentTokens: &agent.TokenUsage{InputTokens: 10, OutputTokens: 20}}},
		{ID: "s-two", Usage: &agent.TokenUsage{InputTokens: 5}},
	})
	d.Place = Place{Repository: "shop", Branch: "topic"}
	d.AddContext(func(path string) ([]byte, bool) {
		var text strings.Builder
		for n := range map[string]int{"long.txt": 100, "short.txt": 3}[path] {
			fmt.Fprintf(&text, "text %d\n", n+1)
		}
		return []byte(text.String()), true
	})
	var out bytes.Buffer
	if err := d.HTML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPageSaysWhereWhenAndWhat(t *testing.T) {
	t.Parallel()
	page := examplePage(t)
	for _, want := range []string{
		"<dt>Repository</dt><dd>shop</dd>", "<dt>Branch</dt><dd>topic</dd>", "<dt>Author</dt><dd>Ada Lovelace, Grace Hopper</dd>",
		"<dt>Date</dt><dd>1 March 2026 – 4 March 2026</dd>",
		"<dt>Tokens</dt><dd>10,045 tokens: 1,016 input, 2,002 cache write, 3,003 cache read, 4,024 output</dd>",
		`<p class="asked">5 tokens: 5 input, 0 cache write, 0 cache read, 0 output</p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
}

// A bar is as long as its file is large beside the largest, and each piece of it as its share.
func TestBarsAreInProportion(t *testing.T) {
	t.Parallel()
	var widths []string
	for _, m := range regexp.MustCompile(`class="bar small">(.*?)</div>`).FindAllString(examplePage(t), -1) {
		widths = append(widths, strings.Join(regexp.MustCompile(`[0-9.]+%`).FindAllString(m, -1), " "))
	}
	if want := []string{"96.88% 0.00% 3.12%", "3.12% 6.25% 0.00%"}; !slices.Equal(widths, want) {
		t.Errorf("the bars are %q, want %q", widths, want)
	}
}

func TestPageShowsContext(t *testing.T) {
	t.Parallel()
	var near []string
	for _, m := range regexp.MustCompile(`<tr class="near"><td class=""></td><td>(\d+)</td><td>  text (\d+)</td>`).FindAllStringSubmatch(examplePage(t), -1) {
		near = append(near, m[1])
		if m[1] != m[2] {
			t.Errorf("line %s is %s", m[1], m[2])
		}
	}
	if got, want := strings.Join(near, " "), "8 9 10 41 42 43 44 46 47 48 57 58 59 61 62 63"; got != want {
		t.Errorf("around the hunks are %s, want %s", got, want)
	}
}

func TestPageFiltersByOwner(t *testing.T) {
	t.Parallel()
	page := examplePage(t)
	var names []string
	for _, m := range regexp.MustCompile(`<label for="(w\d)"><span class="dot (\w+)"></span>([^<]*)</label>`).FindAllStringSubmatch(page, -1) {
		names = append(names, m[2]+": "+m[3])
		if rows := regexp.MustCompile(`<tr class="(add|del) by `+m[1]+`"`).FindAllString(page, -1); !strings.HasSuffix(m[3], fmt.Sprintf("(%d)", len(rows))) {
			t.Errorf("%s has %d rows", m[3], len(rows))
		}
		if rule := "body:has(#" + m[1] + ":checked) .by:not(." + m[1] + ") { display: none; }"; !strings.Contains(page, rule) {
			t.Errorf("%s is missing", rule)
		}
	}
	if want := []string{"agent: Claude Code s-one (30)", "human: person (3)", "agent: Gemini CLI s-two (2)", "unknown: unknown (1)"}; !slices.Equal(names, want) {
		t.Errorf("to choose from are %q, want %q", names, want)
	}
}

// What was added is green, what was removed red: no owner has a colour near those.
func TestColoursMeanOneThing(t *testing.T) {
	t.Parallel()
	colours := regexp.MustCompile(`--(agent|human|add|del): #([0-9a-f]{6})`).FindAllStringSubmatch(pageText, -1)
	if len(colours) != 8 {
		t.Fatalf("%d colours", len(colours))
	}
	for _, c := range colours {
		var r, g, b int
		if _, err := fmt.Sscanf(c[2], "%02x%02x%02x", &r, &g, &b); err != nil {
			t.Fatal(err)
		}
		if green, is := c[1] == "add", g > r && g > b; green != is {
			t.Errorf("%s is #%s", c[1], c[2])
		}
	}
}
