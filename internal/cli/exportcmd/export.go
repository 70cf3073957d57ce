package exportcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/otlp"
)

const (
	batch        = 512 // spans in a request
	usualTimeout = 10 * time.Second
)

type otelOptions struct {
	endpoint, since                   string
	content, all, again, dryRun, json bool
}

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Send what sessions did to a collector, if you ask for it",
		Args:  cliui.NoArguments,
	}
	cmd.AddCommand(otelCommand(env))
	parent.AddCommand(cmd)
}

func otelCommand(env *cliui.Env) *cobra.Command {
	var o otelOptions
	cmd := &cobra.Command{
		Use:   "otel",
		Short: "Send turns, tool calls and tokens to OpenTelemetry",
		Long: `Send turns, answers, tool calls, tokens, checkpoints and rewinds of this project's
stored sessions to a collector of OpenTelemetry, as spans by its conventions for
generative AI (OTLP over HTTP). Nothing is ever sent unless you run this command.

Each call sends what is new since the last one to the same collector. What a killed call
sent is sent again with the same IDs. Without --content no span has a text of a person, a
model or a tool; names of tools and models are in it.

The address is that of --endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or
OTEL_EXPORTER_OTLP_ENDPOINT. OTEL_EXPORTER_OTLP_HEADERS has headers, such as a key.`,
		Example: `  entire export otel --endpoint http://localhost:4318 --dry-run
  entire export otel --endpoint http://localhost:4318
  entire export otel --since 7d --all   # of every project on this machine`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return o.run(cmd.Context(), l) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.endpoint, "endpoint", "", "the `URL` of the collector; /v1/traces is added")
	f.StringVar(&o.since, "since", "", "leave out what began before `WHEN`, also in later calls: 2026-03-01, an RFC 3339 time, or 30d, 2w, 12h ago")
	f.BoolVar(&o.content, "content", false, "send prompts, answers, and what tools got and gave, too, redacted as they are stored")
	f.BoolVar(&o.all, "all", false, "the sessions of every project on this machine")
	f.BoolVar(&o.again, "again", false, "send what was sent before, too, with the same IDs")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be sent, and send nothing")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("endpoint", cobra.NoFileCompletions)
	cmd.RegisterFlagCompletionFunc("since", cobra.NoFileCompletions)
	return cmd
}

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

func (o *otelOptions) run(ctx context.Context, l *sessionlib.Library) (err error) {
	client, err := o.client(l)
	if err != nil {
		return err
	}
	since, err := cliui.Moment(o.since, l.Env.Now(), false)
	if err != nil {
		return err
	}
	marks, err := openBookmark(l.Data, client.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, marks.lock.Release()) }()
	list, err := sessions(ctx, l, o.all)
	if err != nil {
		return err
	}
	x := &exporter{client: client, marks: marks, dry: o.dryRun, sent: sent{URL: client.URL, DryRun: o.dryRun, Problems: []problem{}}, pending: map[string]*mark{}, seen: map[string]bool{}}
	r := &reader{l: l, content: o.content, since: since, give: func(key string, m mark, spans []otlp.Span) error { return x.take(ctx, key, m, spans) }}
	if err := r.readRewinds(); err != nil {
		return err
	}
	show, done := l.Env.Progress()
	for i, s := range list {
		show("sessions", i, len(list))
		key := cmp.Or(s.Project, l.Ident.Key) + "/" + s.ID
		m := marks.of(key)
		if o.again {
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
	return o.tell(l.Env, x.sent)
}

// client returns the client for the address that the user named.
func (o *otelOptions) client(l *sessionlib.Library) (otlp.Client, error) {
	get := func(name string) string { v, _ := l.Env.LookupEnv(name); return v }
	c := otlp.Client{Timeout: usualTimeout, Version: l.Env.Version}
	var err error
	switch traces, base := get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), get("OTEL_EXPORTER_OTLP_ENDPOINT"); {
	case o.endpoint == "" && traces != "":
		_, err = otlp.TracesURL(traces)
		c.URL = traces
	case o.endpoint != "" || base != "":
		c.URL, err = otlp.TracesURL(cmp.Or(o.endpoint, base))
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
func (o *otelOptions) tell(env *cliui.Env, s sent) error {
	for _, p := range s.Problems {
		fmt.Fprintf(env.Err, "warning: not sent: session %s: %s\n", cliui.ShownSession(p.Session), cliui.ShownLine(p.Error))
	}
	if s.Refused > 0 {
		fmt.Fprintf(env.Err, "warning: the collector refused %s: %s\n", cliui.Count(int(s.Refused), "span"), cliui.ShownLine(s.Why))
	}
	if o.json {
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
