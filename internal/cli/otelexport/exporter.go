package otelexport

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/otlp"
)

// An exporter collects spans until a request is full, sends them, and then notes what was sent.
type exporter struct {
	client  otlp.Client
	marks   *bookmark
	dry     bool
	sent    sent
	spans   []otlp.Span
	pending map[string]*mark // what holds when the spans are sent
	seen    map[string]bool  // sessions with spans
}

// A sendError is an error of the collector or the bookmark: nothing further can be sent.
type sendError struct{ error }

func (e sendError) Unwrap() error { return e.error }

// take takes spans, in whole turns, and the mark that holds when they are sent.
func (x *exporter) take(ctx context.Context, key string, m mark, spans []otlp.Span) error {
	x.pending[key] = &m
	if len(spans) > 0 {
		x.seen[key] = true
	}
	x.spans = append(x.spans, spans...)
	if len(x.spans) < batch {
		return nil
	}
	return x.flush(ctx)
}

// flush sends what there is. A turn with more spans than a request may have is sent in several.
func (x *exporter) flush(ctx context.Context) error {
	for len(x.spans) > 0 {
		n := min(len(x.spans), batch)
		if err := x.send(ctx, x.spans[:n]); err != nil {
			return err
		}
		x.spans = x.spans[n:]
	}
	x.sent.Sessions = len(x.seen)
	if x.dry || len(x.pending) == 0 {
		return nil
	}
	maps.Copy(x.marks.Sessions, x.pending)
	clear(x.pending)
	if err := x.marks.save(); err != nil {
		return sendError{err}
	}
	return nil
}

func (x *exporter) send(ctx context.Context, spans []otlp.Span) error {
	if !x.dry {
		refused, why, err := x.client.Send(ctx, spans)
		if err != nil {
			return sendError{cliui.Failf("what was sent before stays noted; run the command again", "send to %s: %s", cliui.ShownLine(x.client.URL), cliui.ShownLine(fmt.Sprint(err)))}
		}
		if x.sent.Refused += refused; why != "" {
			x.sent.Why = why
		}
	}
	for _, s := range spans {
		x.sent.Spans++
		word, _, _ := strings.Cut(s.Name, " ")
		switch word {
		case "invoke_agent":
			x.sent.Turns++
		case "chat":
			x.sent.Answers++
		case "execute_tool":
			x.sent.Calls++
		case "entire.checkpoint":
			x.sent.Checkpoints++
		case "entire.rewind":
			x.sent.Rewinds++
		}
	}
	return nil
}

func (x *exporter) problem(session string, err error) {
	x.sent.Problems = append(x.sent.Problems, problem{session, err.Error()})
}
