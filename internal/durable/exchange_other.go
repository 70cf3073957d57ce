//go:build !linux && !darwin

package durable

import "errors"

// Exchange is not available on this system; see [NoExchange].
func Exchange(Place, Place) error { return errors.ErrUnsupported }

func renameNew(Place, Place) (unsupported bool, err error) {
	return true, errors.ErrUnsupported
}

// noExchange reports whether err means that [Exchange] is not available.
func noExchange(err error) bool { return errors.Is(err, errors.ErrUnsupported) || crossDevice(err) }
