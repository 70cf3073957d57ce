//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// cmdTTY needs a terminal of Linux's making; scripts ask for [linux] before it.
func cmdTTY(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("tty works on Linux only") }
