//go:build !unix

package main

import (
	"errors"
	"os"
)

// openForeground finds no terminal that a hook could read from here.
func openForeground() (*os.File, error) { return nil, errors.New("no controlling terminal") }
