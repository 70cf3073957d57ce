package watch

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestWhyPoll: what the system refuses is said with the setting that raises it.
func TestWhyPoll(t *testing.T) {
	t.Parallel()
	w := &watch{Options: Options{Folders: 10}}
	want := map[error]string{errTooMany: "more than 10 folders"}
	if runtime.GOOS == "linux" {
		want[syscall.ENOSPC] = "sudo sysctl fs.inotify.max_user_watches="
		want[syscall.EMFILE] = "sudo sysctl fs.inotify.max_user_instances="
	}
	for err, text := range want {
		if got := w.whyPoll(fmt.Errorf("add: %w", err)); !strings.Contains(got, text) {
			t.Errorf("%v: %q", err, got)
		}
	}
}
