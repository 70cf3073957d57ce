package main

import (
	"fmt"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"entire/internal/search"
	"entire/internal/term"
)

// Indexing less than this takes under a second and shows no progress.
const (
	quietSessions = 40
	quietBytes    = 4 << 20
)

// A searchBar shows a person the progress of indexing; in a script's log it is one line.
type searchBar struct {
	tell func(search.Progress)
	done func()
}

func (w *world) searchBar(sessions int, size int64) searchBar {
	if sessions < quietSessions && size < quietBytes {
		return searchBar{func(search.Progress) {}, func() {}}
	}
	what := fmt.Sprintf("indexing %s", count(sessions, "session"))
	if size > 0 {
		what += fmt.Sprintf(" (%s)", byteCount(size))
	}
	fmt.Fprintf(w.err, "entire search: %s …\n", what)
	if !term.IsTerminal(w.err) {
		return searchBar{func(search.Progress) {}, func() {}}
	}
	bars := mpb.New(mpb.WithOutput(term.Raw(w.err)), mpb.WithWidth(64), mpb.WithRefreshRate(150*time.Millisecond))
	bar := bars.AddBar(max(size, 1), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersKibiByte("% .1f / % .1f")),
		mpb.AppendDecorators(decor.Percentage(), decor.Name("  "), decor.AverageSpeed(decor.SizeB1024(0), "% .1f"),
			decor.Name("  "), decor.AverageETA(decor.ET_STYLE_GO)))
	return searchBar{
		tell: func(p search.Progress) { bar.SetCurrent(min(p.Bytes, max(size, 1)-1)) },
		done: func() {
			bar.SetCurrent(max(size, 1)) // completes and removes the bar
			bar.Abort(true)
			bars.Wait()
		},
	}
}

// byteCount returns a number of bytes in words for people.
func byteCount(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	case n < 1<<30:
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}
