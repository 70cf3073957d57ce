//go:build !linux && !darwin

package durable

import "errors"

// Exchange is not available on this system; see [NoExchange].
func Exchange(Place, Place) error { return errors.ErrUnsupported }

func renameNew(Place, Place) (unsupported bool, err error) {
	return true, errors.ErrUnsupported
}

// NoExchange reports whether err means that [Exchange] is not available.
func NoExchange(err error) bool { return errors.Is(err, errors.ErrUnsupported) || CrossDevice(err) }
