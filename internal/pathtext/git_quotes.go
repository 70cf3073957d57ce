package pathtext

import (
	"errors"
	"fmt"
	"strings"
)

// Unquote returns the path that git wrote, in quotes if it has a byte that a line cannot show.
func Unquote(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	path, rest, err := Quoted(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("there is text after the quoted path: %.60q", rest)
	}
	return path, err
}

// escapes are the letters that C, and so git, writes after a backslash, and what they mean.
const escapes = "a\ab\bt\tn\nv\vf\fr\r\"\"\\\\"

// Quoted reads a path in quotes from the beginning of text, and returns what follows it.
func Quoted(text string) (path, rest string, err error) {
	var out []byte
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return string(out), text[i+1:], nil
		case '\\':
			value, size := escape(text[i+1:])
			if size == 0 {
				return "", "", fmt.Errorf("no escape in a quoted path: %.60q", text[i:])
			}
			out = append(out, value)
			i += size
		default:
			out = append(out, c)
		}
	}
	return "", "", errors.New("a quoted path has no end")
}

// escape returns the byte that the text after a backslash stands for, and its length; 0 if it is none.
func escape(text string) (value byte, size int) {
	if text == "" {
		return 0, 0
	}
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i] == text[0] {
			return escapes[i+1], 1
		}
	}
	if len(text) < 3 || text[0] > '3' {
		return 0, 0
	}
	for _, c := range []byte(text[:3]) {
		if c < '0' || c > '7' {
			return 0, 0
		}
		value = value<<3 | (c - '0')
	}
	return value, 3
}

// Quote writes a path as git does: in quotes if it has a byte that a line cannot show.
func Quote(path string) string {
	special := func(c byte) bool { return c < ' ' || c == '"' || c == '\\' || c >= 0x7f }
	plain := true
	for i := range len(path) {
		plain = plain && !special(path[i])
	}
	if plain {
		return path
	}
	out := []byte{'"'}
	for i := range len(path) {
		c := path[i]
		if at := meaning(c); at >= 0 {
			out = append(out, '\\', escapes[at-1])
		} else if special(c) {
			out = append(out, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		} else {
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}

// meaning returns where escapes says what c is written as, -1 if it has no letter.
func meaning(c byte) int {
	for i := 1; i < len(escapes); i += 2 {
		if escapes[i] == c {
			return i
		}
	}
	return -1
}
