package attributioncmd

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/review"
	"entire/strategy/step"
)

type whyOptions struct {
	rev           string
	json, noPager bool
}

func whyCommand(env *cliui.Env) *cobra.Command {
	var o whyOptions
	cmd := &cobra.Command{
		Use:   "why FILE:LINE",
		Short: "Show what was asked, thought and done when a line was written",
		Long: `Show how a line came to be: who wrote it and how that is known, the commit and
the checkpoint, and for an agent's line the prompt, what the agent thought and said
around the call that wrote it, and the call's diff.

It shows the conversation as the checkpoint stores it or, for a line that is not
committed, as the newest step stores it. If the transcript does not show which call
wrote the line, it lists the prompts that may have asked for it.`,
		Example: `  entire why main.go:42
  entire why --rev v1.2 main.go:42        # the line as it was then
  entire why --json main.go:42            # for a script`,
		Args: cliui.OneArgument,
		RunE: func(cmd *cobra.Command, args []string) error { return runWhy(cmd.Context(), env, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.rev, "rev", "", "the file as it was in this commit")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveNoSpace) // a file, and then a colon
	cmd.RegisterFlagCompletionFunc("rev", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return workplace.CompleteRevisions(env, cmd, args, typed)
	})
	return cmd
}

func runWhy(ctx context.Context, env *cliui.Env, name string, o whyOptions) error {
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	rev := ""
	if o.rev != "" {
		c, err := commitNamed(ctx, wp, o.rev)
		if err != nil {
			return err
		}
		rev = c.OID.String()
	}
	file, number, err := fileAndLine(ctx, env, wp, name, rev)
	if err != nil {
		return err
	}
	lines, err := openLineage(wp).Blame(ctx, file, rev, lineage.Span{From: number, To: number})
	if err != nil {
		return blameFailure(wp, file, err)
	}
	if len(lines) != 1 {
		return cliui.Failf("", "%s has no line %d", cliui.ShownName(file), number)
	}
	v := newWhyView(file, o.rev, lines[0])
	if err := v.tell(ctx, wp); err != nil {
		return err
	}
	if o.json {
		return env.PrintJSON(v)
	}
	return env.Show(ctx, v.text(env.Screen()), o.noPager)
}

// commitNamed returns the commit that a name means.
func commitNamed(ctx context.Context, wp *workplace.Workplace, name string) (git.Commit, error) {
	c, ok, err := wp.Repo.Reader(ctx).CommitOf(name)
	if err == nil && ok && !strings.HasPrefix(name, "-") {
		return c, nil
	}
	m, err := wp.MeaningOf(ctx, name)
	if err == nil {
		c, err = wp.CommitMeant(ctx, m)
	}
	switch {
	case err == nil:
		return c, nil
	case m.Kind != "" || !errors.Is(err, workplace.ErrNoMeaning):
		return c, err
	}
	return c, cliui.Failf("any name of a commit will do, as for `git log`, or the ID of a checkpoint or session", "commit not found: %s", name)
}

// fileAndLine splits FILE:LINE. The file name may contain colons; a column after the line, as
// compilers print it, is ignored.
func fileAndLine(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, name, rev string) (string, int, error) {
	bad := cliui.Failf("as in `entire why main.go:42`; `entire blame FILE` shows all lines", "not FILE:LINE: %s", name)
	file, digits, found := cutLast(name)
	number, err := strconv.Atoi(digits)
	if !found || err != nil || number < 1 || file == "" {
		return "", 0, bad
	}
	paths, err := workplace.RepoPaths(env, wp, []string{file})
	if err != nil {
		return "", 0, err
	}
	if shorter, more, ok := cutLast(file); ok && !isThere(ctx, env, wp, paths[0], rev) {
		if n, err := strconv.Atoi(more); err == nil && n > 0 {
			if other, err := workplace.RepoPaths(env, wp, []string{shorter}); err == nil && isThere(ctx, env, wp, other[0], rev) {
				return other[0], n, nil
			}
		}
	}
	return paths[0], number, nil
}

func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// isThere reports whether the commit rev, or HEAD if rev is "", has a file.
func isThere(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, path, rev string) bool {
	if rev == "" {
		rev = "HEAD"
	}
	c, ok, err := wp.Repo.Reader(ctx).CommitOf(rev)
	if err != nil || !ok {
		return false
	}
	_, found, err := wp.Repo.Reader(ctx).Path(c.Tree, path)
	return err == nil && found
}

// tell adds what was said and done, as far as it is stored.
func (v *whyView) tell(ctx context.Context, wp *workplace.Workplace) error {
	if !v.line.Agent() {
		return nil
	}
	kind, transcript, start, subagents, err := v.transcript(ctx, wp)
	if err != nil {
		return err
	}
	if len(transcript) == 0 {
		return nil
	}
	query := review.Query{ToolUseID: v.line.Owner.ToolUseID, Paths: []string{v.File}, Line: v.Text, Start: start, Prompt: v.line.Owner.Prompt}
	if v.line.CommitPath != "" && v.line.CommitPath != v.File {
		query.Paths = append(query.Paths, v.line.CommitPath)
	}
	var subs [][]conversation.Passage
	for _, s := range subagents {
		subs = append(subs, conversation.Passages(kind, s))
	}
	v.take(review.Find(query, conversation.Passages(kind, transcript), subs...))
	return nil
}

// transcript returns the stored conversation, and where the checkpoint's own part of it begins.
func (v *whyView) transcript(ctx context.Context, wp *workplace.Workplace) (kind agent.AgentType, transcript []byte, start int, subagents [][]byte, err error) {
	cp, sid := v.line.Checkpoint, v.line.Owner.SessionID
	if cp.IsZero() {
		return v.stepTranscript(ctx, wp, sid)
	}
	reader := records.NewReader(wp.Repo)
	content, err := reader.SessionByID(ctx, cp, sid)
	switch {
	case content != nil:
		v.problem(err)
	case errors.Is(err, metadata.ErrCheckpointNotFound), errors.Is(err, metadata.ErrSessionNotFound):
		v.problem(err) // the record may be here without the conversation
		return "", nil, 0, nil, nil
	default:
		return "", nil, 0, nil, err
	}
	if content.HashMismatch != nil {
		v.problem(content.HashMismatch)
	}
	subagents, err = reader.SubagentTranscripts(ctx, cp, sid, workplace.SubagentMax)
	return content.Metadata.Agent, content.Transcript, content.Metadata.GetTranscriptStart(), subagents, err
}

// StepTranscript returns the transcript in the newest step of a session whose work is in no
// commit yet.
func (v *whyView) stepTranscript(ctx context.Context, wp *workplace.Workplace, sid string) (kind agent.AgentType, transcript []byte, start int, subagents [][]byte, err error) {
	points, err := step.Points(ctx, wp.Engine, pointsLooked)
	if err != nil {
		return "", nil, 0, nil, err
	}
	for _, p := range points {
		if p.SessionID != sid || p.IsLogsOnly {
			continue
		}
		oid, err := git.ParseOID(p.ID)
		if err != nil {
			return "", nil, 0, nil, err
		}
		rd := wp.Repo.Reader(ctx)
		commit, err := rd.Commit(oid)
		if err != nil {
			return "", nil, 0, nil, err
		}
		info := shadow.ParseStep(commit.Message)
		kind := p.Agent
		if st, err := wp.Store.Load(ctx, info.Session); err == nil {
			kind = st.AgentType
		}
		v.Step = oid.String()
		transcript, err := workplace.StepTranscript(rd, commit, info, kind)
		if err != nil {
			return "", nil, 0, nil, err
		}
		folder, found, err := rd.Path(commit.Tree, shadow.SessionDir(info.Session))
		if err == nil && found {
			var entries []git.TreeEntry
			if entries, err = rd.Tree(folder.OID); err == nil {
				subagents, err = chunk.SubagentTranscriptsIn(rd, entries, workplace.SubagentMax)
			}
		}
		return kind, transcript, 0, subagents, err
	}
	return "", nil, 0, nil, nil
}

// pointsLooked bounds how many of the newest points are searched for a step of the session.
const pointsLooked = 200
