package storebench

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"entire/session"
)

// openStore returns a store with a session "s".
func openStore(b *testing.B) *session.Store {
	b.Helper()
	store := session.OpenStore(filepath.Join(b.TempDir(), "sessions"))
	check(b, store.Create(session.SessionMetadata{ID: "s", CWD: "/w"}))
	b.Cleanup(func() { check(b, store.Close()) })
	return store
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAppend is how long a caller waits for one append while the queue has
// room: median and 99th percentile.
func BenchmarkAppend(b *testing.B) {
	store, talk := openStore(b), codingSession(1000)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		m := talk[i%len(talk)]
		start := time.Now()
		err := store.AppendMessage("s", m)
		took = append(took, time.Since(start))
		check(b, err)
		if i%128 == 127 { // the queue has 256
			b.StopTimer()
			_, err := store.LastMessages(context.Background(), "s", 0) // waits
			check(b, err)
			b.StartTimer()
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "p99-µs")
}

// BenchmarkToDisk appends 50,000 messages and makes them durable: through a
// store, to a plain file, one write each, into SQLite, one insert each in one
// transaction.
func BenchmarkToDisk(b *testing.B) {
	const n = 50_000
	talk := codingSession(1000)
	for _, way := range []struct {
		name string
		run  func(*testing.B, []session.Message, int)
	}{{"store", toStore}, {"file", toFile}, {"sqlite", toSQLite}} {
		b.Run(way.name, func(b *testing.B) {
			cpu := cpuTime()
			for b.Loop() {
				way.run(b, talk, n)
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/(n*float64(b.N)), "cpu-µs/message")
		})
	}
}

func toStore(b *testing.B, talk []session.Message, n int) {
	store := openStore(b)
	for i := range n {
		check(b, store.AppendMessage("s", talk[i%len(talk)]))
	}
	check(b, store.Flush(context.Background()))
}

func toFile(b *testing.B, talk []session.Message, n int) {
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "messages.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	check(b, err)
	defer f.Close()
	for i := range n {
		line, err := json.Marshal(talk[i%len(talk)])
		check(b, err)
		_, err = f.Write(append(line, '\n'))
		check(b, err)
	}
	check(b, f.Sync())
}

func toSQLite(b *testing.B, talk []session.Message, n int) {
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "m.db"))
	check(b, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE messages (id INTEGER PRIMARY KEY, line TEXT)")
	check(b, err)
	tx, err := db.Begin()
	check(b, err)
	stmt, err := tx.Prepare("INSERT INTO messages (line) VALUES (?)")
	check(b, err)
	for i := range n {
		line, err := json.Marshal(talk[i%len(talk)])
		check(b, err)
		_, err = stmt.Exec(string(line))
		check(b, err)
	}
	check(b, tx.Commit())
}

// BenchmarkList lists 10,000 sessions in a new process' eyes, from the index.
func BenchmarkList(b *testing.B) {
	base := filepath.Join(b.TempDir(), "sessions")
	store := session.OpenStore(base, session.WithSync(false))
	const n = 10_000
	for i := range n {
		check(b, store.Create(session.SessionMetadata{
			ID: fmt.Sprintf("3f2c1d00-0000-4000-8000-%012d", i), CWD: fmt.Sprintf("/home/me/src/p%d", i%20), Model: "claude-sonnet-4-5",
			Title: fmt.Sprintf("Make the %dth test pass and say why it did not", i), TotalTokens: i, AgentName: "claude",
		}))
	}
	time.Sleep(50 * time.Millisecond) // until the index may believe what it sees
	check(b, listed(store, n))
	cpu := cpuTime()
	for b.Loop() {
		check(b, listed(session.OpenStore(base), n))
	}
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	check(b, store.Close())
}

func listed(store *session.Store, n int) error {
	list, err := store.List()
	if err == nil && len(list) != n {
		err = fmt.Errorf("%d sessions", len(list))
	}
	return err
}

// BenchmarkLast20 reads the last messages of a session of 1 GB.
func BenchmarkLast20(b *testing.B) {
	store := openStore(b)
	f, err := os.Create(filepath.Join(store.Dir("s"), "messages.jsonl"))
	check(b, err)
	var block bytes.Buffer
	for _, m := range codingSession(4000) {
		check(b, json.NewEncoder(&block).Encode(m))
	}
	size := 0
	for ; size < 1<<30; size += block.Len() {
		_, err := f.Write(block.Bytes())
		check(b, err)
	}
	check(b, f.Close())
	for b.Loop() {
		last, err := store.LastMessages(context.Background(), "s", 20)
		check(b, err)
		if len(last) != 20 {
			b.Fatalf("%d messages", len(last))
		}
	}
	b.ReportMetric(float64(size)/(1<<30), "GB")
}
