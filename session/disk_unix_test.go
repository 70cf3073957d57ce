//go:build unix

package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire/session/internal/layout"
	"entire/session/internal/queue"
)

// fullDisk writes until a limit on the size of files is met, which fails in the
// middle of a write as a full disk does, and goes on when there is room again.
func fullDisk(base string) error {
	signal.Ignore(syscall.SIGXFSZ)
	store := OpenStore(base)
	if err := store.Create(SessionMetadata{ID: "s"}); err != nil {
		return err
	}
	if err := limitFiles(20_000); err != nil {
		return err
	}
	big := strings.Repeat("x", 3000)
	told, accepted := 0, 0
	for i := range 700 { // more than are held
		err := store.AppendMessage("s", Message{UUID: fmt.Sprintf("d-%d", i), Content: big})
		if err != nil {
			told++
			if !errors.Is(err, syscall.EFBIG) {
				return fmt.Errorf("append %d: %w", i, err)
			}
			if strings.Contains(err.Error(), "the queue is full") {
				break
			}
		}
		accepted++
	}
	if told == 0 || accepted < queue.Length || accepted == 700 {
		return fmt.Errorf("%d accepted, %d errors", accepted, told)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := store.Flush(ctx); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("flush of what cannot be written: %w", err)
	}
	if err := wholeLines(filepath.Join(base, "s", layout.MessagesName)); err != nil {
		return err
	}
	if err := limitFiles(100_000_000); err != nil {
		return err
	}
	for err := store.Flush(ctx); err != nil; err = store.Flush(ctx) {
		if ctx.Err() != nil {
			return fmt.Errorf("with room again: %w", err)
		}
	}
	list, err := store.LoadMessages("s")
	if err != nil || len(list) != accepted {
		return fmt.Errorf("%d of %d messages: %w", len(list), accepted, err)
	}
	for i, m := range list {
		if m.UUID != fmt.Sprintf("d-%d", i) {
			return fmt.Errorf("message %d is %s", i, m.UUID)
		}
	}
	if err := store.Close(); err != nil {
		return fmt.Errorf("everything was written: %w", err)
	}
	return closeFull(base)
}

// closeFull loses a message, and Close says so.
func closeFull(base string) error {
	if err := limitFiles(1000); err != nil {
		return err
	}
	store := OpenStore(base)
	if err := store.AppendMessage("s", Message{UUID: "lost", Content: strings.Repeat("x", 3000)}); err != nil {
		return err
	}
	if err := store.Close(); !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "lost") {
		return fmt.Errorf("close: %w", err)
	}
	return wholeLines(filepath.Join(base, "s", layout.MessagesName))
}

func limitFiles(size uint64) error {
	limit := syscall.Rlimit{Cur: size, Max: 1 << 40}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

func wholeLines(path string) error {
	data, err := os.ReadFile(path)
	if err == nil && len(data) > 0 && data[len(data)-1] != '\n' {
		err = errors.New("a line is torn")
	}
	return err
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), os.Args[0], "full disk", filepath.Join(t.TempDir(), "sessions")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// fullCompress compresses where there is no room for it, and then where there is.
func fullCompress(base string) error {
	signal.Ignore(syscall.SIGXFSZ)
	store := OpenStore(base)
	defer store.Close()
	for size := uint64(0); size < 12_000; size += 1500 {
		if err := limitFiles(size); err != nil {
			return err
		}
		c, err := store.Compress(context.Background(), CompressOptions{Before: inAWhile})
		if err == nil && len(c.Failed) == 0 || len(c.Sessions) > 0 {
			return fmt.Errorf("with files of %d bytes: %+v, %w", size, c, err)
		}
		for sid, why := range c.Failed {
			if !errors.Is(why, syscall.EFBIG) {
				return fmt.Errorf("session %s: %w", sid, why)
			}
		}
	}
	if err := limitFiles(100_000_000); err != nil {
		return err
	}
	if left, _ := filepath.Glob(filepath.Join(base, layout.BuildPattern)); len(left) > 0 {
		return fmt.Errorf("left behind: %v", left)
	}
	c, err := store.Compress(context.Background(), CompressOptions{Before: inAWhile})
	if err != nil || len(c.Sessions) != 1 {
		return fmt.Errorf("with room: %+v, %w", c, err)
	}
	return nil
}

func TestFullDiskCompress(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	for n := range 60 {
		m := say(n)
		for i := range 400 {
			m.Content += fmt.Sprint(" ", n*i*7919%100_003)
		}
		must(t, s.AppendMessage("a", m))
	}
	want := mustSay(t, s, "a")
	out, err := exec.CommandContext(t.Context(), os.Args[0], "full disk", s.Base(), "compress").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := mustSay(t, s, "a"); got != want {
		t.Error(differs(got, want))
	}
}
