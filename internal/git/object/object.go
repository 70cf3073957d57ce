package object

import (
	"errors"
)

// ErrMissing is returned, wrapped with the requested name, if an object or ref does not
// exist. In a partial clone it can also mean "not fetched".
var ErrMissing = errors.New("object missing")

// Object is one stored object. Type is "" if it does not exist.
type Object struct {
	OID   OID
	Type  string // blob, tree, commit or tag
	Data  []byte
	Large bool // larger than the limit: the data was left out

	// Sealed is why a sealed blob could not be opened, or why the text that a blob stands for is not to be had: its data
	// was left out. nil for all others.
	Sealed error
}
