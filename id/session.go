package id

import (
	"errors"
	"fmt"
	"strings"
)

const (
	maxSessionID = 255
	maxToolUseID = 200
	maxExcerpt   = 40
)

// SessionID names one session of an agent, in the agent's own words. The zero
// value means "none"; any other value is safe as a path component and as a
// component of a ref. Values compare with == and may be map keys.
type SessionID struct{ s string }

// ParseSessionID returns the session ID written as s: 1 to 255 letters,
// digits, dots, underscores and dashes, with no leading dash or dot, no "..",
// and no ending (".", ".lock", ".json", in any case) that would make the name
// mean something else to git or to a reader of the state directory. The error
// says which rule s breaks and quotes at most 40 bytes of it.
func ParseSessionID(s string) (SessionID, error) {
	if err := checkSessionID(s); err != nil {
		return SessionID{}, fmt.Errorf("session id %s %w", excerpt(s), err)
	}
	return SessionID{s}, nil
}

func checkSessionID(s string) error {
	switch {
	case s == "":
		return errors.New("is empty")
	case len(s) > maxSessionID:
		return fmt.Errorf("has %d bytes, at most %d are allowed", len(s), maxSessionID)
	case s[0] == '-' || s[0] == '.':
		return fmt.Errorf("begins with %q", s[0])
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '.' && s[i] != '_' && s[i] != '-' {
			return fmt.Errorf("contains %q at byte %d", s[i:i+1], i)
		}
	}
	if strings.Contains(s, "..") {
		return errors.New(`contains ".."`)
	}
	lower := strings.ToLower(s)
	for _, ending := range []string{".", ".lock", ".json"} {
		if strings.HasSuffix(lower, ending) {
			return fmt.Errorf("ends with %q", ending)
		}
	}
	return nil
}

// ShortSession is how many characters of a session's ID people are shown. In that of a
// UUID there is a dash among them, which tells it apart from a commit, of 7 digits, and a
// checkpoint, of 12.
const ShortSession = 12

// Short returns the beginning of the ID, as people are shown it everywhere.
func (s SessionID) Short() string { return s.s[:min(len(s.s), ShortSession)] }

// String returns the ID, or "" for none.
func (s SessionID) String() string { return s.s }

// IsZero reports whether s is none.
func (s SessionID) IsZero() bool { return s.s == "" }

// MarshalText returns the ID; none is the empty text.
func (s SessionID) MarshalText() ([]byte, error) { return []byte(s.s), nil }

// UnmarshalText accepts the empty text as none and otherwise what
// ParseSessionID accepts. On error s is unchanged.
func (s *SessionID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*s = SessionID{}
		return nil
	}
	v, err := ParseSessionID(string(text))
	if err != nil {
		return err
	}
	*s = v
	return nil
}

// ParseToolUseID returns s if it is empty or made of at most 200 letters,
// digits, underscores and dashes, and so safe inside a path component; it is
// not safe as the first bytes of a command-line argument.
func ParseToolUseID(s string) (string, error) {
	if len(s) > maxToolUseID {
		return "", fmt.Errorf("tool use id %s has %d bytes, at most %d are allowed", excerpt(s), len(s), maxToolUseID)
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '_' && s[i] != '-' {
			return "", fmt.Errorf("tool use id %s contains %q at byte %d", excerpt(s), s[i:i+1], i)
		}
	}
	return s, nil
}

func isAlnum(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// excerpt quotes the beginning of hostile input so that an error stays one
// short line of printable ASCII.
func excerpt(s string) string {
	if len(s) <= maxExcerpt {
		return fmt.Sprintf("%+q", s)
	}
	return fmt.Sprintf("%+q...", s[:maxExcerpt])
}
