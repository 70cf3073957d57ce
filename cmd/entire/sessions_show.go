package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/checkpoint/records"
	"entire/internal/retention"
	"entire/internal/term"
	"entire/session"
)

type showOptions struct {
	messages, all, raw, json, noPager bool
	around                            string
}

func (w *world) sessionsShowCommand() *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a session, or what was said in it",
		Long: `Show a session and its checkpoints, or what was said in it.

With --messages it shows every message, and each tool call and result in one line;
with --json too, one JSON object per line. Rewound messages are left out, unless
--all is given. --raw prints the agent's own records as they are stored, byte for
byte: they have no secrets.`,
		Example: `  entire sessions show 6e1f0d2
  entire sessions show 6e1f0d2 --messages
  entire sessions show 6e1f0d2 --messages --all   # rewound messages, too
  entire sessions show 6e1f0d2 --messages --json | jq -r 'select(.role == "user").content'
  entire sessions show 6e1f0d2 --around 120       # that message and its neighbours
  entire sessions show 6e1f0d2 --raw > transcript.jsonl`,
		Args:              oneArgument,
		ValidArgsFunction: w.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.raw && (o.messages || o.json) {
				return failf("it prints the agent's records and nothing else", "--raw cannot be used with --messages or --json")
			}
			if o.all && !o.messages {
				return failf("add --messages", "--all is about what was said")
			}
			if o.around != "" && o.raw {
				return failf("it prints the agent's records and nothing else", "--raw cannot be used with --around")
			}
			return w.withLibrary(cmd.Context(), func(l *library) error { return l.show(cmd.Context(), args[0], o) })
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.messages, "messages", "m", false, "what was said")
	f.BoolVar(&o.all, "all", false, "with --messages: rewound messages, too")
	f.StringVar(&o.around, "around", "", "the `MESSAGE` with this number or UUID and its neighbours, as \"entire search\" numbers them")
	f.BoolVar(&o.raw, "raw", false, "the agent's own records")
	f.BoolVar(&o.json, "json", false, "print JSON: an object; with --messages one object per line")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("around", w.completeMessage)
	return cmd
}

func (l *library) show(ctx context.Context, prefix string, o showOptions) error {
	s, err := l.find(ctx, prefix)
	switch {
	case err != nil:
		return err
	case o.raw:
		return l.showRaw(ctx, s)
	case o.around != "":
		return l.showAround(ctx, s, o)
	case o.messages && o.json:
		enc := l.w.jsonLines()
		return l.eachEntry(ctx, s, o.all, func(m saidEntry) error { return enc.Encode(m) })
	case o.messages:
		return l.showMessages(ctx, s, o)
	}
	if slices.Contains(s.Sources, inStore) {
		s.Bytes, s.Plain, _ = l.storeOf(s.Project).SizeOf(ctx, s.ID) // an unknown size is not shown
	}
	if o.json {
		return l.w.printJSON(s)
	}
	return l.w.show(ctx, s.text(l.w.screen()), o.noPager)
}

func (l *library) showMessages(ctx context.Context, s listedSession, o showOptions) error {
	screen := l.w.screen()
	return screen.Paged(ctx, l.w.pager(o.noPager), l.w.environ, func(out io.Writer) error {
		return l.eachEntry(ctx, s, o.all, newTalkWriter(out, screen, l.w.width(), s.Folder).addEntry)
	})
}

// eachEntry passes a session's messages to do; with all, also those that rewinds removed. It
// warns about messages that cannot be read.
func (l *library) eachEntry(ctx context.Context, s listedSession, all bool, do func(saidEntry) error) error {
	for m, err := range l.entries(ctx, s, all) {
		if bad := badLine(err); bad != nil {
			fmt.Fprintf(l.w.err, "warning: %s\n", shownLine(bad.Error()))
			continue
		}
		if errors.Is(err, session.ErrNotFound) {
			return notKept(s)
		}
		if err != nil {
			return err
		}
		if err := do(m); err != nil {
			return err
		}
	}
	return nil
}

// badLine returns err if it concerns one unreadable message among readable ones, else nil.
func badLine(err error) error {
	var bad *session.BadLineError
	var badInGit *records.BadMessageError
	if errors.As(err, &bad) || errors.As(err, &badInGit) {
		return err
	}
	return nil
}

func (l *library) showRaw(ctx context.Context, s listedSession) error {
	out := bufio.NewWriter(l.w.raw())
	err := l.writeRaw(ctx, s, out)
	if errors.Is(err, session.ErrNotFound) {
		err = notKept(s)
	}
	return errors.Join(err, out.Flush())
}

// text returns a session as text for people.
func (s listedSession) text(t term.Terminal) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s: %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "Session: %s\nStarted: %s\n", t.Styled(term.Strong, shownLine(s.ID)), s.Started.Local().Format("2006-01-02 15:04:05"))
	if !s.Updated.Equal(s.Started) {
		line("Updated", "%s", s.Updated.Local().Format("2006-01-02 15:04:05"))
	}
	if s.TitleBy == session.TitledByUser {
		line("Title", "%s", shownLine(s.Title))
	}
	if s.Description != "" && (s.TitleBy != session.TitledByUser || s.Description != s.Title) {
		line("First prompt", "%s", shownLine(s.Description))
	}
	state := s.State
	if s.Reason != "" {
		state += " (" + shownLine(s.Reason) + ")"
	}
	line("State", "%s", state)
	if s.Agent != "" {
		line("Agent", "%s", strings.TrimSpace(shownLine(string(s.Agent))+"  "+t.Styled(term.Faint, shownLine(s.Model))))
	}
	if s.Folder != "" {
		line("Folder", "%s", shownName(s.Folder))
	}
	if len(s.Branches) > 0 {
		line("Branches", "%s", shownLine(strings.Join(s.Branches, ", ")))
	}
	if all := append(slices.Clone(s.Tags), s.AutoTags...); len(all) > 0 {
		line("Tags", "%s", shownLine(strings.Join(all, ", ")))
	}
	for _, fact := range aroundLines(s) {
		line(fact[0], "%s", shownLine(fact[1]))
	}
	if s.Parent != "" {
		at := ""
		if s.ForkedAt != "" {
			at = " at message " + shownLine(shortOf(s.ForkedAt, shortUUID))
		}
		line("Forked from", "%s%s", shownLine(s.Parent), at)
	}
	if s.Messages > 0 {
		line("Messages", "%d in %s", s.Messages, count(s.Turns, "turn"))
	}
	if s.Rewinds > 0 {
		line("Rewound", "%s; --messages --all shows everything that was said", count(s.Rewinds, "time"))
	}
	if s.Tokens > 0 {
		line("Tokens", "%s", tokensText(s))
	}
	line("Kept in", "%s", keptIn(s.Sources))
	if s.Plain > s.Bytes {
		line("On disk", "%s, %s uncompressed", retention.Bytes(s.Bytes), retention.Bytes(s.Plain))
	} else if s.Bytes > 0 {
		line("On disk", "%s", retention.Bytes(s.Bytes))
	}
	fmt.Fprintf(&b, "Checkpoints: (%d)\n", len(s.Checkpoints))
	for _, c := range s.Checkpoints {
		task := ""
		if c.IsTask {
			task = "[Task] "
		}
		fmt.Fprintf(&b, "  %s  %s  %s%s\n", c.ID, c.Date.Local().Format("2006-01-02 15:04"), task, shownLine(c.Message))
	}
	return b.String()
}

func tokensText(s listedSession) string {
	text := fmt.Sprint(s.Tokens)
	if u := s.Usage; u != nil {
		text += fmt.Sprintf(" (input %d, cache %d written %d read, output %d)", u.InputTokens, u.CacheCreationTokens, u.CacheReadTokens, u.OutputTokens)
	}
	if s.CostUSD > 0 {
		text += fmt.Sprintf(", $%.2f", s.CostUSD)
	}
	return text
}

// keptIn returns the sources of a session in words.
func keptIn(sources []string) string {
	words := map[string]string{inStore: "the store on this machine", inState: "this repository's sessions", inGit: "the metadata branch"}
	var out []string
	for _, s := range sources {
		out = append(out, words[s])
	}
	return strings.Join(out, ", ")
}
