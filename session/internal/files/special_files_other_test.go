//go:build !unix

package files

import "fmt"

func systemFilesJob(name string, _ *CheckpointManager) error { return fmt.Errorf("no job %q", name) }
