//go:build !unix

package main

import (
	"fmt"
	"os"
)

const launchVerb = "-launch"

// launch reports that measuring is not possible: only Unix measures a process with all its
// descendants.
func launch([]string) int {
	fmt.Fprintln(os.Stderr, "the processor time of a process tree is not known on this system")
	return 1
}

func blocks(fi os.FileInfo) int64 { return fi.Size() }
