//go:build soak

package session

import "testing"

func TestSoakProcessesTogether(t *testing.T) { together(t, 4, 8, 2000) }

func TestSoakProcessesKilled(t *testing.T) { kills(t, 4, 8, 200) }
