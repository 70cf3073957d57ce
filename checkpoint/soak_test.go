//go:build soak

package checkpoint

import "testing"

func TestSoakProcessesWriteTogether(t *testing.T) { writeTogether(t, 20) }
