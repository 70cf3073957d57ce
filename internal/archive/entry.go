package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Literals in the format.
const (
	// Magic begins every archive and contains the version. It is not compressed.
	Magic = "entire archive 1\n"

	magicStem = "entire archive "

	markEntry = 'R'
	markEnd   = 'E'
)

const (
	maxHeader = 64 << 10
	maxKind   = 32
	maxName   = 1 << 10
)

// Entry is the header of one entry.
type Entry struct {
	Kind  string          `json:"kind"`
	Name  string          `json:"name,omitempty"`
	Of    int             `json:"of,omitempty"`    // the entry it belongs to; its meaning depends on the kind
	About json.RawMessage `json:"about,omitempty"` // further data of the kind
	Size  int64           `json:"-"`               // bytes of content
}

// total is the header of the last record.
type total struct {
	Entries int    `json:"entries"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"` // over the digests of all entries, in order
}

// Errors for refused archives.
var (
	ErrNot     = errors.New("not an archive of entire's")
	ErrNewer   = errors.New("written by a newer version of entire")
	ErrDamaged = errors.New("the archive is damaged or cut off")
	errTooMuch = errors.New("the archive holds more than is taken in")
)

// check refuses headers that no writer writes.
func (e Entry) check() error {
	switch {
	case e.Kind == "" || len(e.Kind) > maxKind || strings.Trim(e.Kind, "abcdefghijklmnopqrstuvwxyz-") != "":
		return fmt.Errorf("%.40q is no kind of entry", e.Kind)
	case len(e.Name) > maxName || !utf8.ValidString(e.Name) || strings.ContainsRune(e.Name, 0):
		return fmt.Errorf("%.40q is no name of an entry", e.Name)
	case e.Of < 0 || e.Size < 0:
		return errors.New("a number is negative")
	}
	return nil
}
