package term

import (
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"entire/internal/legible"
)

// progressAfter is how long an operation runs before its progress is shown.
const progressAfter = time.Second

// Progress shows the progress of an operation, in bytes, once it has taken a second.
// Several goroutines may use it.
type Progress struct {
	all   *mpb.Progress // nil: nothing is shown
	bar   *mpb.Bar
	timer *time.Timer
	done  sync.Once
}

// NewProgress starts to show the progress of an operation of total bytes on out; it shows
// nothing if out is not a terminal. Call Done at the end.
func NewProgress(out io.Writer, what string, total int64) *Progress {
	if !IsTerminal(out) {
		return &Progress{}
	}
	late := make(chan struct{})
	p := &Progress{timer: time.AfterFunc(progressAfter, func() { close(late) })}
	p.all = mpb.New(mpb.WithOutput(Raw(out)), mpb.WithWidth(40), mpb.WithRenderDelay(late), mpb.WithAutoRefresh())
	p.bar = p.all.AddBar(max(total, 1), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(legible.Line(what)+" ")),
		mpb.AppendDecorators(decor.CountersKibiByte("% .1f / % .1f"), decor.Percentage(decor.WC{W: 5})))
	return p
}

// Add adds n finished bytes.
func (p *Progress) Add(n int64) {
	if p.all != nil {
		p.bar.IncrInt64(n)
	}
}

// Done ends the display, whatever the progress. Further calls do nothing.
func (p *Progress) Done() {
	p.done.Do(func() {
		if p.all == nil {
			return
		}
		p.timer.Stop()
		p.bar.Abort(true)
		p.all.Wait()
	})
}
