package config

import "strings"

// parse calls put for each variable of a configuration file. The section and the variable
// in a key are in lower case. exact is false for a value that only git should read: it is
// missing, or versions of git differ about it. parse returns false for a text that git refuses.
func parse(text string, put func(key, value string, exact bool)) bool {
	s := scanner{text: strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n") + "\n"}
	section := ""
	for s.at < len(s.text) {
		c, ok := s.text[s.at], true
		switch {
		case isSpace(c):
			s.at++
		case c == '#' || c == ';':
			s.at += strings.IndexByte(s.text[s.at:], '\n')
		case c == '[':
			section, ok = s.header()
		case isLetter(c) && section != "":
			var key, value string
			var exact bool
			if key, value, exact, ok = s.variable(); ok {
				put(section+"."+key, value, exact)
			}
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

// A scanner is a place in a configuration file, which ends with a newline.
type scanner struct {
	text string
	at   int
}

// word reads letters, digits and the characters of more, in lower case.
func (s *scanner) word(more string) string {
	from := s.at
	for isLetter(s.text[s.at]) || s.text[s.at] >= '0' && s.text[s.at] <= '9' || strings.IndexByte(more, s.text[s.at]) >= 0 {
		s.at++
	}
	return strings.ToLower(s.text[from:s.at])
}

func (s *scanner) blanks() {
	for s.text[s.at] == ' ' || s.text[s.at] == '\t' {
		s.at++
	}
}

// header reads `[section]` or `[section "subsection"]`.
func (s *scanner) header() (section string, ok bool) {
	s.at++
	section = s.word("-.")
	if s.text[s.at] == ']' {
		s.at++
		return section, section != ""
	}
	from := s.at
	s.blanks()
	if s.at == from || s.text[s.at] != '"' || section == "" {
		return "", false
	}
	sub := []byte(section + ".")
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
		if s.text[s.at] == '\n' {
			return "", false
		}
		sub = append(sub, s.text[s.at])
	}
	if s.text[s.at+1] != ']' {
		return "", false
	}
	s.at += 2
	return string(sub), true
}

// variable reads a key and its value, up to the end of the line.
func (s *scanner) variable() (key, value string, exact, ok bool) {
	key = s.word("-")
	s.blanks()
	switch s.text[s.at] {
	case '\n':
		return key, "", false, true
	case '=':
		s.at++
		value, exact, ok = s.value()
		return key, value, exact, ok
	}
	return "", "", false, false
}

func (s *scanner) value() (value string, exact, ok bool) {
	var out []byte
	kept := 0 // the length of out without unquoted white space at the end
	exact = true
	for quoted := false; ; s.at++ {
		c := s.text[s.at]
		switch {
		case c == '\n':
			return string(out[:kept]), exact && strings.IndexByte(string(out[:kept]), 0) < 0, !quoted
		case isSpace(c) && !quoted:
			if len(out) > 0 {
				exact = exact && c == ' '
				out = append(out, c)
			}
			continue
		case (c == '#' || c == ';') && !quoted:
			s.at += strings.IndexByte(s.text[s.at:], '\n') - 1
			continue
		case c == '"':
			quoted = !quoted
		case c == '\\':
			s.at++
			if s.text[s.at] == '\n' && s.at+1 < len(s.text) {
				kept = len(out) // git keeps the white space before it
				continue
			}
			plain := strings.IndexByte(`tbn\"`, s.text[s.at])
			if plain < 0 {
				return "", false, false
			}
			out = append(out, "\t\b\n\\\""[plain])
		default:
			out = append(out, c)
		}
		kept = len(out)
	}
}

// isSpace knows the white space that git knows: neither vertical tabs nor form feeds.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
