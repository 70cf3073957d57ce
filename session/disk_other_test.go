//go:build !unix

package session

import "errors"

func fullDisk(string) error { return errors.ErrUnsupported }

func fullCompress(string) error { return errors.ErrUnsupported }
