package versions

import (
	"bytes"
	"slices"
	"strings"
)

// applyAll returns the content after the edits; false if one of them does not fit.
func applyAll(content []byte, edits []Edit) ([]byte, bool) {
	for _, e := range edits {
		var ok bool
		if content, ok = e.apply(content); !ok {
			return nil, false
		}
	}
	return content, true
}

// reverseAll returns the content before the edits; false if that cannot be told.
func reverseAll(content []byte, edits []Edit) ([]byte, bool) {
	for _, e := range slices.Backward(edits) {
		var ok bool
		if content, ok = e.reverse().apply(content); !ok {
			return nil, false
		}
	}
	return content, true
}

// reverse returns the edit that undoes e. One that replaced every occurrence, or wrote the whole content,
// cannot be undone: its reverse fits no content.
func (e Edit) reverse() Edit {
	out, moved := Edit{}, 0
	if e.Append != "" {
		return Edit{cut: e.Append}
	}
	if e.EachLine {
		return Edit{Hunks: []Hunk{{Index: -1}}}
	}
	if !e.All && e.New != "" && e.Old != "" {
		out.Old, out.New = e.New, e.Old
	}
	for _, h := range e.Hunks {
		r := Hunk{Index: h.Index, First: h.First}
		if h.Index >= 0 {
			r.Index += moved
		}
		for _, line := range h.Lines {
			r.Lines = append(r.Lines, flipped(line))
		}
		out.Hunks, moved = append(out.Hunks, r), moved+len(h.side('+'))-len(h.side('-'))
	}
	if out.Old == "" && len(out.Hunks) == 0 {
		out.Hunks = []Hunk{{Index: -1}}
	}
	return out
}

func flipped(line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return "-" + line[1:]
	case strings.HasPrefix(line, "-"):
		return "+" + line[1:]
	}
	return line
}

// apply returns the content after the edit; false if it does not fit.
func (e Edit) apply(content []byte) ([]byte, bool) {
	if e.Append != "" {
		return slices.Concat(content, []byte(e.Append)), true
	}
	if e.cut != "" {
		return bytes.CutSuffix(content, []byte(e.cut))
	}
	if e.EachLine {
		return e.substitute(content), true
	}
	if e.Old == "" && len(e.Hunks) == 0 {
		return []byte(e.New), len(content) == 0
	}
	if out, ok := e.replace(content); ok || len(e.Hunks) == 0 {
		return out, ok
	}
	return applyHunks(content, e.Hunks)
}

// replace applies the edit as a text that is replaced.
func (e Edit) replace(content []byte) ([]byte, bool) {
	was, now := []byte(e.Old), []byte(e.New)
	if len(was) == 0 {
		return nil, false
	}
	n := bytes.Count(content, was)
	if n == 0 && bytes.Contains(content, []byte("\r\n")) && !bytes.Contains(was, []byte("\r\n")) {
		was, now = bytes.ReplaceAll(was, []byte("\n"), []byte("\r\n")), bytes.ReplaceAll(now, []byte("\n"), []byte("\r\n"))
		n = bytes.Count(content, was)
	}
	switch {
	case n == 0 || n > 1 && !e.All: // a tool refuses a text that occurs twice
		return nil, false
	case e.All:
		return bytes.ReplaceAll(content, was, now), true
	}
	return bytes.Replace(content, was, now, 1), true
}

// substitute replaces a text in each line.
func (e Edit) substitute(content []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(content) {
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		out.Write(e.inLine(text))
		if ended {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

func (e Edit) inLine(line []byte) []byte {
	was, now := []byte(e.Old), []byte(e.New)
	switch {
	case e.Begins && e.Ends:
		if bytes.Equal(line, was) {
			return now
		}
	case e.Begins:
		if rest, ok := bytes.CutPrefix(line, was); ok {
			return slices.Concat(now, rest)
		}
	case e.Ends:
		if rest, ok := bytes.CutSuffix(line, was); ok {
			return slices.Concat(rest, now)
		}
	case e.All:
		return bytes.ReplaceAll(line, was, now)
	default:
		return bytes.Replace(line, was, now, 1)
	}
	return line
}

// side returns the hunk's lines before ('-') or after ('+') the change, without their signs.
func (h Hunk) side(sign byte) []string {
	out := []string{}
	for _, line := range h.Lines {
		if line != "" && (line[0] == ' ' || line[0] == sign) {
			out = append(out, line[1:])
		} else if line == "" { // an empty line whose sign was trimmed
			out = append(out, "")
		}
	}
	return out
}

// openEnd reports whether the last line of a side has no line end in the file, according to a note.
func (h Hunk) openEnd(sign byte) (open bool) {
	for i, line := range h.Lines {
		if i > 0 && strings.HasPrefix(line, `\`) && h.Lines[i-1] != "" {
			open = open || h.Lines[i-1][0] == sign || h.Lines[i-1][0] == ' '
		}
	}
	return open
}

// applyHunks returns the content after the hunks. A hunk that does not fit at its place is taken where it
// fits, if that is one place only.
func applyHunks(content []byte, hunks []Hunk) ([]byte, bool) {
	crlf := bytes.Contains(content, []byte("\r\n"))
	lines := strings.Split(string(content), "\n")
	moved, from := 0, 0
	for _, h := range hunks {
		was, now := h.side('-'), h.side('+')
		if len(h.Lines) == 0 {
			return nil, false
		}
		if crlf {
			was, now = withCR(was, lines), withCR(now, lines)
		}
		at, ok := h.place(lines, was, moved, from)
		if !ok {
			return nil, false
		}
		lines = slices.Replace(lines, at, at+len(was), now...)
		if h.openEnd('+') && len(lines) > 1 && lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		} else if h.openEnd('-') && !h.openEnd('+') && lines[len(lines)-1] != "" {
			lines = append(lines, "")
		}
		if h.Index >= 0 {
			moved += len(now) - len(was)
		}
		from = at + len(now)
	}
	return []byte(strings.Join(lines, "\n")), true
}

// withCR returns the lines with the carriage return that the file has at the end of its lines, unless they
// have it.
func withCR(lines, file []string) []string {
	if slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, "\r") }) {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		if out[i] = l + "\r"; l == file[len(file)-1] && l == "" {
			out[i] = l
		}
	}
	return out
}

// place returns where the lines was stand: at the told place, moved by earlier hunks; otherwise from an index
// on, after the line After, where they first stand or, unless First is set, at the only place.
func (h Hunk) place(lines, was []string, moved, from int) (int, bool) {
	if at := h.Index + moved; h.Index >= 0 && fits(lines, was, at) {
		return at, true
	}
	if h.After != "" {
		if i := slices.IndexFunc(lines[from:], func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(h.After) }); i >= 0 {
			from += i + 1
		}
	}
	if len(was) == 0 { // lines that were only added, at the end
		end := len(lines)
		if lines[end-1] == "" {
			end--
		}
		return end, h.First
	}
	found := -1
	for at := from; at+len(was) <= len(lines); at++ {
		if !fits(lines, was, at) {
			continue
		}
		if found >= 0 {
			return 0, false
		}
		if found = at; h.First {
			break
		}
	}
	return found, found >= 0
}

func fits(lines, was []string, at int) bool {
	return at >= 0 && at+len(was) <= len(lines) && slices.Equal(lines[at:at+len(was)], was)
}
