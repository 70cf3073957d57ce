package searchcmd

import (
	"fmt"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"entire/internal/cli/cliui"
	"entire/internal/search"
	"entire/internal/term"
)

// Indexing less than this takes under a second and shows no progress.
const (
	quietSessions = 40
	quietBytes    = 4 << 20
)

// showProgress shows a person the progress of indexing; in a script's log it is one line.
func showProgress(env *cliui.Env, sessions int, size int64) (tell func(search.Progress), done func()) {
	if sessions < quietSessions && size < quietBytes {
		return func(search.Progress) {}, func() {}
	}
	what := fmt.Sprintf("indexing %s", cliui.Count(sessions, "session"))
	if size > 0 {
		what += fmt.Sprintf(" (%s)", cliui.ByteCount(size))
	}
	fmt.Fprintf(env.Err, "entire search: %s …\n", what)
	if !term.IsTerminal(env.Err) {
		return func(search.Progress) {}, func() {}
	}
	bars := mpb.New(mpb.WithOutput(term.Raw(env.Err)), mpb.WithWidth(64), mpb.WithRefreshRate(150*time.Millisecond))
	bar := bars.AddBar(max(size, 1), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersKibiByte("% .1f / % .1f")),
		mpb.AppendDecorators(decor.Percentage(), decor.Name("  "), decor.AverageSpeed(decor.SizeB1024(0), "% .1f"),
			decor.Name("  "), decor.AverageETA(decor.ET_STYLE_GO)))
	tell = func(p search.Progress) { bar.SetCurrent(min(p.Bytes, max(size, 1)-1)) }
	return tell, func() {
		bar.SetCurrent(max(size, 1)) // completes and removes the bar
		bar.Abort(true)
		bars.Wait()
	}
}
