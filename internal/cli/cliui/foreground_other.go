//go:build !unix

package cliui

import (
	"errors"
	"os"
)

// OpenForeground returns an error: this system has no terminal that a hook could read.
func OpenForeground() (*os.File, error) { return nil, errors.New("no controlling terminal") }
