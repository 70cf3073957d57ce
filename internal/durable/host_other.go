//go:build !windows

package durable

func busy(error) bool { return false }
