package sessioncmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/retention"
	"entire/internal/term"
	"entire/session"
)

type showOptions struct {
	messages, all, raw, json, noPager bool
	around                            string
}

func sessionsShowCommand(env *cliui.Env) *cobra.Command {
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
  entire sessions show 6e1f0d2 --messages --json | jq -r 'select(.role == "user" and (.injected | not)).content'
  entire sessions show 6e1f0d2 --around 120       # that message and its neighbours
  entire sessions show 6e1f0d2 --raw > transcript.jsonl`,
		Args: cliui.OneArgument,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return sessionlib.CompleteSession(env, cmd, args, toComplete)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.raw && (o.messages || o.json) {
				return cliui.Failf("it prints the agent's records and nothing else", "--raw cannot be used with --messages or --json")
			}
			if o.all && !o.messages {
				return cliui.Failf("add --messages", "--all is about what was said")
			}
			if o.around != "" && o.raw {
				return cliui.Failf("it prints the agent's records and nothing else", "--raw cannot be used with --around")
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return show(cmd.Context(), l, args[0], o) })
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.messages, "messages", "m", false, "what was said")
	f.BoolVar(&o.all, "all", false, "with --messages: rewound messages, too")
	f.StringVar(&o.around, "around", "", "the `MESSAGE` with this number or UUID and its neighbours, as \"entire search\" numbers them")
	f.BoolVar(&o.raw, "raw", false, "the agent's own records")
	f.BoolVar(&o.json, "json", false, "print JSON: an object; with --messages one object per line")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("around", func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		return sessionlib.CompleteMessage(env, cmd, args, toComplete)
	})
	return cmd
}

func show(ctx context.Context, l *sessionlib.Library, prefix string, o showOptions) error {
	s, err := l.Find(ctx, prefix)
	switch {
	case err != nil:
		return err
	case o.raw:
		return showRaw(ctx, l, s)
	case o.around != "":
		return showAround(ctx, l, s, o)
	case o.messages && o.json:
		enc := l.Env.JsonLines()
		return l.EachEntry(ctx, s, o.all, func(m sessionlib.SaidEntry) error { return enc.Encode(m) })
	case o.messages:
		return showMessages(ctx, l, s, o)
	}
	if slices.Contains(s.Sources, sessionlib.InStore) {
		s.Bytes, s.Plain, _ = l.StoreOf(s.Project).SizeOf(ctx, s.ID) // an unknown size is not shown
	}
	if o.json {
		return l.Env.PrintJSON(s)
	}
	return l.Env.Show(ctx, text(s, l.Env.Screen()), o.noPager)
}

func showMessages(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession, o showOptions) error {
	screen := l.Env.Screen()
	return screen.Paged(ctx, l.Env.Pager(o.noPager), l.Env.Environ, func(out io.Writer) error {
		return l.EachEntry(ctx, s, o.all, sessionlib.NewConversationWriter(out, screen, l.Env.Width(), s.Folder).AddEntry)
	})
}

func showRaw(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession) error {
	out := bufio.NewWriter(l.Env.Raw())
	err := l.WriteRaw(ctx, s, out)
	if errors.Is(err, session.ErrNotFound) {
		err = sessionlib.NotKept(s)
	}
	return errors.Join(err, out.Flush())
}

// text returns a session as text for people.
func text(s sessionlib.ListedSession, t term.Terminal) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s: %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "Session: %s\nStarted: %s\n", t.Styled(term.Strong, cliui.ShownLine(s.ID)), s.Started.Local().Format("2006-01-02 15:04:05"))
	if !s.Updated.Equal(s.Started) {
		line("Updated", "%s", s.Updated.Local().Format("2006-01-02 15:04:05"))
	}
	if s.TitleBy == session.TitledByUser {
		line("Title", "%s", cliui.ShownLine(s.Title))
	}
	if s.Description != "" && (s.TitleBy != session.TitledByUser || s.Description != s.Title) {
		line("First prompt", "%s", cliui.ShownLine(s.Description))
	}
	state := s.State
	if s.Reason != "" {
		state += " (" + cliui.ShownLine(s.Reason) + ")"
	}
	line("State", "%s", state)
	if s.Agent != "" {
		line("Agent", "%s", strings.TrimSpace(cliui.ShownLine(string(s.Agent))+"  "+t.Styled(term.Faint, cliui.ShownLine(s.Model))))
	}
	if s.Folder != "" {
		line("Folder", "%s", cliui.ShownName(s.Folder))
	}
	if len(s.Branches) > 0 {
		line("Branches", "%s", cliui.ShownLine(strings.Join(s.Branches, ", ")))
	}
	if all := append(slices.Clone(s.Tags), s.AutoTags...); len(all) > 0 {
		line("Tags", "%s", cliui.ShownLine(strings.Join(all, ", ")))
	}
	for _, fact := range sessionlib.AroundLines(s) {
		line(fact[0], "%s", cliui.ShownLine(fact[1]))
	}
	if s.Parent != "" {
		at := ""
		if s.ForkedAt != "" {
			at = " at message " + cliui.ShownLine(cliui.ShortOf(s.ForkedAt, sessionlib.ShortUUID))
		}
		line("Forked from", "%s%s", cliui.ShownLine(s.Parent), at)
	}
	if s.Messages > 0 {
		line("Messages", "%d in %s", s.Messages, cliui.Count(s.Turns, "turn"))
	}
	if s.Rewinds > 0 {
		line("Rewound", "%s; --messages --all shows everything that was said", cliui.Count(s.Rewinds, "time"))
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
		fmt.Fprintf(&b, "  %s  %s  %s%s\n", c.ID, c.Date.Local().Format("2006-01-02 15:04"), task, cliui.ShownLine(c.Message))
	}
	return b.String()
}

func tokensText(s sessionlib.ListedSession) string {
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
	words := map[string]string{sessionlib.InStore: "the store on this machine", sessionlib.InState: "this repository's sessions", sessionlib.InGit: "the metadata branch"}
	var out []string
	for _, s := range sources {
		out = append(out, words[s])
	}
	return strings.Join(out, ", ")
}
