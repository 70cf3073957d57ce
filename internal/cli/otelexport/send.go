package otelexport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/exportcmd"
	"entire/internal/cli/sessionlib"
	"entire/internal/otlp"
)

const (
	batch        = 512 // spans in a request
	usualTimeout = 10 * time.Second
)

// A sent says what was sent.
type sent struct {
	URL         string    `json:"url"`
	DryRun      bool      `json:"dry_run,omitempty"`
	Sessions    int       `json:"sessions"`
	Turns       int       `json:"turns"`
	Answers     int       `json:"answers"`
	Calls       int       `json:"tool_calls"`
	Checkpoints int       `json:"checkpoints"`
	Rewinds     int       `json:"rewinds"`
	Spans       int       `json:"spans"`
	Refused     int64     `json:"refused"`          // by the collector
	Why         string    `json:"reason,omitempty"` // of the refusal
	Problems    []problem `json:"problems"`
}

// A problem is a session that could not be read.
type problem struct {
	Session string `json:"session_id"`
	Error   string `json:"error"`
}

// Send sends what the options say, and says what was sent.
func Send(ctx context.Context, env *cliui.Env, o exportcmd.Options) error {
	return sessionlib.WithLibrary(ctx, env, func(l *sessionlib.Library) error { return run(ctx, l, o) })
}

func run(ctx context.Context, l *sessionlib.Library, o exportcmd.Options) (err error) {
	client, err := clientOf(l, o)
	if err != nil {
		return err
	}
	since, err := cliui.Moment(o.Since, l.Env.Now(), false)
	if err != nil {
		return err
	}
	marks, err := openBookmark(l.Data, client.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, marks.lock.Release()) }()
	list, err := sessions(ctx, l, o.All)
	if err != nil {
		return err
	}
	x := &exporter{client: client, marks: marks, dry: o.DryRun, sent: sent{URL: client.URL, DryRun: o.DryRun, Problems: []problem{}}, pending: map[string]*mark{}, seen: map[string]bool{}}
	r := &reader{l: l, content: o.Content, since: since, give: func(key string, m mark, spans []otlp.Span) error { return x.take(ctx, key, m, spans) }}
	if err := r.readRewinds(); err != nil {
		return err
	}
	show, done := l.Env.Progress()
	for i, s := range list {
		show("sessions", i, len(list))
		key := cmp.Or(s.Project, l.Ident.Key) + "/" + s.ID
		m := marks.of(key)
		if o.Again {
			m = mark{}
		}
		err := r.read(ctx, s, key, m)
		var fatal sendError
		if errors.As(err, &fatal) || ctx.Err() != nil {
			done()
			return err
		}
		if err != nil {
			x.problem(s.ID, err)
		}
	}
	done()
	if err := x.flush(ctx); err != nil {
		return err
	}
	return tell(l.Env, o, x.sent)
}

// clientOf returns the client for the address that the user named.
func clientOf(l *sessionlib.Library, o exportcmd.Options) (otlp.Client, error) {
	get := func(name string) string { v, _ := l.Env.LookupEnv(name); return v }
	c := otlp.Client{Timeout: usualTimeout, Version: l.Env.Version}
	var err error
	switch traces, base := get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), get("OTEL_EXPORTER_OTLP_ENDPOINT"); {
	case o.Endpoint == "" && traces != "":
		_, err = otlp.TracesURL(traces)
		c.URL = traces
	case o.Endpoint != "" || base != "":
		c.URL, err = otlp.TracesURL(cmp.Or(o.Endpoint, base))
	default:
		return c, cliui.Failf("--endpoint http://localhost:4318 sends to a collector on this machine", "no collector is named")
	}
	if err != nil {
		return c, cliui.Failf("it is like http://localhost:4318", "the address of the collector is not usable: %w", err)
	}
	headers := get("OTEL_EXPORTER_OTLP_HEADERS") + "," + get("OTEL_EXPORTER_OTLP_TRACES_HEADERS")
	if c.Headers, err = otlp.Headers(headers); err != nil {
		return c, cliui.Failf("such as api-key=…", "read OTEL_EXPORTER_OTLP_HEADERS: %w", err)
	}
	if text := cmp.Or(get("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"), get("OTEL_EXPORTER_OTLP_TIMEOUT")); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 1 || ms > 3_600_000 {
			return c, cliui.Failf("it is a number of milliseconds", "OTEL_EXPORTER_OTLP_TIMEOUT cannot be %.40q", text)
		}
		c.Timeout = time.Duration(ms) * time.Millisecond
	}
	c.Resource = []otlp.Attribute{{Key: "service.name", Value: cmp.Or(get("OTEL_SERVICE_NAME"), "entire")}, {Key: "service.version", Value: l.Env.Version}}
	return c, nil
}

// tell says what was sent.
func tell(env *cliui.Env, o exportcmd.Options, s sent) error {
	for _, p := range s.Problems {
		fmt.Fprintf(env.Err, "warning: not sent: session %s: %s\n", cliui.ShownSession(p.Session), cliui.ShownLine(p.Error))
	}
	if s.Refused > 0 {
		fmt.Fprintf(env.Err, "warning: the collector refused %s: %s\n", cliui.Count(int(s.Refused), "span"), cliui.ShownLine(s.Why))
	}
	if o.JSON {
		return env.PrintJSON(s)
	}
	verb := "Sent"
	if s.DryRun {
		verb = "Would send"
	}
	if s.Spans == 0 {
		fmt.Fprintf(env.Out, "Nothing is new for %s.\n", cliui.ShownLine(s.URL))
		return nil
	}
	parts := []string{}
	for _, p := range []struct {
		n    int
		word string
	}{{s.Turns, "turn"}, {s.Answers, "answer"}, {s.Calls, "tool call"}, {s.Checkpoints, "checkpoint"}, {s.Rewinds, "rewind"}} {
		if p.n > 0 {
			parts = append(parts, cliui.Count(p.n, p.word))
		}
	}
	fmt.Fprintf(env.Out, "%s %s of %s to %s.\n", verb, strings.Join(parts, ", "), cliui.Count(s.Sessions, "session"), cliui.ShownLine(s.URL))
	return nil
}
