package enginetest

import (
	"strings"

	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// Blob is an object ID that stands for content n.
func Blob(n int) git.OID {
	oid, err := git.ParseOID(strings.Repeat("0", 36) + string([]byte{"0123456789abcdef"[n>>12&15], "0123456789abcdef"[n>>8&15], "0123456789abcdef"[n>>4&15], "0123456789abcdef"[n&15]}))
	if err != nil {
		panic(err)
	}
	return oid
}

func Holds(path string, n int) sessionstate.PathVersion {
	return sessionstate.PathVersion{Path: path, Mode: git.ModeFile, OID: Blob(n)}
}
