package bodies

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"
)

// Pointer is the content of a blob that stands for a body. It is one line of JSON, so that a program
// without knowledge of it sees a line of a transcript that it does not know.
type Pointer struct {
	Version int    `json:"entire_body"` // 1
	SHA256  string `json:"sha256"`      // of the body, as it is stored
	Size    int64  `json:"size"`        // of the body, as it is stored
	Plain   int64  `json:"plain"`       // of the text
	Coding  string `json:"coding"`      // zstd
}

const (
	version = 1
	coding  = "zstd"
	prefix  = `{"entire_body":`

	// maxPointer is more bytes than a pointer has.
	maxPointer = 512

	// maxBody is the most bytes of a body, and of its text.
	maxBody = 256 << 20
)

// Is reports whether a blob stands for a body.
func Is(blob []byte) bool { return len(blob) <= maxPointer && bytes.HasPrefix(blob, []byte(prefix)) }

// PlainSize returns the size of what a blob stands for: of the text of a body, and of the blob itself otherwise.
func PlainSize(blob []byte) int64 {
	if p, err := Parse(blob); err == nil {
		return p.Plain
	}
	return int64(len(blob))
}

// Parse reads a pointer. Fields that it does not know are left out.
func Parse(blob []byte) (p Pointer, err error) {
	if !Is(blob) {
		return p, errors.New("not a pointer to a body")
	}
	if err := json.Unmarshal(blob, &p); err != nil {
		return Pointer{}, fmt.Errorf("decode the pointer to a body: %w", err)
	}
	switch {
	case p.Version != version || p.Coding != coding:
		return Pointer{}, fmt.Errorf("a newer version of Entire stored this body (%d, %.20q)", p.Version, p.Coding)
	case !validName(p.SHA256), p.Size <= 0, p.Size > maxBody, p.Plain < 0, p.Plain > maxBody:
		return Pointer{}, fmt.Errorf("what stands for a body is damaged")
	}
	return p, nil
}

func (p Pointer) encode() ([]byte, error) {
	line, err := json.Marshal(p)
	return append(line, '\n'), err
}

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

func validName(name string) bool { return nameForm().MatchString(name) }

// NameOf returns the name of a body.
func NameOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
