package id

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

const (
	maxSessionID = 255
	maxToolUseID = 200
	maxExcerpt   = 40
)

// SessionID identifies one session of an agent, with the ID that the agent chose. The zero
// value means "none"; any other value is safe as a component of a path or a ref. Values
// compare with == and may be map keys.
type SessionID struct{ s string }

// ParseSessionID parses a session ID: 1 to 255 letters, digits, dots, underscores and
// dashes, with no leading dash or dot, no "..", and no ending (".", ".lock", ".json", in
// any case) with which the name would have another meaning for git or for a reader of the
// state directory. The error names the violated rule and quotes at most 40 bytes of s.
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

// ShortSession is how many characters of a session's ID the program shows. In a UUID they
// include a dash, which distinguishes it from a commit (7 digits) and a checkpoint (12).
const ShortSession = 12

// Short returns the beginning of the ID, as the program shows it everywhere.
func (s SessionID) Short() string { return s.s[:min(len(s.s), ShortSession)] }

// String returns the ID, or "" for none.
func (s SessionID) String() string { return s.s }

// IsZero reports whether s is the zero value.
func (s SessionID) IsZero() bool { return s.s == "" }

// MarshalText returns the ID; the empty text for none.
func (s SessionID) MarshalText() ([]byte, error) { return []byte(s.s), nil }

// UnmarshalText parses the empty text as none, and any other text like ParseSessionID.
// After an error s is unchanged.
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

// ParseToolUseID returns s if it is empty or consists of at most 200 letters, digits,
// underscores and dashes, so that it is safe inside a path component. It is not safe at
// the beginning of a command-line argument.
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

// ToolUseIDFor returns s if ParseToolUseID accepts it, and otherwise an ID that stands for s: some models name calls like
// "functions.bash:0", and some agents join two IDs.
func ToolUseIDFor(s string) string {
	if _, err := ParseToolUseID(s); err == nil {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return "call-" + hex.EncodeToString(sum[:8])
}

func isAlnum(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// excerpt quotes the beginning of untrusted input, so that an error stays one short line
// of printable ASCII.
func excerpt(s string) string {
	if len(s) <= maxExcerpt {
		return fmt.Sprintf("%+q", s)
	}
	return fmt.Sprintf("%+q...", s[:maxExcerpt])
}
