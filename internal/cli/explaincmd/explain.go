package explaincmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
)

type explainOptions struct {
	session, commit, checkpoint, any      string
	short, full, raw, json, noPager, wide bool
	generate, force, yes                  bool
}

// ExplainCommand shows what was asked and done behind a checkpoint.
func ExplainCommand(env *cliui.Env) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [ID]",
		Short: "Show what was asked and done behind a commit",
		Long: `Show what was asked and done: the checkpoints of the current branch, one
checkpoint, the one behind a commit, or those of one session.

ID is a checkpoint, a step, a session, or any name of a commit; IDs may be
shortened. A checkpoint of several sessions shows them all; add "/"
and a number to the ID, as in a1b2c3d4e5f6/1, for one of them.

With --generate the command asks the agent's own program (claude, gemini) for a
summary of the checkpoint's part of the conversation, and stores it. A command or the
URL of a model, also a local one, can make summaries instead: docs/output.md shows the
settings. You are asked before the first one.`,
		Example: `  entire explain                          # the checkpoints of this branch
  entire explain HEAD                     # what was behind the last commit
  entire explain a1b2c3 --full            # with the whole conversation
  entire explain -c a1b2c3 --generate     # have it summarised`,
		Args: cliui.AtMostOneArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.any = args[0]
			}
			if err := o.check(cmd.Flags().Changed); err != nil {
				return err
			}
			return runExplain(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "only this session's checkpoints")
	f.StringVar(&o.commit, "commit", "", "the checkpoint behind this commit")
	f.StringVarP(&o.checkpoint, "checkpoint", "c", "", "this checkpoint, or the step with this commit ID")
	f.BoolVarP(&o.short, "short", "s", false, "leave out files and transcript")
	f.BoolVar(&o.full, "full", false, "the whole session's transcript")
	f.BoolVar(&o.raw, "raw-transcript", false, "the stored transcript, byte for byte")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.generate, "generate", false, "have the agent's program summarise the checkpoint, and store that")
	f.BoolVar(&o.yes, "yes", false, "with --generate: agree, without being asked, to what the settings name for summaries")
	f.BoolVar(&o.force, "force", false, "with --generate: replace an existing summary")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	f.BoolVar(&o.wide, "search-all", false, "look for the checkpoint's commits on every branch")
	cmd.RegisterFlagCompletionFunc("checkpoint", workplace.CompleteBranch(env, workplace.CheckpointNames))
	cmd.RegisterFlagCompletionFunc("session", workplace.CompleteBranch(env, workplace.SessionNames))
	return cmd
}

// check refuses flags that contradict each other. given reports whether a flag was set.
func (o explainOptions) check(given func(string) bool) error {
	count := func(names ...string) (n int) {
		for _, name := range names {
			if given(name) {
				n++
			}
		}
		return n
	}
	named := o.any != "" || given("checkpoint")
	switch {
	case o.any != "" && count("session", "commit", "checkpoint") > 0:
		return cliui.Failf("leave one of them out", "%s and a flag both name what to explain", o.any)
	case o.force && !o.generate:
		return cliui.Failf("it replaces the summary that a checkpoint has", "--force requires --generate flag")
	case o.yes && !o.generate:
		return cliui.Failf("it agrees to what makes summaries", "--yes requires --generate flag")
	case o.generate && !named:
		return cliui.Failf("name the checkpoint with -c", "--generate requires --checkpoint/-c flag")
	case o.generate && o.raw:
		return cliui.Failf("use one of them", "cannot specify both --generate and --raw-transcript")
	case o.generate && given("commit"), !o.generate && count("session", "commit", "checkpoint") > 1:
		return cliui.Failf("name one of them; for one session of a checkpoint add its number to the ID, as in -c a1b2c3/1",
			"cannot specify multiple of --session, --commit, --checkpoint")
	case o.raw && !named:
		return cliui.Failf("name the checkpoint with -c", "--raw-transcript requires --checkpoint/-c flag")
	case count("short", "full", "raw-transcript") > 1:
		return cliui.Failf("use one of them", "cannot specify multiple of --short, --full, --raw-transcript")
	case o.raw && o.json:
		return cliui.Failf("use one of them", "cannot specify both --raw-transcript and --json")
	}
	return nil
}

func runExplain(ctx context.Context, env *cliui.Env, o explainOptions) error {
	wp, err := workplace.OpenEnabledRepo(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	switch {
	case o.any != "":
		return explainAny(ctx, env, wp, o.any, o)
	case o.checkpoint != "":
		return explainCheckpoint(ctx, env, wp, o)
	case o.commit != "":
		return explainCommit(ctx, env, wp, o)
	}
	wp.FetchNamed(ctx, env, "-n", "500", "HEAD", "--")
	return explainBranch(ctx, env, wp, o)
}

// explainAny shows what a name means: a checkpoint, a session, a commit or a step.
func explainAny(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, name string, o explainOptions) error {
	m, err := wp.MeaningOf(ctx, name)
	switch {
	case errors.Is(err, workplace.ErrNoMeaning): // it may be ID/NUMBER, or a forgotten checkpoint
		o.checkpoint = name
		return explainCheckpoint(ctx, env, wp, o)
	case err != nil:
		return err
	}
	return explainMeaning(ctx, env, wp, m, o)
}

func explainMeaning(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, m workplace.Meaning, o explainOptions) error {
	o.checkpoint, o.commit, o.session = "", "", ""
	switch m.Kind {
	case workplace.MeansCheckpoint:
		o.checkpoint = m.Checkpoint.String()
		return explainCheckpoint(ctx, env, wp, o)
	case workplace.MeansSession:
		if o.raw || o.generate {
			return cliui.Failf("`entire explain "+m.Shown()+"` lists them", "%s is a session, not a checkpoint", m.Shown())
		}
		o.session = m.Session
		return explainBranch(ctx, env, wp, o)
	}
	ids, err := wp.CheckpointsOf(ctx, m)
	step := shadow.ParseStep(m.Commit.Message)
	switch {
	case err != nil:
		return err
	case step.Kind != "" && !step.Base.IsZero():
		o.checkpoint = m.Commit.OID.String()
		return explainCheckpoint(ctx, env, wp, o)
	case (o.raw || o.generate) && len(ids) != 1:
		return cliui.Failf("name a checkpoint", "commit %s names %s", m.Shown(), cliui.Count(len(ids), "checkpoint"))
	case o.raw || o.generate:
		o.checkpoint = ids[0].String()
		return explainCheckpoint(ctx, env, wp, o)
	}
	o.commit = m.Commit.OID.String()
	return explainCommit(ctx, env, wp, o)
}

// explainCommit shows the checkpoints of a commit, usually one.
func explainCommit(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o explainOptions) error {
	commit, ok, err := wp.Repo.Reader(ctx).CommitOf(o.commit)
	if err != nil || !ok || strings.HasPrefix(o.commit, "-") {
		if m, err := wp.MeaningOf(ctx, o.commit); err == nil {
			return explainMeaning(ctx, env, wp, m, o)
		}
		return cliui.Failf("any name of a commit will do, as for `git log`", "commit not found: %s", o.commit)
	}
	links, err := records.NewReader(wp.Repo).Links(ctx)
	if err != nil {
		return err
	}
	ids := links.Of(commit.OID, commit.Message)
	wp.FetchMissing(ctx, env, ids)
	foreign := trailer.ForeignCheckpoints(commit.Message)
	if len(foreign) > 0 && (o.json || len(ids) > 0) {
		fmt.Fprintf(env.Err, "warning: %s\n", foreignText(commit, foreign))
	}
	if len(ids) == 0 {
		if o.json {
			return env.PrintJSON([]checkpointView{})
		}
		if len(foreign) > 0 {
			_, err := fmt.Fprintln(env.Out, foreignText(commit, foreign))
			return err
		}
		_, err := fmt.Fprintf(env.Out, "No associated Entire checkpoint\n\nCommit %s has no Entire-Checkpoint trailer: it has no agent's work that Entire\nsaw, or it was made without Entire's hooks.\n", commit.OID.Short())
		return err
	}
	var views []checkpointView
	var gone []*metadata.ForgottenError
	for _, cp := range ids {
		view, err := readCheckpoint(ctx, wp, cp, -1, o)
		var forgotten *metadata.ForgottenError
		if errors.As(err, &forgotten) {
			gone = append(gone, forgotten)
			continue
		}
		if errors.Is(err, metadata.ErrCheckpointNotFound) {
			fmt.Fprintf(env.Err, "warning: commit %s names checkpoint %s, which is not stored here\n", commit.OID.Short(), cp)
			continue
		}
		if err != nil {
			return err
		}
		views = append(views, view)
	}
	if len(gone) > 0 {
		return explainForgotten(ctx, env, commit, gone, views, o)
	}
	if len(views) == 0 {
		if _, err := records.NewReader(wp.Repo).Read(ctx, ids[0]); errors.As(err, new(*metadata.ElsewhereError)) {
			return err
		}
		return cliui.Failf(metadata.FetchCommand(ids[0]), "checkpoint not found: %s", ids[0])
	}
	return showCheckpoints(ctx, env, views, o)
}

// foreignText says that a commit names checkpoints by IDs of a form that is not known.
func foreignText(commit git.Commit, foreign []string) string {
	return fmt.Sprintf("Commit %s names %s %s, in a form that this version of Entire does not know.\nThe owners of its lines are unknown here; the trailer is kept when the commit is amended, squashed or rebased.",
		commit.OID.Short(), cliui.Plural(len(foreign), "checkpoint", "checkpoints"), cliui.ShownLine(strings.Join(foreign, ", ")))
}

// explainForgotten names the forgotten checkpoints of a commit, and shows the others.
func explainForgotten(ctx context.Context, env *cliui.Env, commit git.Commit, gone []*metadata.ForgottenError, views []checkpointView, o explainOptions) error {
	out := env.Out
	if o.json || len(views) > 0 {
		out = env.Err
	}
	for _, g := range gone {
		fmt.Fprintf(out, "Commit %s names checkpoint %s, which was %s.\n", commit.OID.Short(), g.ID, cliui.ShownLine(g.Tombstone.String()))
	}
	if len(views) > 0 {
		return showCheckpoints(ctx, env, views, o)
	}
	if o.json {
		return env.PrintJSON([]checkpointView{})
	}
	return nil
}

// explainCheckpoint shows the checkpoint whose ID is, or begins with, o.checkpoint; if there is
// none, the step with that commit ID.
func explainCheckpoint(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o explainOptions) error {
	name, slot, err := splitSlot(o.checkpoint)
	if err != nil {
		return err
	}
	if cp, err := id.NewCheckpointID(strings.ToUpper(name)); err == nil {
		wp.FetchMissing(ctx, env, []id.CheckpointID{cp})
	}
	ids, err := records.NewReader(wp.Repo).FindByPrefix(ctx, name)
	if err != nil {
		return err
	}
	switch len(ids) {
	case 0:
		tombstones, err := records.NewReader(wp.Repo).Forgotten(ctx, nil)
		if err != nil {
			return err
		}
		if gone := workplace.StonesOf(tombstones, name); len(gone) == 1 && len(name) >= 4 {
			return &metadata.ForgottenError{Tombstone: gone[0]}
		}
		return explainStep(ctx, env, wp, o)
	case 1:
		wp.FetchMissing(ctx, env, ids) // if it is sealed, and its content is not here
	default:
		return cliui.Failf("give more digits", "ambiguous checkpoint prefix %q matches %d checkpoints: %s", name, len(ids), workplace.FirstIDs(ids))
	}
	if o.raw {
		return printRawTranscript(ctx, env, wp, ids[0], slot)
	}
	if o.generate {
		return explainGenerate(ctx, env, wp, ids[0], slot, o)
	}
	view, err := readCheckpoint(ctx, wp, ids[0], slot, o)
	if err != nil {
		return err
	}
	return showCheckpoints(ctx, env, []checkpointView{view}, o)
}

// splitSlot splits "id/1" into ID and session number; the number is -1, for all sessions, if none
// is given.
func splitSlot(name string) (string, int, error) {
	name, number, ok := strings.Cut(name, "/")
	if !ok {
		return name, -1, nil
	}
	slot := 0
	if _, err := fmt.Sscanf(number, "%d", &slot); err != nil || slot < 0 || fmt.Sprint(slot) != number {
		return "", 0, cliui.Failf("sessions are numbered from 0", "not a session of a checkpoint: %q", number)
	}
	return name, slot, nil
}

// printRawTranscript writes the transcript of one session; of the last one if slot is negative.
func printRawTranscript(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, cp id.CheckpointID, slot int) error {
	reader := records.NewReader(wp.Repo)
	var content *records.SessionContent
	var err error
	if slot < 0 {
		content, err = reader.LatestSession(ctx, cp)
	} else {
		content, err = reader.Session(ctx, cp, slot)
	}
	if content == nil {
		return err
	}
	if err != nil {
		fmt.Fprintf(env.Err, "warning: %v\n", err)
	}
	if content.Transcript == nil {
		return fmt.Errorf("%w %s", metadata.ErrNoTranscript, cp)
	}
	if content.HashMismatch != nil {
		fmt.Fprintf(env.Err, "warning: %v\n", content.HashMismatch)
	}
	_, err = env.Raw().Write(content.Transcript)
	return err
}
