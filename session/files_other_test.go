//go:build !unix

package session

import "fmt"

func systemFilesJob(name string, _ *CheckpointManager) error { return fmt.Errorf("no job %q", name) }
