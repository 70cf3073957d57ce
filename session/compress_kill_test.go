package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/session/internal/layout"
	"entire/session/internal/log"
	"entire/session/internal/pack"
)

// compressor is a process that compresses all there is in a store, and kills itself
// at the step of a number. With "loop" before that it compresses over and over.
func compressor(base, when string) error {
	s := OpenStore(base)
	defer s.Close()
	number, loop := strings.CutPrefix(when, "loop")
	last, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	step := func(_, what string) {
		if last--; last == 0 {
			fmt.Println(what)
			p, _ := os.FindProcess(os.Getpid())
			_ = p.Kill()
			select {}
		}
	}
	for {
		all, err := s.ListContext(context.Background())
		if err != nil {
			return err
		}
		c, err := pack.Compress(context.Background(), s.queue.Base, all, CompressOptions{Before: inAWhile}, step)
		for _, why := range c.Failed {
			err = errors.Join(err, why)
		}
		if err != nil || !loop {
			return err
		}
	}
}

// TestCompressKilled kills whoever compresses, at every step: what was said stays, is
// added to, and is compressed by the next.
func TestCompressKilled(t *testing.T) {
	t.Parallel()
	at := map[string]int{}
	for n := 1; ; n++ {
		s := testStore(t)
		must(t, s.Create(SessionMetadata{ID: "a", CreatedAt: aDay, UpdatedAt: aDay}))
		fill := func(from int) {
			for n := from; n < from+12; n++ {
				raw := fmt.Sprintf(`{"uuid":"m%d","out":"%s"}`, n, strings.Repeat(fmt.Sprintf("output %d ", n%3), 9000))
				must(t, s.AppendBatch(t.Context(), "a", Batch{Messages: []Message{wordy(n, 2500)}, Raw: []byte(raw)}))
			}
			must(t, s.Flush(t.Context()))
		}
		fill(1)
		if n%2 == 0 { // some of it is compressed already
			compressAll(t, s)
			fill(13)
		}
		must(t, second(s.Fork("a", "b")))
		want := []string{mustSay(t, s, "a"), mustSay(t, s, "b")}
		out, err := exec.CommandContext(t.Context(), os.Args[0], "compress", s.Base(), strconv.Itoa(n)).Output()
		killed := err != nil
		at[strings.TrimSpace(string(out))]++
		for i, sid := range []string{"a", "b"} {
			if got := mustSay(t, s, sid); got != want[i] {
				t.Errorf("killed at step %d (%s): %s: %s", n, out, sid, differs(got, want[i]))
			}
		}
		compressAll(t, s)
		for i, sid := range []string{"a", "b"} {
			if got := mustSay(t, s, sid); got != want[i] {
				t.Errorf("after step %d, compressed again: %s: %s", n, sid, differs(got, want[i]))
			}
		}
		must(t, s.AppendMessage("a", say(99)))
		must(t, s.AppendMessage("b", say(98)))
		if list, err := s.LastMessages(t.Context(), "a", 1); err != nil || uuids(list) != "m99" {
			t.Errorf("after step %d: %v, %v", n, list, err)
		}
		if !killed {
			if len(at) < 6 {
				t.Errorf("killed only at %v", at)
			}
			return
		}
	}
}

// TestCompressTogether: processes that talk in a session, others that compress it all
// the while and are killed, and a reader: every message is there, once and in order.
func TestCompressTogether(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	talking, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	compressed := make([]int, 2)
	for p := range compressed {
		all.Go(func() {
			for talking.Err() == nil {
				cmd := exec.CommandContext(talking, os.Args[0], "compress", c.base, fmt.Sprint("loop", 1+rand.IntN(9)))
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				if cmd.Run() == nil || stderr.Len() > 0 {
					t.Errorf("it ended by itself: %s", stderr.String())
					return
				}
				compressed[p]++
			}
		})
	}
	var waits []func() error
	const processes, goroutines, messages = 2, 3, 1200
	for p := range processes {
		_, _, wait := c.start(fmt.Sprintf("p%d", p), goroutines, messages, 10)
		waits = append(waits, wait)
	}
	done, reads := make(chan struct{}), make(chan int, 1)
	go func() { reads <- c.watch(done) }()
	for _, wait := range waits {
		if err := wait(); err != nil {
			t.Error(err)
		}
	}
	stop()
	close(done)
	all.Wait()
	store := OpenStore(c.base)
	defer store.Close()
	said := c.read(store)
	c.saidAll(said, processes, goroutines, messages)
	c.checkCounts(store, processes*goroutines*messages)
	head, _, err := log.HeadOf(filepath.Join(store.Dir(c.sid), layout.MessagesName))
	must(t, err)
	t.Logf("%v kills, %d reads, compressed meanwhile: %+v", compressed, <-reads, head) // nil where this machine is too slow
	if compressed[0] == 0 {
		t.Error("nobody was killed: this means nothing")
	}
	compressAll(t, store)
	c.saidAll(c.read(store), processes, goroutines, messages)
}

// TestCompressSweeps: what killed processes left is removed an hour later.
func TestCompressSweeps(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	left := filepath.Join(s.Base(), ".new-left")
	must(t, os.MkdirAll(left, 0o750))
	old := time.Now().Add(-2 * time.Hour)
	must(t, os.Chtimes(left, old, old))
	must(t, s.Create(SessionMetadata{ID: "a"}))
	must(t, s.AppendMessage("a", wordy(1, 2*pack.MinPackBytes)))
	compressAll(t, s)
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
