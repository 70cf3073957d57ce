//go:build linux || darwin

package recording

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// keyCodes are what a terminal sends for keys with a name.
var keyCodes = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift-tab": "\x1b[Z", "space": " ", "backspace": "\x7f", "delete": "\x1b[3~",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"f1": "\x1bOP",
}

// keyCode returns what a terminal sends for a key: one with a name, ctrl- and a letter, or a character.
func keyCode(name string) (string, bool) {
	if code, ok := keyCodes[name]; ok {
		return code, true
	}
	if letter, ok := strings.CutPrefix(name, "ctrl-"); ok && len(letter) == 1 && letter[0] >= 'a' && letter[0] <= 'z' {
		return string(rune(letter[0] & 0x1f)), true
	}
	return name, utf8.RuneCountInString(name) == 1
}

// Play does what a script of keys says and returns the frames that it keeps. After a key it waits until
// the screen is drawn.
func Play(s *Session, script string) ([]Frame, error) {
	var frames []Frame
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		verb, arg, _ := strings.Cut(line, " ")
		var err error
		switch verb {
		case "", "#":
		case "wait":
			err = s.Wait(arg)
		case "key":
			if err = s.Press(arg); err == nil {
				s.Settle()
			}
		case "type":
			if err = s.Type(arg); err == nil {
				s.Settle()
			}
		case "show":
			var d time.Duration
			if d, err = time.ParseDuration(arg); err == nil {
				s.Settle()
				frames = append(frames, Frame{s.Screen(), d})
			}
		default:
			err = fmt.Errorf("not a line of keys")
		}
		if err != nil {
			return frames, fmt.Errorf("%q: %w", line, err)
		}
	}
	return frames, nil
}
