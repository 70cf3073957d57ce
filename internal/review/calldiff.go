package review

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/attribution"
)

// DiffLine is a line of a diff: Op is '+', '-', ' ' or, between stretches, '@'.
type DiffLine struct {
	Op   byte
	Text string
}

// CallDiff returns the change that an editing tool's call asked for, as a diff; nil for other tools. Where
// the call's input shows more than its edits, it uses that.
func CallDiff(call conversation.Passage) []DiffLine {
	if len(call.Edits) == 0 {
		return nil
	}
	input := gjson.ParseBytes(call.Call.Input)
	if patch := input.Get("input"); patch.Type == gjson.String {
		return patchLines(patch.Str)
	}
	if cell := input.Get("new_source"); cell.Type == gjson.String {
		return diffTexts("", cell.Str)
	}
	edits := input.Get("edits")
	if !edits.IsArray() {
		return editLines(call.Edits)
	}
	var out []DiffLine
	edits.ForEach(func(_, edit gjson.Result) bool {
		if len(out) > 0 {
			out = append(out, DiffLine{Op: '@'})
		}
		older, newer := agent.FirstString(edit, "old_string", "oldString", "oldText", "old_str"), agent.FirstString(edit, "new_string", "newString", "newText", "new_str")
		out = append(out, diffTexts(older, newer)...)
		return true
	})
	return out
}

// editLines returns the changes of a call's edits, one after the other.
func editLines(edits []agent.Edit) []DiffLine {
	var out []DiffLine
	for _, e := range edits {
		if len(out) > 0 {
			out = append(out, DiffLine{Op: '@'})
		}
		out = append(out, diffTexts(strings.Join(e.Replaced, ""), strings.Join(e.Texts, ""))...)
	}
	return out
}

// diffTexts returns the shortest diff of two texts. It ignores a missing newline at the end, because
// both texts may be fragments of a file.
func diffTexts(older, newer string) []DiffLine {
	older, newer = withNewline(older), withNewline(newer)
	was, now := textLines(older), textLines(newer)
	added, removed := attribution.Diff([]byte(older), []byte(newer))
	if len(added) != len(now) || len(removed) != len(was) {
		added, removed = allTrue(len(now)), allTrue(len(was))
	}
	var out []DiffLine
	for i, j := 0, 0; i < len(was) || j < len(now); {
		switch {
		case i < len(was) && removed[i]:
			out = append(out, DiffLine{'-', was[i]})
			i++
		case j < len(now) && added[j]:
			out = append(out, DiffLine{'+', now[j]})
			j++
		case i < len(was) && j < len(now):
			out = append(out, DiffLine{' ', now[j]})
			i, j = i+1, j+1
		default: // lengths differ: return the remaining lines
			for ; i < len(was); i++ {
				out = append(out, DiffLine{'-', was[i]})
			}
			for ; j < len(now); j++ {
				out = append(out, DiffLine{'+', now[j]})
			}
		}
	}
	return out
}

func withNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func allTrue(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

func textLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimSuffix(line, "\n"))
	}
	return out
}

// patchLines parses a patch in apply_patch's format.
func patchLines(patch string) []DiffLine {
	var out []DiffLine
	for _, line := range textLines(patch) {
		switch {
		case strings.HasPrefix(line, "*** "), strings.HasPrefix(line, "@@"):
			out = append(out, DiffLine{'@', line})
		case line == "":
			out = append(out, DiffLine{' ', ""})
		case line[0] == '+', line[0] == '-', line[0] == ' ':
			out = append(out, DiffLine{line[0], line[1:]})
		default:
			out = append(out, DiffLine{' ', line})
		}
	}
	return out
}

// DiffAround cuts diff to at most n lines before and after its first added line with the words of
// line. above and below count the lines cut off; without such a line it keeps the beginning.
func DiffAround(diff []DiffLine, line string, n int) (kept []DiffLine, above, below int) {
	at, want := 0, Squeezed(line)
	for i, d := range diff {
		if d.Op == '+' && Squeezed(d.Text) == want {
			at = i
			break
		}
	}
	from, to := max(at-n, 0), min(at+n+1, len(diff))
	return diff[from:to], from, len(diff) - to
}

// DiffText formats a diff as text: one line each, with its sign.
func DiffText(diff []DiffLine) string {
	var b strings.Builder
	for _, d := range diff {
		b.WriteByte(d.Op)
		b.WriteString(d.Text + "\n")
	}
	return b.String()
}
