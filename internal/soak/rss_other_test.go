//go:build soak && unix && !linux

package soak

const maxrssUnit = 1
