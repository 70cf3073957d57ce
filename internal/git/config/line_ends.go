package config

import (
	"bytes"
	"runtime"
)

// LineEnds knows which line ends git writes into the worktree, as far as that can be told without git.
type LineEnds struct {
	attributes *Attributes // nil: not known
	crlf       bool        // git writes CRLF where no attribute says otherwise
	auto       bool        // by core.autocrlf
}

// LineEnds returns the line ends of the worktree at top. Of a nil Config nothing is known.
func (c *Config) LineEnds(top string) *LineEnds {
	if c == nil || top == "" {
		return &LineEnds{crlf: true}
	}
	auto, _, _ := c.Last("core.autocrlf")
	eol, _, _ := c.Last("core.eol")
	return &LineEnds{attributes: c.Attributes(top), auto: auto == "true",
		crlf: auto == "true" || eol == "crlf" || runtime.GOOS == "windows"}
}

// MayWriteCRLF reports whether git may write CRLF where the blob of the file at path has LF.
func (l *LineEnds) MayWriteCRLF(path string) bool {
	return l.crlf || l.attributes == nil || l.attributes.mayName(path, true)
}

// Changes reports whether line ends or `$Id$` may make git write other bytes than data for the blob that it has
// made of them. isBlob says whether the blob has exactly a given text. Where another filter made the blob,
// Changes returns false.
func (l *LineEnds) Changes(path string, data []byte, isBlob func([]byte) bool) bool {
	if isBlob(data) {
		return bytes.IndexByte(data, '\n') >= 0 && l.MayWriteCRLF(path)
	}
	lf := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if isBlob(lf) {
		pure := bytes.Count(data, []byte("\r\n")) == bytes.Count(lf, []byte("\n"))
		return !pure || !l.auto || l.attributes == nil || l.attributes.mayName(path, false)
	}
	return isBlob(withoutIdent(data)) || isBlob(withoutIdent(lf))
}

// withoutIdent returns a text in which the identifiers that git has expanded are not.
func withoutIdent(text []byte) []byte {
	open, shut := []byte("$Id:"), []byte("$Id$")
	var out []byte
	for {
		at := bytes.Index(text, open)
		if at < 0 {
			return append(out, text...)
		}
		begin := at + len(open)
		end := bytes.IndexAny(text[begin:], "$\n")
		if end < 0 || text[begin+end] == '\n' {
			out, text = append(out, text[:begin]...), text[begin:]
			continue
		}
		out, text = append(append(out, text[:at]...), shut...), text[begin+end+1:]
	}
}
