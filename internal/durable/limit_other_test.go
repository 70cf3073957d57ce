//go:build !unix

package durable

var systemJobs = map[string]func(args []string) error{}
