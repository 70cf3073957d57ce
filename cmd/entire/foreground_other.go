//go:build !unix

package main

import (
	"errors"
	"os"
)

// openForeground returns an error: this system has no terminal that a hook could read.
func openForeground() (*os.File, error) { return nil, errors.New("no controlling terminal") }
