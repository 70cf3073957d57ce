package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// slowDisk is the time for a new file above which the disk is too slow. On an ext4 or tmpfs with free
// space it is twenty microseconds.
const slowDisk = 200 * time.Microsecond

// newFile measures the time to create a small file on the lab's disk, the median of many. A git commit
// creates about nine files plus its objects; the hooks create similar files.
func (l *lab) newFile() time.Duration {
	dir := filepath.Join(l.dir, "disk")
	if !l.check(os.Mkdir(dir, 0o755)) {
		return 0
	}
	defer os.RemoveAll(dir)
	var took []time.Duration
	for i := range 101 {
		start := time.Now()
		l.check(os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("a small file\n"), 0o644))
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// diskNote says how fast the disk is, and warns if it dominates the results.
func diskNote(newFile time.Duration) string {
	note := fmt.Sprintf("A new file took %.2f ms on this disk.", newFile.Seconds()*1000)
	if newFile > slowDisk {
		note += " The disk is slow, and every row that writes includes it; TMPDIR chooses another disk."
	}
	return note
}
