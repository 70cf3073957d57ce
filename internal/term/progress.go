package term

import (
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"entire/internal/legible"
)

// progressAfter is how long something takes before its progress is shown.
const progressAfter = time.Second

// Progress shows how far something has come, in bytes, once it has taken a
// second. It may be told from several goroutines.
type Progress struct {
	all   *mpb.Progress // nil: shown to nobody
	bar   *mpb.Bar
	timer *time.Timer
	done  sync.Once
}

// NewProgress begins to show what is being done, of total bytes, on out; nothing is
// shown where that is no terminal. Call Done at the end.
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

// Add says that n more bytes are done.
func (p *Progress) Add(n int64) {
	if p.all != nil {
		p.bar.IncrInt64(n)
	}
}

// Done ends the display, however far it came. Once is enough, more do no harm.
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
