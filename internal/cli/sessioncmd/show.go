package sessioncmd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
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
  entire sessions show 6e1f0d2 --messages --json | jq -r .content
  entire sessions show 6e1f0d2 --around 120       # that message, and those near
  entire sessions show 6e1f0d2 --raw > transcript.jsonl`,
		Args:              cliui.OneArgument,
		ValidArgsFunction: sessionlib.CompleteSession(env),
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
	cmd.RegisterFlagCompletionFunc("around", sessionlib.CompleteMessage(env))
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
	return l.Env.Show(ctx, sessionlib.Text(s, l.Env.Screen()), o.noPager)
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
