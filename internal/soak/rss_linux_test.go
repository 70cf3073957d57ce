//go:build soak

package soak

const maxrssUnit = 1 << 10 // the kernel counts in KiB
