package editcalls

import (
	"bytes"
	"strings"

	"entire/internal/attribution"
	"entire/strategy/sessionstate"
)

// AddFormatted adds to calls that were noted since the last time the lines that a formatter has made of theirs. read
// returns the text of a file that an agent named, as it is now; nil if it cannot be compared.
func AddFormatted(calls []sessionstate.EditCall, read func(named string) []byte) {
	fresh := map[string][]*sessionstate.EditCall{}
	for i := range calls {
		if c := &calls[i]; len(c.Texts) > 0 {
			fresh[c.Path] = append(fresh[c.Path], c)
		}
	}
	var room attribution.Workspace
	for path, list := range fresh {
		var formatted map[attribution.Print]attribution.Prints
		if text := read(path); len(text) > 0 {
			formatted = room.Reformatted(changedLines(list, text), text)
		}
		for _, c := range list {
			c.Texts = nil
			for _, p := range c.Lines.Distinct() {
				c.Lines = append(c.Lines, formatted[p]...)
			}
		}
	}
}

// changedLines returns the text of those calls that left another one in the file, without the distinctive lines that the
// file has.
func changedLines(calls []*sessionstate.EditCall, text []byte) (out []byte) {
	var has map[attribution.Print]bool
	for _, c := range calls {
		for _, wrote := range c.Texts {
			wrote = strings.TrimSuffix(wrote, "\n") + "\n"
			if bytes.Contains(text, []byte(wrote[:len(wrote)-1])) {
				continue
			}
			if has == nil {
				has = attribution.PrintSet(text)
			}
			for line := range bytes.Lines([]byte(wrote)) {
				if !attribution.Distinctive(line) || !has[attribution.PrintLine(line)] {
					out = append(out, line...)
				}
			}
		}
	}
	return out
}
