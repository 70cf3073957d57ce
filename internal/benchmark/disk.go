package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// slowDisk is what a new file costs where something is wrong with the disk: it is
// twenty microseconds on an ext4 or tmpfs that has room.
const slowDisk = 200 * time.Microsecond

// newFile is what making a small file takes on the lab's disk, the median of many.
// git makes about nine files in a commit, and as many objects as it has; what the
// hooks make beside it is of the same kind.
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

// diskNote tells whoever reads the table of a disk that measures itself.
func diskNote(newFile time.Duration) string {
	note := fmt.Sprintf("A new file took %.2f ms on this disk.", newFile.Seconds()*1000)
	if newFile > slowDisk {
		note += " That is slow: it is in each line that writes; TMPDIR names another disk."
	}
	return note
}
