package attribution

import (
	"bytes"
	"maps"
)

// Reformatted returns, by the print of a line of written, the prints of the lines that a formatter made of it in text: one
// that differs only in what formatters change, or several if the formatter broke it. Lines that are equal but for white
// space have the same print and are not among them, and neither are lines without letters, which prove nothing. It returns
// nothing for a text that is not [Countable].
func (r *Workspace) Reformatted(written, text []byte) map[Print]Prints {
	if len(written) == 0 || !Countable(written) || !Countable(text) {
		return nil
	}
	has := PrintSet(text)
	out := r.reformatted(changedLines(written, has, false), text)
	maps.Copy(out, r.reformatted(changedLines(written, has, true), text))
	return out
}

// changedText is the lines of a text that changed, and by the print of each the print of the line in which it begins.
type changedText struct {
	text   []byte
	begins map[Print]Print
}

// changedLines returns the lines of written without the distinctive ones that the other text has. Lines without letters,
// which are paired with any bracket, are left out or, for lines that a formatter broke, join the one before.
func changedLines(written []byte, has map[Print]bool, join bool) changedText {
	c := changedText{begins: map[Print]Print{}}
	var joined []byte
	var begin Print
	end := func() {
		if len(joined) > 0 {
			c.text = append(append(c.text, joined...), '\n')
			c.begins[PrintLine(joined)] = begin
			joined = joined[:0]
		}
	}
	for line := range bytes.Lines(written) {
		if bare := bytes.TrimSpace(line); hasLetters(bare) {
			end()
			if begin = PrintLine(line); !Distinctive(line) || !has[begin] {
				joined = append(joined, bare...)
			}
		} else if join && len(joined) > 0 {
			joined = append(joined, bare...)
		}
	}
	end()
	return c
}

// reformatted is Reformatted for the lines that changed.
func (r *Workspace) reformatted(changed changedText, text []byte) map[Print]Prints {
	out := map[Print]Prints{}
	if len(changed.text) == 0 {
		return out
	}
	h := r.Begin(nil)
	h.Step(Version{Text: changed.text, Owner: Owner{Class: Agent}})
	h.Step(Version{Text: text, Owner: Owner{Class: Person}})
	now := SplitLines(text)
	for i, l := range h.AppendLines(nil) {
		line := now[i]
		if p := changed.begins[l.Written]; l.Owner.Class == Agent && p != 0 && hasLetters(line) && p != PrintLine(line) {
			out[p] = append(out[p], PrintLine(line))
		}
	}
	return out
}
