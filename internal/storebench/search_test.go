package storebench

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/search"
	"entire/session"
)

var (
	searchMB   = flag.Int("search-mb", 0, "the size of the transcripts to search, in MB; 0 skips the measurement")
	searchDir  = flag.String("search-dir", "", "a folder on a disk with room for a third of that")
	searchFrom = flag.String("search-from", "", "a folder with transcripts of Claude Code, *.jsonl, to repeat; without it they are made up")
	searchKept = flag.String("search-index", "", "ask this index of an earlier run, and make none")
	searchAsks = flag.Int("search-queries", 1000, "how many queries")
	searchLeft = flag.Bool("search-keep", false, "leave the folder with the index")
)

// TestSearchAtScale fills a store with transcripts that are repeated with new IDs, indexes it, and asks mixed
// queries of a newly opened index. It prints what that took, and judges nothing.
func TestSearchAtScale(t *testing.T) {
	if *searchMB == 0 {
		t.Skip("make bench-search measures")
	}
	talks := repeatable(t)
	if *searchKept != "" {
		askAll(t, *searchKept, talks)
		return
	}
	dir, err := os.MkdirTemp(*searchDir, "entire-bench-search-")
	if err != nil {
		t.Fatal(err)
	}
	if !*searchLeft {
		defer os.RemoveAll(dir)
	}
	t.Logf("in %s", dir)
	store := session.OpenStore(filepath.Join(dir, "sessions"))
	feed := &storeFeed{store: store}
	transcripts, messages := feed.fill(t, talks)
	t.Logf("stored: %d sessions, %d MB of transcripts, %d MB of messages", len(feed.entries), transcripts>>20, messages>>20)

	path := filepath.Join(dir, "index.db")
	x, err := search.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	forgetPeak()
	begin, cpu := time.Now(), cpuTime()
	if _, err := x.Update(t.Context(), feed.entries, feed, nil, nil); err != nil {
		t.Fatal(err)
	}
	took, used := time.Since(begin), cpuTime()-cpu
	size := int64(0)
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	t.Logf("indexed in %.1f s, %.1f s of processor time: %.0f MB of transcripts/s, %.0f MB per second of processor time; memory at most %d MB; file %d MB",
		took.Seconds(), used.Seconds(), float64(transcripts>>20)/took.Seconds(), float64(transcripts>>20)/used.Seconds(), peak(), size>>20)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	askAll(t, path, talks)
}

// askAll asks a newly opened index.
func askAll(t *testing.T, path string, talks []talk) {
	t.Helper()
	x, err := search.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	forgetPeak()
	ask(t, x, queries(talks, *searchAsks))
	t.Logf("memory while searching at most %d MB", peak())
}

// A talk is a conversation to repeat, and the size of its transcript.
type talk struct {
	messages []agent.Message
	bytes    int64
}

func repeatable(t *testing.T) (out []talk) {
	t.Helper()
	if *searchFrom == "" {
		made := codingSession(1000)
		return []talk{{made, int64(len(fmt.Sprint(made)))}}
	}
	files, err := filepath.Glob(filepath.Join(*searchFrom, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s: %v", *searchFrom, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, talk{conversation.Normalize(agent.AgentTypeClaudeCode, data), int64(len(data))})
	}
	return out
}

// A storeFeed gives the index what is in a store.
type storeFeed struct {
	store   *session.Store
	entries []search.Entry
}

func (f *storeFeed) fill(t *testing.T, talks []talk) (transcripts, messages int64) {
	t.Helper()
	for n := 0; transcripts < int64(*searchMB)<<20; n++ {
		talk := talks[n%len(talks)]
		id := fmt.Sprintf("5e55104f-0000-4000-8000-%012d", n)
		if err := f.store.Create(session.SessionMetadata{ID: id, CWD: "/w"}); err != nil {
			t.Fatal(err)
		}
		last := ""
		for i, m := range talk.messages {
			m.UUID, m.ParentUUID = fmt.Sprintf("7d0c9e1a-%04x-4c1f-%04x-%012d", n>>16, n&0xffff, i), last
			last = m.UUID
			m.Timestamp = m.Timestamp.Add(time.Duration(n) * time.Minute)
			if err := f.store.AppendMessage(id, m); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.store.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		size, err := f.store.LogSize(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		at := talk.messages[0].Timestamp.Add(time.Duration(n) * time.Minute)
		f.entries = append(f.entries, search.Entry{Kind: search.Conversation, Name: id, Mark: "1", Log: "1", Size: size,
			Card: search.Card{Title: fmt.Sprint("Session ", n), Agent: "Claude Code", Folder: "/w", Started: at, Updated: at}})
		transcripts += talk.bytes
		messages += size
	}
	return transcripts, messages
}

// Lines implements search.Source.
func (f *storeFeed) Lines(ctx context.Context, e search.Entry, from int64) iter.Seq2[search.Line, error] {
	return func(yield func(search.Line, error) bool) {
		for line, err := range f.store.LogFrom(ctx, e.Name, from) {
			if !yield(search.Line{Data: line.Data, End: line.End, Rewound: line.Rewound}, err) {
				return
			}
		}
	}
}

// queries returns n queries of ten sorts, made of words that the conversations have: frequent and rare ones.
func queries(talks []talk, n int) (out []string) {
	rng := rand.New(rand.NewPCG(3, 4))
	var words []string
	for _, t := range talks {
		for _, m := range t.messages {
			for w := range strings.FieldsSeq(m.Content[:min(len(m.Content), 4000)]) {
				if w = strings.Trim(w, `.,:;()[]{}"'*-+<>=|&!?#$%^~@\/`+"`"); len(w) > 2 && len(w) < 40 && !strings.ContainsAny(w, `"():*`) {
					words = append(words, w)
				}
			}
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(words)))
	some, rare := func() string { return words[rng.IntN(len(words))] }, func() string { return distinct[rng.IntN(len(distinct))] }
	for i := range n {
		k := rng.IntN(len(words) - 1)
		start := some()
		out = append(out, []string{
			some(), rare(), some() + " " + some(), rare() + " " + some(), `"` + words[k] + " " + words[k+1] + `"`,
			start[:min(3, len(start))] + "*", some() + " OR " + rare(), some() + " " + some() + " " + rare(), some() + " AND " + some(), rare() + " NOT " + some(),
		}[i%10])
	}
	return out
}

func ask(t *testing.T, x *search.Index, list []string) {
	t.Helper()
	type asked struct {
		took, cpu time.Duration
		query     string
	}
	var all []asked
	hits := 0
	for _, text := range list {
		q, err := search.Parse(text)
		if err != nil {
			continue
		}
		begin, cpu := time.Now(), cpuTime()
		a, err := x.Find(t.Context(), search.Request{Query: q})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, asked{time.Since(begin), cpuTime() - cpu, text})
		hits += len(a.Hits)
	}
	for what, of := range map[string]func(asked) time.Duration{"clock": func(a asked) time.Duration { return a.took }, "processor time": func(a asked) time.Duration { return a.cpu }} {
		slices.SortFunc(all, func(a, b asked) int { return int(of(a) - of(b)) })
		ms := func(i int) float64 { return float64(of(all[i]).Microseconds()) / 1000 }
		t.Logf("%d queries, %d hits, %s: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, slowest %.1f ms", len(all), hits, what, ms(len(all)/2), ms(len(all)*9/10), ms(len(all)*99/100), ms(len(all)-1))
	}
	slices.SortFunc(all, func(a, b asked) int { return int(a.cpu - b.cpu) })
	for _, slow := range all[max(len(all)-10, 0):] {
		t.Logf("  %6.1f ms of processor time  %s", float64(slow.cpu.Microseconds())/1000, slow.query)
	}
}

// forgetPeak makes Linux measure the peak of memory anew.
func forgetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peak returns the most memory that the process had, in MB; 0 where the system does not say so.
func peak() int {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(string(rest)), " kB"))
			return kb >> 10
		}
	}
	return 0
}
