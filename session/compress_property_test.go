package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"entire/session/internal/log"
)

// TestCompressProperty: whatever is appended, compressed, forked, taken back and
// deleted, in whatever order, a store in which nothing was ever compressed says the same.
func TestCompressProperty(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(top, fmt.Sprint(runs))
		defer os.RemoveAll(dir)
		stores := []*Store{}
		open := func() {
			for i := range 2 {
				stores = append(stores, OpenStore(filepath.Join(dir, fmt.Sprint(i), "sessions"), WithSync(false), WithClock(func() time.Time { return aDay })))
			}
		}
		open()
		closeAll := func() {
			for _, s := range stores {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			stores = nil
		}
		defer func() { closeAll() }()
		sids, n := []string{"s0"}, 0
		both := func(do func(*Store) error) (err error) {
			var errs []error
			for _, s := range stores {
				errs = append(errs, do(s))
			}
			if (errs[0] == nil) != (errs[1] == nil) {
				t.Fatalf("%v, and %v", errs[0], errs[1])
			}
			return errs[0]
		}
		fine := func(do func(*Store) error) {
			if err := both(do); err != nil {
				t.Fatal(err)
			}
		}
		fine(func(s *Store) error { return s.Create(SessionMetadata{ID: "s0", CreatedAt: aDay, UpdatedAt: aDay}) })
		pick := func() string { return rapid.SampledFrom(sids).Draw(t, "session") }
		for range rapid.IntRange(3, 10).Draw(t, "steps") {
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0, 1, 2:
				sid, b := pick(), Batch{}
				for range rapid.IntRange(1, 4).Draw(t, "messages") {
					n++
					b.Messages = append(b.Messages, wordy(n, rapid.SampledFrom([]int{0, 900, 900, 9000, 9000, 70_000}).Draw(t, "bytes")))
					b.Raw = append(b.Raw, rawLine(t, n)...)
				}
				fine(func(s *Store) error {
					return errors.Join(s.AppendBatch(context.Background(), sid, b), s.Flush(context.Background()))
				})
			case 3, 4:
				if c := compressAll(t, stores[0]); c.Is > c.Was {
					t.Fatalf("it grew: %+v", c)
				}
			case 5:
				sid, child := pick(), fmt.Sprintf("s%d", len(sids))
				at := rapid.SampledFrom([]string{"", fmt.Sprintf("m%d", max(n/2, 1))}).Draw(t, "at")
				if both(func(s *Store) error { return second(s.ForkAt(context.Background(), sid, child, at)) }) == nil {
					sids = append(sids, child)
				}
			case 6:
				sid := pick()
				m, err := stores[0].RewindRecord(fmt.Sprintf("m%d", max(n-2, 1)), "test")
				if err != nil {
					t.Fatal(err)
				}
				fine(func(s *Store) error { return s.AppendMessage(sid, m) })
			case 7:
				sid := pick()
				fine(func(s *Store) error { return s.Delete(sid) })
				if rapid.Bool().Draw(t, "compress without") {
					compressAll(t, stores[0])
				}
				fine(func(s *Store) error { return s.Undelete(context.Background(), sid) })
			case 8:
				closeAll()
				open()
			}
		}
		for _, sid := range sids {
			var said [2]string
			for i, s := range stores {
				var err error
				if said[i], err = allSaid(s, sid); err != nil {
					t.Fatal(err)
				}
			}
			if said[0] != said[1] {
				t.Fatalf("%s: %s", sid, differs(said[0], said[1]))
			}
		}
	})
}

// rawLine is a line of an agent's stream: an object, something damaged, nothing, or
// what we would write ourselves.
func rawLine(t *rapid.T, n int) string {
	large := strings.Repeat(`a large \"output\" \\`, 3200)
	return rapid.SampledFrom([]string{
		fmt.Sprintf(`{"uuid":"m%d"}`, n),
		fmt.Sprintf(`{"uuid":"m%d","a":"%s","b":["%s","x%s"]}`, n, large, large, large),
		`{"torn":"` + large, `"` + large + large + `"`, "", "no json",
		strings.TrimSuffix(string((&log.PackedHead{Bytes: 7, SHA256: strings.Repeat("0", 64)}).Line()), "\n"),
		`{"text":"` + log.LargeTextMark + strings.Repeat("0", 64) + `"}`,
	}).Draw(t, "raw") + "\n"
}
