package filelog

import (
	"strings"
)

// simple is one command of a script, as far as its words are literal: nothing in them is replaced by a shell.
type simple struct {
	words   []string
	literal bool
	to      string // the file that its output goes to, "" for none
	add     bool   // the output is appended
	body    string // of a here-document
	hasBody bool
	piped   bool // its output goes to, or its input comes from, another command
}

// shellReader splits a script into simple commands. What it does not understand makes a command not literal.
type shellReader struct {
	text string
	at   int
	now  simple
	out  []simple
	here []hereDoc // here-documents whose text begins on the next line
}

type hereDoc struct {
	word         string
	plain, strip bool
	of           int // the number of the command that it belongs to
}

// maxScript bounds the length of a script that is read.
const maxScript = 4 << 20

// simpleCommands returns the commands of a script, in order.
func simpleCommands(script string) []simple {
	if len(script) > maxScript {
		return nil
	}
	s := &shellReader{text: script}
	s.now.literal = true
	for s.at < len(s.text) {
		s.step()
	}
	s.end(false)
	return s.out
}

// end ends a command. A command in a pipe is not one that writes a text that is known.
func (s *shellReader) end(pipe bool) {
	s.now.piped = s.now.piped || pipe
	if len(s.now.words) > 0 || s.now.to != "" {
		s.out = append(s.out, s.now)
	}
	s.now = simple{literal: true, piped: pipe}
}

func (s *shellReader) step() {
	switch c := s.text[s.at]; c {
	case ' ', '\t', '\r':
		s.at++
	case '\n':
		s.at++
		s.bodies()
		s.end(false)
	case ';':
		s.at++
		s.end(false)
	case '&', '|':
		two := s.at+1 < len(s.text) && s.text[s.at+1] == c
		s.at++
		if two {
			s.at++
		}
		if c == '&' && !two { // in the background, or `&>`
			s.now.literal = false
		}
		s.end(c == '|' && !two)
		if c == '|' && two { // only if the command before failed
			s.now.literal = false
		}
	case '#':
		for s.at < len(s.text) && s.text[s.at] != '\n' {
			s.at++
		}
	case '>':
		s.redirect()
	case '<':
		s.input()
	case '(', ')', '{', '}', '`':
		s.at++
		s.now.literal = false
	default:
		if word := s.word(); word != "" || s.now.literal {
			s.now.words = append(s.now.words, word)
		}
	}
}

// redirect reads `> file` or `>> file`.
func (s *shellReader) redirect() {
	s.at++
	add := strings.HasPrefix(s.text[s.at:], ">")
	if add {
		s.at++
	}
	s.space()
	if s.at < len(s.text) && (s.text[s.at] == '&' || s.text[s.at] == '(' || s.text[s.at] == '|') {
		s.at++
		s.now.literal = false
		return
	}
	if n := len(s.now.words); n > 0 && s.at > 0 && isDescriptor(s.now.words[n-1]) && s.glued(s.now.words[n-1], add) {
		s.now.words = s.now.words[:n-1] // 2>file: not the output
		s.word()
		return
	}
	s.now.to, s.now.add = s.word(), add
}

func isDescriptor(word string) bool { return word == "1" || word == "2" }

// glued reports whether a word stands directly before the sign that was just read.
func (s *shellReader) glued(word string, add bool) bool {
	sign := ">"
	if add {
		sign = ">>"
	}
	return strings.HasSuffix(strings.TrimRight(s.text[:s.at], " \t"), word+sign)
}

// input reads `<< word`, and passes over any other input.
func (s *shellReader) input() {
	if !strings.HasPrefix(s.text[s.at:], "<<") || strings.HasPrefix(s.text[s.at:], "<<<") {
		s.at++
		s.now.literal = false
		return
	}
	s.at += 2
	h := hereDoc{of: len(s.out), strip: strings.HasPrefix(s.text[s.at:], "-")}
	if h.strip {
		s.at++
	}
	s.space()
	h.plain = s.at < len(s.text) && (s.text[s.at] == '\'' || s.text[s.at] == '"' || s.text[s.at] == '\\')
	if h.plain && s.text[s.at] == '\\' {
		s.at++
	}
	if h.word = s.word(); h.word != "" {
		s.here = append(s.here, h)
	}
}

func (s *shellReader) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
}

// bodies reads the here-documents of the line that ended.
func (s *shellReader) bodies() {
	for _, h := range s.here {
		var b strings.Builder
		ended := false
		for s.at < len(s.text) && !ended {
			line, _, _ := strings.Cut(s.text[s.at:], "\n")
			s.at = min(s.at+len(line)+1, len(s.text))
			if h.strip {
				line = strings.TrimLeft(line, "\t")
			}
			if ended = line == h.word; !ended {
				b.WriteString(line + "\n")
			}
		}
		s.setBody(h.of, b.String(), ended && (h.plain || !strings.ContainsAny(b.String(), "$`\\")))
	}
	s.here = nil
}

// setBody gives the text to command n.
func (s *shellReader) setBody(n int, text string, literal bool) {
	c := &s.now
	if n < len(s.out) {
		c = &s.out[n]
	}
	c.body, c.hasBody, c.literal = text, true, c.literal && literal
}

// word reads a word. One with anything that a shell replaces makes the command not literal.
func (s *shellReader) word() string {
	var b strings.Builder
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n', ';', '&', '|', '<', '>', '(', ')':
			return b.String()
		case '\'':
			inner, _, closed := strings.Cut(s.text[s.at+1:], "'")
			s.now.literal = s.now.literal && closed
			b.WriteString(inner)
			s.at = min(s.at+len(inner)+2, len(s.text))
		case '"':
			s.at++
			s.quoted(&b)
		case '\\':
			if s.at++; s.at < len(s.text) {
				if s.text[s.at] != '\n' {
					b.WriteByte(s.text[s.at])
				}
				s.at++
			}
		case '$', '`', '*', '?', '[', '{', '}', '~':
			s.now.literal = false
			s.at++
			b.WriteByte(c)
		default:
			b.WriteByte(c)
			s.at++
		}
	}
	return b.String()
}

// quoted reads the rest of a text in double quotes.
func (s *shellReader) quoted(b *strings.Builder) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch c {
		case '"':
			return
		case '$', '`':
			s.now.literal = false
		case '\\':
			if s.at < len(s.text) && strings.IndexByte("$`\"\\\n", s.text[s.at]) >= 0 {
				c = s.text[s.at]
				s.at++
				if c == '\n' {
					continue
				}
			}
		}
		b.WriteByte(c)
	}
	s.now.literal = false
}
