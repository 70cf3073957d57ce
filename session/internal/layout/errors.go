package layout

import (
	"errors"
)

// ErrUsed is returned by [entire/session.Store.TrashUnused] for a session that was used after the caller looked at
// it.
var ErrUsed = errors.New("it was used a moment ago")

// ErrExists is returned if the store has a session of that ID already.
var ErrExists = errors.New("session exists")

// ErrNotFound is returned if a session, or a side file of one, does not exist; never if it
// could not be read.
var ErrNotFound = errors.New("session not found")
