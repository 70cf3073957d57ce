//go:build unix && !(linux && amd64)

package faults

import "errors"

// canTrace: only kills at random instants are to be had here.
const canTrace = false

const tracerVar = "ENTIRE_FAULTS_TRACE"

type traced struct {
	Args                              []string
	Root, Out, Class, Only, Fault, To string
	At                                int
	Log, Filtered                     bool
}

type outcome struct {
	Calls  int
	Hit    string
	Code   int
	Events []string
}

const (
	change  = "change"
	read    = "read"
	process = "process"
	begin   = "begin"
)

func trace(traced) error { return errors.ErrUnsupported }

func filtered(traced) error { return errors.ErrUnsupported }
