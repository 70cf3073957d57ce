package editcalls

import (
	"bytes"
	"slices"
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
		var changed []byte
		text := read(path)
		for _, c := range list {
			for _, wrote := range c.Texts {
				if wrote = strings.TrimSuffix(wrote, "\n"); !bytes.Contains(text, []byte(wrote)) {
					changed = append(append(changed, wrote...), '\n')
				}
			}
			c.Texts = nil
		}
		if len(text) == 0 || len(changed) == 0 {
			continue
		}
		formatted := room.Reformatted(changed, text)
		for _, c := range list {
			written := c.Lines.Distinct()
			c.Lines = slices.Clip(c.Lines) // a copy of the call may share them
			for _, p := range written {
				c.Lines = append(c.Lines, formatted[p]...)
			}
		}
	}
}
