//go:build unix && !linux

package durable

func pinned(int, string) error { return nil }
