package summarize

import "syscall"

// detachedProcess starts a process without a console.
const detachedProcess = 0x8

func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

// Yield does nothing on Windows.
func Yield() {}

// keepOpenFiles does nothing: on Windows, children only inherit what is named.
func keepOpenFiles() {}
