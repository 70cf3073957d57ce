package sessionmovecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/strategy/resume"
	"entire/strategy/transcript"
)

type resumeOptions struct{ force, json bool }

// Register adds `entire resume` to parent, and to sessions the commands that continue,
// fork, export and import a session.
func Register(parent, sessions *cobra.Command, env *cliui.Env) {
	parent.AddCommand(resumeCommand(env))
	sessions.AddCommand(sessionsResumeCommand(env), sessionsContinueCommand(env), sessionsForkCommand(env), sessionsExportCommand(env), sessionsImportCommand(env),
		sessionsAdoptCommand(env), sessionsAttachCommand(env), sessionsStopCommand(env))
}

func resumeCommand(env *cliui.Env) *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:   "resume BRANCH",
		Short: "Continue the sessions of a branch",
		Long: `Continue the sessions of a branch's newest checkpoint, also those of another
machine: switch to the branch, which is fetched if only a remote has it, write the
transcripts where the agent looks for them, and print the command that continues
each session.

Only what is missing here is fetched. Checkpoints that are here stay. A transcript
that is longer here than in the checkpoint stays, too, unless you give --force; a
replaced transcript is kept under another name.

To continue one session, also outside a repository, see ` + "`entire sessions resume`" + `.`,
		Example: "  entire resume feature/login",
		Args:    cliui.OneArgument,
		ValidArgsFunction: cliui.FirstOnly(workplace.CompleteNames(env, func(ctx context.Context, wp *workplace.Workplace, _ string) ([]string, error) {
			return resume.Branches(ctx, wp.Engine)
		})),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runResume(cmd.Context(), env, args[0], o)
		},
	}
	cmd.Flags().BoolVarP(&o.force, "force", "f", false, "replace transcripts that are longer here")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runResume(ctx context.Context, env *cliui.Env, branch string, o resumeOptions) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	req := resume.Request{Branch: branch, Force: o.force, Person: workplace.Person(env, false), Say: func(line string) { fmt.Fprintln(env.Err, line) }}
	r, err := resume.PlanResume(ctx, wp.Engine, req)
	if r != nil && r.Switched {
		fmt.Fprintf(env.Err, "Switched to branch '%s'\n", branch)
	}
	if errors.Is(err, resume.ErrNoBranch) {
		if sid, other := wp.SessionNamed(ctx, branch); other == nil { // the name means a session, checkpoint or commit
			return sessionlib.WithLibrary(ctx, env, func(l *sessionlib.Library) error {
				s, err := l.FindByID(ctx, sid)
				if err != nil {
					return err
				}
				return goOn(ctx, l, s, sessionlib.ResumeOptions{Force: o.force, JSON: o.json})
			})
		}
	}
	if err != nil {
		return resumeFailure(err)
	}
	if len(r.Checkpoints) > 0 && len(r.Logs.Held) > 0 && !o.json {
		if err := askToReplace(ctx, env, wp, r); err != nil {
			return err
		}
	}
	return tellResumed(env, r, r.CarryOut(ctx, wp.Engine), o)
}

func resumeFailure(err error) error {
	var way *git.InTheWayError
	var elsewhere *git.ElsewhereError
	var gone *metadata.ForgottenError
	switch {
	case errors.As(err, &gone):
		return cliui.Failf("`git switch` goes to the branch; the agent may still have the conversation", "%w", err)
	case errors.As(err, &elsewhere):
		return cliui.Failf("run `entire resume "+elsewhere.Branch+"` there", "%w", err)
	case errors.As(err, &way):
		return cliui.Failf("commit them or `git stash` them first", "%w", err)
	case errors.Is(err, resume.ErrOwnBranch):
		return cliui.Failf("`entire sessions list` shows what is stored", "branch %w", err)
	case errors.Is(err, resume.ErrNoBranch):
		return cliui.Failf("`git branch -a` shows the branches", "branch %w", err)
	case errors.Is(err, resume.ErrNoMetadata):
		return cliui.Failf("`entire share push` on the machine where the work was done sends it", "%w", err)
	}
	return err
}

// askToReplace asks a person at a terminal whether to replace transcripts that are longer here.
func askToReplace(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, r *resume.Resumption) error {
	t := env.Terminal()
	if !t.Interactive {
		return nil
	}
	var list []string
	for _, log := range r.Logs.Held {
		list = append(list, log.Path)
	}
	yes, err := t.Confirm(ctx, "Replace transcripts that are longer here than in the checkpoint?", strings.Join(list, "\n"))
	if err != nil || !yes {
		return nil
	}
	return resume.PlanLogsOf(ctx, wp.Engine, r, true)
}

// A resumedView is the JSON form of the result of `entire resume`.
type resumedView struct {
	Branch      string        `json:"branch"`
	Switched    bool          `json:"switched"`
	Commit      string        `json:"commit,omitempty"`
	Behind      int           `json:"newer_commits"` // commits of the branch after it that name no checkpoint
	Checkpoints []string      `json:"checkpoints"`
	Sessions    []resumedItem `json:"sessions"`
	Skipped     []string      `json:"skipped"`
}

type resumedItem struct {
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent"`
	Path      string          `json:"path"`
	Prompt    string          `json:"prompt,omitempty"`
	Command   string          `json:"resume_command"`
	Restored  bool            `json:"restored"` // false: the longer transcript here was kept
}

func viewOf(r *resume.Resumption, done *transcript.LogsOutcome) resumedView {
	v := resumedView{Branch: r.Branch, Switched: r.Switched, Behind: r.Behind, Checkpoints: []string{}, Sessions: []resumedItem{}, Skipped: cliui.NotNil(done.Skipped)}
	if len(r.Checkpoints) > 0 {
		v.Commit = r.Commit.OID.String()
	}
	for _, cp := range r.Checkpoints {
		v.Checkpoints = append(v.Checkpoints, cp.String())
	}
	for _, s := range done.Restored {
		v.Sessions = append(v.Sessions, resumedItem{s.SessionID, s.Agent, s.Path, s.Prompt, s.ResumeCommand, true})
	}
	for _, log := range r.Logs.Held {
		v.Sessions = append(v.Sessions, resumedItem{log.SessionID, log.Agent, log.Path, log.Prompt, log.ResumeCommand, false})
	}
	return v
}

// tellResumed says which transcripts were restored, and prints the commands that continue the
// sessions.
func tellResumed(env *cliui.Env, r *resume.Resumption, done *transcript.LogsOutcome, o resumeOptions) error {
	v := viewOf(r, done)
	if o.json {
		return env.PrintJSON(v)
	}
	if len(v.Checkpoints) == 0 {
		fmt.Fprintf(env.Err, "No Entire checkpoint found on branch '%s'\n", v.Branch)
		return nil
	}
	if v.Behind > 0 {
		fmt.Fprintf(env.Err, "The newest checkpoint belongs to %s (%s); %s after it %s none.\n",
			r.Commit.OID.Short(), cliui.OneLine(cliui.Printable(r.Commit.Subject())), cliui.Count(v.Behind, "commit"), cliui.Plural(v.Behind, "has", "have"))
	}
	for _, skipped := range v.Skipped {
		fmt.Fprintf(env.Err, "warning: %s\n", skipped)
	}
	if len(v.Sessions) == 0 {
		return cliui.Failf("`entire sessions list` shows what is stored", "no session of checkpoint %s can be continued here", strings.Join(v.Checkpoints, ", "))
	}
	for _, s := range v.Sessions {
		if s.Restored {
			fmt.Fprintf(env.Err, "Writing transcript to: %s\n", s.Path)
		}
	}
	for i, s := range v.Sessions {
		fmt.Fprintf(env.Out, "Session: %s\n", s.SessionID)
		if s.Command == "" {
			continue
		}
		last := ""
		if len(v.Sessions) > 1 && i == len(v.Sessions)-1 {
			last = " (most recent)"
		}
		fmt.Fprintf(env.Out, "To continue this session, run:\n  %s%s%s\n", s.Command, cliui.Comment(s.Prompt), last)
	}
	return nil
}
