package sessionmovecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/strategy/turn"
)

func sessionsAttachCommand(env *cliui.Env) *cobra.Command {
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "attach FILE",
		Short: "Start recording a session that began before Entire did",
		Long: `Start recording a session from its agent's own transcript: one that began before
` + "`entire enable`" + `, or while the agent's hooks were not there. The files in this worktree
that its calls wrote and that are not committed yet become its work, so that the
next commit is linked to it; lines that no call explains stay unknown. When the agent
goes on, its hooks go on from there.

The agent is recognised by the transcript's place and content, or named by --agent.
To keep only the conversation, see ` + "`entire sessions import`" + `.`,
		Example: `  entire sessions attach ~/.claude/projects/-home-me-app/6e1f0d2a-1b3c.jsonl
  entire sessions attach --agent gemini session.json`,
		Args: cliui.OneArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				return attach(cmd.Context(), l, args[0], name, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&name, "agent", "", "the `AGENT` of the transcript: "+strings.Join(workplace.AgentNames(), ", ")+" (without it, detected)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("agent", workplace.CompleteAgents)
	return cmd
}

func attach(ctx context.Context, l *sessionlib.Library, file, name string, asJSON bool) error {
	if err := l.IsFile(file); err != nil {
		return err
	}
	wp, err := enabledHere(ctx, l)
	if err != nil {
		return err
	}
	path := l.Abs(file)
	if isExport(path) {
		return cliui.Failf("`entire sessions import` reads it", "%s is an export, not a transcript", file)
	}
	plain, done, err := sessionlib.Unpacked(path)
	if err != nil {
		return err
	}
	defer done()
	about, err := sessionlib.ReadAbout(plain, name)
	if err != nil {
		return err
	}
	if plain != path { // a copy stays; the agent unpacks the file itself when it goes on
		if path, err = keepUnpacked(wp, about.ID, plain); err != nil {
			return err
		}
	}
	ev := agent.Event{Type: agent.SessionStart, Agent: agents.For(about.Agent).Name(), AgentType: about.Agent,
		SessionID: about.ID, TranscriptPath: path, Dir: wp.Repo.Top, Time: l.Env.Now()}
	b, err := turn.Attach(ctx, wp.Engine, ev)
	switch {
	case err != nil:
		return fmt.Errorf("attach session %s: %w", about.ID, err)
	case b.From != "" && !b.Here:
		return cliui.Failf("`entire sessions adopt "+about.ID.String()+"` takes it over", "session %s is recorded in %s", about.ID, cliui.Printable(b.From))
	}
	if !b.Here && wp.Settings.SessionStore() {
		err := l.SettleIn(ctx)
		if err == nil {
			err = l.FeedFile(ctx, about, path, false)
		}
		if err != nil {
			fmt.Fprintf(l.Env.Err, "warning: the conversation is not in the store: %v\n", err)
		}
	}
	v := broughtViewOf(wp, b)
	v.Transcript = path
	if asJSON {
		return l.Env.PrintJSON(v)
	}
	if b.Here {
		_, err := fmt.Fprintf(l.Env.Out, "Session %s is recorded here already.\n", about.ID)
		return err
	}
	fmt.Fprintf(l.Env.Out, "Session %s (%s) is recorded from now on.\n", about.ID, v.Agent)
	return tellPending(l.Env, v)
}

// keepUnpacked moves the content of a compressed transcript to where this program keeps transcripts.
func keepUnpacked(wp *workplace.Workplace, session id.SessionID, plain string) (string, error) {
	if wp.Engine.Sealing() {
		return "", cliui.Failf("unpack the transcript yourself, and attach that file", "the transcript is compressed, and this project keeps no conversation in clear")
	}
	content, err := durable.Read(plain, agent.MaxTranscript)
	if err != nil {
		return "", err
	}
	path := wp.Engine.OwnTranscript(session)
	if err := durable.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("keep the unpacked transcript: %w", err)
	}
	return path, nil
}
