//go:build unix

package browser

import (
	"os/exec"
	"syscall"
)

// detach keeps an interrupt of our terminal from the browser.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
