package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
)

// converse is one of several processes at a session: args are the base, the
// session, the process' name, how many goroutines, how many messages each, and
// after how many a goroutine flushes and says so (0: never).
func converse(args []string) error {
	base, sid, name := args[0], args[1], args[2]
	var goroutines, messages, flush int
	if _, err := fmt.Sscan(strings.Join(args[3:], " "), &goroutines, &messages, &flush); err != nil {
		return err
	}
	store := OpenStore(base)
	errs := make([]error, goroutines)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() { errs[g] = talk(os.Stdout, store, sid, fmt.Sprintf("%s-%d", name, g), messages, flush) })
	}
	all.Wait()
	return errors.Join(append(errs, store.Close())...)
}

// talk appends messages whose UUIDs are the speaker's name and a number from 0.
func talk(out io.Writer, store *Store, sid, speaker string, messages, flush int) error {
	for i := range messages {
		m := say(i)
		m.UUID, m.Content = speaker+"-"+strconv.Itoa(i), strings.Repeat("x", i*37%2000)
		if err := store.AppendMessage(sid, m); err != nil {
			return err
		}
		if flush > 0 && i%flush == flush-1 {
			if err := store.Flush(context.Background()); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s %d\n", speaker, i)
		}
	}
	return nil
}

// A company is several processes that talk in one session.
type company struct {
	t    *testing.T
	base string
	sid  string

	mu      sync.Mutex
	flushed map[string]int // speaker to the last number it said was safe
}

func newCompany(t *testing.T) *company {
	c := &company{t: t, base: filepath.Join(t.TempDir(), "sessions"), sid: "s", flushed: map[string]int{}}
	store := OpenStore(c.base)
	must(t, store.Create(SessionMetadata{ID: c.sid}))
	must(t, store.Close())
	return c
}

// start runs one process. flushed is closed when it has said that something is safe, or has
// ended; wait returns when it has ended, however.
func (c *company) start(name string, goroutines, messages, flush int) (flushed <-chan struct{}, kill func(), wait func() error) {
	cmd := exec.CommandContext(c.t.Context(), os.Args[0], "converse", c.base, c.sid, name,
		strconv.Itoa(goroutines), strconv.Itoa(messages), strconv.Itoa(flush))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	must(c.t, err)
	must(c.t, cmd.Start())
	var hear sync.WaitGroup
	first := make(chan struct{})
	hear.Go(func() { c.hear(out, first) })
	return first, func() { cmd.Process.Kill() }, func() error {
		hear.Wait()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%w: %s", err, stderr.String())
		}
		return nil
	}
}

func (c *company) hear(out io.Reader, first chan struct{}) {
	once := sync.OnceFunc(func() { close(first) })
	defer once()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		speaker, number, _ := strings.Cut(lines.Text(), " ")
		if n, err := strconv.Atoi(number); err == nil {
			c.mu.Lock()
			c.flushed[speaker] = max(c.flushed[speaker], n+1)
			c.mu.Unlock()
			once()
		}
	}
}

// read checks that every speaker's messages are there from the first, each once
// and in order, and returns how many each has.
func (c *company) read(store *Store) map[string]int {
	said := map[string]int{}
	for m, err := range store.Messages(c.t.Context(), c.sid) {
		if err != nil {
			c.t.Errorf("reading: %v", err)
			return said
		}
		dash := strings.LastIndexByte(m.UUID, '-')
		speaker, number := m.UUID[:dash], m.UUID[dash+1:]
		if number != strconv.Itoa(said[speaker]) {
			c.t.Errorf("%s said %s, want %d", speaker, number, said[speaker])
			return said
		}
		if want := said[speaker] * 37 % 2000; len(m.Content) != want {
			c.t.Errorf("%s has %d bytes, want %d", m.UUID, len(m.Content), want)
		}
		said[speaker]++
	}
	return said
}

// watch reads on until done is closed, and returns how often it did.
func (c *company) watch(done <-chan struct{}) (reads int) {
	store := OpenStore(c.base)
	defer store.Close()
	for {
		c.read(store)
		if _, err := store.LastMessages(c.t.Context(), c.sid, 3); err != nil {
			c.t.Error(err)
		}
		reads++
		select {
		case <-done:
			return reads
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// saidAll checks that nobody's messages are missing.
func (c *company) saidAll(said map[string]int, processes, goroutines, messages int) {
	c.t.Helper()
	for p := range processes {
		for g := range goroutines {
			if speaker := fmt.Sprintf("p%d-%d", p, g); said[speaker] != messages {
				c.t.Errorf("%s said %d of %d", speaker, said[speaker], messages)
			}
		}
	}
}

// together lets processes talk at once, and reads meanwhile.
func together(t *testing.T, processes, goroutines, messages int) {
	c := newCompany(t)
	done := make(chan struct{})
	reads := make(chan int, 1)
	go func() { reads <- c.watch(done) }()
	var waits []func() error
	for p := range processes {
		_, _, wait := c.start(fmt.Sprintf("p%d", p), goroutines, messages, 0)
		waits = append(waits, wait)
	}
	for _, wait := range waits {
		if err := wait(); err != nil {
			t.Error(err)
		}
	}
	close(done)
	t.Logf("%d reads meanwhile", <-reads)
	store := OpenStore(c.base)
	defer store.Close()
	said := c.read(store)
	c.saidAll(said, processes, goroutines, messages)
	meta, err := store.Metadata(t.Context(), c.sid)
	must(t, err)
	if want := processes * goroutines * messages; meta.MessageCount != want || len(said) != processes*goroutines {
		t.Errorf("%d messages counted, %d speakers; want %d", meta.MessageCount, len(said), want)
	}
}

// kills lets processes talk that are killed at random instants and followed by
// others, until so many were killed. What was flushed is there, no line is torn.
func kills(t *testing.T, processes, goroutines, total int) {
	c := newCompany(t)
	var all sync.WaitGroup
	for p := range processes {
		all.Go(func() {
			for life := range total / processes {
				flushed, kill, wait := c.start(fmt.Sprintf("p%d.%d", p, life), goroutines, 1_000_000, 20)
				if life%2 == 0 { // on a busy machine it takes longer to begin than the others live
					<-flushed
				}
				time.Sleep(time.Duration(20+rand.IntN(150)) * time.Millisecond)
				kill()
				wait()
			}
		})
	}
	done := make(chan struct{})
	reads := make(chan int, 1)
	go func() { reads <- c.watch(done) }()
	all.Wait()
	close(done)
	<-reads
	store := OpenStore(c.base)
	defer store.Close()
	said := c.read(store)
	n := 0
	for speaker, k := range said {
		n += k
		if k < c.flushed[speaker] {
			t.Errorf("%s: %d were flushed, %d are there", speaker, c.flushed[speaker], k)
		}
	}
	for speaker := range c.flushed {
		if said[speaker] == 0 {
			t.Errorf("%s: nothing is there", speaker)
		}
	}
	c.checkCounts(store, n)
	t.Logf("%d kills, %d messages of %d speakers, %d flushed", total, n, len(said), len(c.flushed))
	if len(c.flushed) == 0 {
		t.Error("nobody got as far as to flush: this means nothing")
	}
}

// checkCounts checks that what says how many messages there are tells the truth
// after the kills, and when the next writer has been there.
func (c *company) checkCounts(store *Store, n int) {
	list, err := store.List()
	must(c.t, err)
	meta, err := store.Metadata(c.t.Context(), c.sid)
	must(c.t, err)
	if len(list) != 1 || list[0].MessageCount != n || meta.MessageCount != n {
		c.t.Errorf("listed %+v, metadata %+v, want %d messages", list, meta, n)
	}
	must(c.t, store.AppendMessage(c.sid, Message{UUID: "end-0"}))
	must(c.t, store.Flush(c.t.Context()))
	if said := c.read(store); said["end"] != 1 {
		c.t.Error("what was appended at the end is not there")
	}
	if meta, err = store.Metadata(c.t.Context(), c.sid); err != nil || meta.MessageCount != n+1 || meta.LastMessage != "end-0" {
		c.t.Errorf("metadata %+v, %v, want %d messages", meta, err, n+1)
	}
	torn, _ := os.ReadFile(filepath.Join(store.Dir(c.sid), "messages"+layout.TornExt))
	for line := range bytes.Lines(torn) {
		if log.IsRecord(line) {
			c.t.Errorf("a complete line was set aside: %.100q", line)
		}
	}
}

func TestProcessesTogether(t *testing.T) {
	t.Parallel()
	together(t, 4, 8, 60)
}

func TestProcessesKilled(t *testing.T) {
	t.Parallel()
	kills(t, 3, 4, 12)
}
