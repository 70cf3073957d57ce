package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// busy knows what Windows returns while another process has a file open, or is deleting it.
func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
