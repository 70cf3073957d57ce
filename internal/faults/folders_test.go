//go:build unix

package faults

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// looks are calls by which a rewind looks at folders that it is to remove, or that
// stand where a file is to be placed, and by which git looks at what it has written;
// and more of them.
var (
	looks     = []string{"entire newfstatat repo/made/.", "entire openat repo/swap", "entire getdents64 repo/swap", "git getdents64 repo/gone", "git newfstatat repo/c.crlf"}
	moreLooks = []string{"entire newfstatat repo/made", "entire newfstatat repo/made/x", "entire newfstatat repo/made/x/.", "entire newfstatat repo/swap",
		"entire newfstatat repo/swap/.", "git openat repo/gone", "git openat repo/.", "git getdents64 repo", "git newfstatat repo/gone/deep"}
)

// TestFaultsAtFolders has the disk not tell, each time that the program asks, what
// such a folder is, or what is in it. What is not told is not absent: an empty
// folder, or none, was left where a file should have come back; and what git passed
// over was in no step, so that an undo left it. FAULTS=all tries all of the calls.
func TestFaultsAtFolders(t *testing.T) {
	t.Parallel()
	if !canTrace {
		t.Log("no tracer for this system")
		return
	}
	l := newLab(t, t.TempDir())
	op := l.rewinds()
	calls, times := looks, 3
	if os.Getenv("FAULTS") == "all" {
		calls, times = slices.Concat(looks, moreLooks), math.MaxInt
	}
	tried := 0
	for _, call := range calls {
		tried += l.eachTime(op, call, times)
	}
	if tried == 0 {
		t.Log("nothing can be traced here")
	}
	t.Logf("%d looks at folders failed", tried)
}

// eachTime has a call fail the first time that it is made, then the second, at most
// so many times.
func (l *lab) eachTime(op operation, call string, times int) (tried int) {
	for at := 1; at <= times; at++ {
		o, wrong := l.try(op, traced{Class: read, Only: call, At: at, Fault: "EIO"})
		if o.Hit == "" {
			break
		}
		tried++
		if len(wrong) > 0 {
			l.t.Errorf("EIO at %s, time %d, exit status %d:\n  %s", call, at, o.Code, strings.Join(wrong, "\n  "))
		}
	}
	return tried
}
