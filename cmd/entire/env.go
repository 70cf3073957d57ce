package main

import (
	"os"
	"time"
)

// clockVar is empty, except in the program that makes the pictures of the documents (`make pictures`):
// there the linker sets it to the variable that tells the time.
var clockVar = ""

func now() time.Time {
	if clockVar != "" {
		if at, err := time.Parse(time.RFC3339, os.Getenv(clockVar)); err == nil {
			return at
		}
	}
	return time.Now()
}
