package attribution

import "bytes"

// Reformatted returns, by the print of a line of written, the prints of the lines that a formatter made of it in text: one
// that differs only in what formatters change, or several if the formatter broke it. Lines that are equal but for white
// space have the same print and are not among them, and neither are lines without letters, which stand anywhere. It
// returns nothing for a text that is not [Countable].
func (r *Workspace) Reformatted(written, text []byte) map[Print]Prints {
	if len(written) == 0 || !Countable(written) || !Countable(text) {
		return nil
	}
	written, text = withLetters(written), withLetters(text)
	h := r.Begin(nil)
	h.Step(Version{Text: written, Owner: Owner{Class: Agent}})
	h.Step(Version{Text: text, Owner: Owner{Class: Person}})
	out := map[Print]Prints{}
	prints := PrintLines(text)
	for i, l := range h.AppendLines(nil) {
		if l.Owner.Class == Agent && l.Written != 0 && l.Written != prints[i] {
			out[l.Written] = append(out[l.Written], prints[i])
		}
	}
	return out
}

// withLetters returns the lines of a text that have letters or digits.
func withLetters(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		if hasLetters(line) {
			out = append(out, line...)
		}
	}
	return out
}
