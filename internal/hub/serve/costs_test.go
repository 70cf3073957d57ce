//go:build unix

package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// costs measures the processor time of this process with its children, and of a database's processes where /proc has them.
type costs struct {
	began         time.Time
	hub, database time.Duration
	folder        string // of the database's files
}

func newCosts(t *testing.T, address string) *costs {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	c := &costs{}
	if err := conn.QueryRow(t.Context(), "SHOW data_directory").Scan(&c.folder); err != nil {
		t.Fatal(err)
	}
	c.since()
	return c
}

// since returns what was spent since the last call.
func (c *costs) since() (clock, hub, database time.Duration) {
	was := *c
	c.began, c.hub, c.database = time.Now(), ownTime(), databaseTime(c.folder)
	return c.began.Sub(was.began), c.hub - was.hub, c.database - was.database
}

func ownTime() (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// databaseTime adds up the processes of a server, which run in the folder of its files, and those that have ended.
func databaseTime(folder string) (sum time.Duration) {
	pid, _ := os.ReadFile(filepath.Join(folder, "postmaster.pid"))
	server, _, _ := strings.Cut(string(pid), "\n")
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		if in, err := os.Readlink(filepath.Join(filepath.Dir(path), "cwd")); err != nil || in != folder {
			continue
		}
		data, _ := os.ReadFile(path)
		fields := strings.Fields(string(data)[strings.LastIndexByte(string(data), ')')+1:])
		last := 13 // user and system time
		if path == fmt.Sprintf("/proc/%s/stat", server) {
			last = 15 // and that of children who have ended
		}
		for i := 11; i < last && i < len(fields); i++ {
			ticks, _ := strconv.ParseInt(fields[i], 10, 64)
			sum += time.Duration(ticks) * (time.Second / 100)
		}
	}
	return sum
}
