package testrepo

import (
	"os"
	"syscall"
	"testing"
)

// WriteScript writes an executable script. No other test starts a process meanwhile: a new process
// would keep the file open for writing until its exec, and running the script would fail ("text file
// busy").
func WriteScript(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
