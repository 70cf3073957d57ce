//go:build !linux && !darwin

package durable

import "errors"

// Exchange is not available on this system.
func Exchange(Place, Place) error { return errors.ErrUnsupported }

func renameNew(Place, Place) (unsupported bool, err error) {
	return true, errors.ErrUnsupported
}

func lacking(err error) bool { return errors.Is(err, errors.ErrUnsupported) }
