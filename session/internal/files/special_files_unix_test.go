//go:build unix

package files

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// systemFilesJob runs with a limit on the size of files, which ends a write in
// the middle as a full disk does.
func systemFilesJob(name string, m *CheckpointManager) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 20_000, Max: 20_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	switch name {
	case "rewind when full":
		if r, err := m.RewindFiles("u1", false); err == nil || r.CanRewind || !strings.Contains(err.Error(), "file too large") {
			return fmt.Errorf("rewind %+v, %v", r, err)
		}
	case "create when full":
		if err := m.CreateCheckpoint("u2", []string{"small", "big"}); err == nil || !strings.Contains(err.Error(), "file too large") {
			return fmt.Errorf("create: %v", err)
		}
	default:
		return fmt.Errorf("no job %q", name)
	}
	return nil
}

func TestFilesWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("big", strings.Repeat("b", 50_000))
	p.write("small", "s1")
	p.checkpoint("u1", "big", "small", "made/since")
	p.write("big", "b2")
	p.write("small", "s2")
	p.write("made/since", "n")
	before := p.tree()
	must(t, p.job("rewind when full").Run())
	p.wantTree("a rewind without room", before)
	p.rewind("u1")

	p.write("big", strings.Repeat("B", 50_000))
	p.write("small", "s3")
	stored, _ := os.ReadDir(p.path("blobs"))
	must(t, p.job("create when full").Run())
	if now, _ := os.ReadDir(p.path("blobs")); len(now) != len(stored) {
		t.Errorf("%d contents became %d", len(stored), len(now))
	}
	if _, _, err := p.Manifest("u2"); err != ErrNoCheckpoint {
		t.Errorf("partly recorded: %v", err)
	}
}

// TestSpecialFiles are refused before anything waits for them.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	must(t, unix.Mkfifo(p.at("pipe"), 0o600))
	p.write("f", "1")
	for _, path := range []string{"pipe", "f/../pipe"} {
		if err := p.CreateCheckpoint("u1", []string{"f", path}); err == nil || !strings.Contains(err.Error(), "neither a file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	p.checkpoint("u1", "f", "gone")
	p.remove("f")
	must(t, unix.Mkfifo(p.at("f"), 0o600))
	must(t, unix.Mkfifo(p.at("gone"), 0o600))
	before := p.tree()
	if r, err := p.RewindFiles("u1", false); err == nil || r.CanRewind || !strings.Contains(err.Error(), "neither a file") {
		t.Errorf("rewind %+v, %v", r, err)
	}
	p.wantTree("refused", before)
}

// TestSteadyRead: a file that is written to all the time is not kept in a state
// it never had.
func TestSteadyRead(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	size := 1 << 20
	p.write("f", strings.Repeat("0", size))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.WriteFile(p.at("f"), []byte(strings.Repeat(string(rune('0'+i%10)), size)), 0o644)
		}
	}()
	kept := 0
	for i := range 20 {
		id := fmt.Sprint("u", i)
		if err := p.CreateCheckpoint(id, []string{"f"}); err != nil {
			if !strings.Contains(err.Error(), "changes all the time") {
				t.Error(err)
			}
			continue
		}
		kept++
		c, _, err := p.Manifest(id)
		must(t, err)
		data, err := os.ReadFile(p.path("blobs", c.Files[0].Hash))
		must(t, err)
		if int64(len(data)) != c.Files[0].Size || len(data) > 0 && strings.Trim(string(data), string(data[:1])) != "" {
			t.Errorf("kept %d bytes of %d, and not of one state", len(data), c.Files[0].Size)
		}
	}
	close(stop)
	<-done
	t.Logf("%d of 20 kept", kept)
	p.checkpoint("calm", "f")
}
