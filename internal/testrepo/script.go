package testrepo

import (
	"os"
	"syscall"
	"testing"
)

// WriteScript writes a program that is to be run. No other test's process begins
// meanwhile: it would hold the file open for writing as long as it has not become the
// program that it is to run, and nobody could run the script ("text file busy").
func WriteScript(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
