//go:build !unix

package main

import (
	"fmt"
	"os"
)

const launchVerb = "-launch"

// launch says why nothing can be measured: only Unix counts what the
// descendants of a process took.
func launch([]string) int {
	fmt.Fprintln(os.Stderr, "the processor time of a process tree is not known on this system")
	return 1
}

func blocks(fi os.FileInfo) int64 { return fi.Size() }
