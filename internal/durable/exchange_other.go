//go:build !linux && !darwin

package durable

import (
	"errors"
	"os"
)

// Exchange is not available on this system; see [NoExchange].
func Exchange(string, *os.Root, string) error { return errors.ErrUnsupported }

func renameNew(string, *os.Root, string) (unsupported bool, err error) {
	return true, errors.ErrUnsupported
}

// NoExchange reports whether err means that [Exchange] is not available.
func NoExchange(err error) bool { return errors.Is(err, errors.ErrUnsupported) || CrossDevice(err) }
