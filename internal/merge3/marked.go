package merge3

import "bytes"

// Marked returns the merged text with both sides of each conflict between markers, as git writes them,
// with the given names. It returns nil for files that are not merged by lines.
func (r Result) Marked(ours, theirs string) []byte {
	if r.whole {
		return nil
	}
	end := r.lineEnd()
	out := []byte{}
	line := func(text string) {
		if n := len(out); n > 0 && out[n-1] != '\n' {
			out = append(out, end...)
		}
		out = append(append(out, text...), end...)
	}
	for _, c := range r.chunks {
		if !c.conflict {
			out = append(out, c.text...)
			continue
		}
		line("<<<<<<< " + ours)
		out = append(out, c.ours...)
		line("=======")
		out = append(out, c.theirs...)
		line(">>>>>>> " + theirs)
	}
	return out
}

// lineEnd returns the end of the text's first line.
func (r Result) lineEnd() string {
	for _, c := range r.chunks {
		for _, text := range [][]byte{c.text, c.ours, c.theirs} {
			if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
				return "\r\n"
			} else if i >= 0 {
				return "\n"
			}
		}
	}
	return "\n"
}
