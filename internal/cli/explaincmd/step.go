package explaincmd

import (
	"context"
	"errors"
	"strings"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/shadow"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/strategy/step"
)

// explainStep shows a step, whether a commit has taken its work or not.
func explainStep(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o explainOptions) error {
	point, err := step.FindPoint(ctx, wp.Engine, o.checkpoint)
	if errors.Is(err, step.ErrPointNotFound) || err == nil && point.IsLogsOnly {
		m, err := wp.MeaningOf(ctx, o.checkpoint)
		if err == nil && m.Kind != workplace.MeansCheckpoint {
			return explainMeaning(ctx, env, wp, m, o)
		}
		if err != nil && !errors.Is(err, workplace.ErrNoMeaning) {
			return err
		}
		return cliui.Failf("`entire explain` lists those of this branch", "checkpoint not found: %s", o.checkpoint)
	}
	if err != nil {
		return err
	}
	if o.generate && !point.TakenIn.IsZero() {
		return cliui.Failf("`entire explain --checkpoint "+point.TakenIn.String()+" --generate` makes one of the commit's checkpoint",
			"cannot generate a summary for a turn: %s is in commit %s", point.ID[:7], cliui.ShortID(point.TakenBy))
	}
	if o.generate {
		return cliui.Failf("commit its work first", "cannot generate a summary for a temporary checkpoint: %s is in no commit yet", point.ID[:7])
	}
	oid, err := git.ParseOID(point.ID)
	if err != nil {
		return err
	}
	rd := wp.Repo.Reader(ctx)
	commit, err := rd.Commit(oid)
	if err != nil {
		return err
	}
	info := shadow.ParseStep(commit.Message)
	if st, err := wp.Store.Load(ctx, info.Session); err == nil {
		point.Agent = st.AgentType
	}
	transcript, err := workplace.StepTranscript(rd, commit, info, point.Agent)
	if err != nil {
		return err
	}
	if o.raw {
		_, err := env.Raw().Write(transcript)
		return err
	}
	view := stepView(point, commit, info)
	if by, ok, err := rd.CommitOf(point.TakenBy); point.TakenBy != "" && err == nil && ok {
		view.Commits = append(view.Commits, workplace.LinkedCommit{ID: by.OID.String(), Message: by.Subject(), Author: by.Author.Name, Email: by.Author.Email, Date: by.Author.When})
	}
	if view.Files, err = stepFiles(ctx, wp.Repo, commit, info); err != nil {
		return err
	}
	s := &view.Sessions[0]
	s.Files, s.Lines, s.Bytes = view.Files, conversation.Items(point.Agent, transcript), len(transcript)
	if s.Start, err = stepStart(rd, commit, info, point.Agent); err != nil {
		return err
	}
	if !o.short {
		s.Transcript = readable(transcript, point.Agent, s.Start, o.full, wp.Repo.Top)
	}
	return showCheckpoints(ctx, env, []checkpointView{view}, o)
}

func stepView(p step.RewindPoint, commit git.Commit, info shadow.StepInfo) checkpointView {
	prompts := []string{}
	if p.SessionPrompt != "" && !promptless(info.Kind) {
		prompts = append(prompts, p.SessionPrompt)
	}
	return checkpointView{
		ID: p.ID, Temporary: p.TakenBy == "", TakenIn: p.TakenIn.String(), Created: p.Date, Author: commit.Author.Name, Email: commit.Author.Email,
		Strategy: info.Strategy, Message: p.Message, Steps: 1, Commits: []workplace.LinkedCommit{},
		Sessions: []sessionView{{ID: p.SessionID, Agent: p.Agent, Created: p.Date, Steps: 1, Prompts: prompts, Scoped: prompts, TaskID: p.ToolUseID}},
	}
}

// promptless reports whether a step is no agent's turn: the prompt stored with such a step is
// that of the turn before.
func promptless(kind shadow.StepKind) bool {
	return kind == shadow.StepHuman || kind == shadow.StepMixed || kind == shadow.StepRewind || kind == shadow.StepLabel
}

// stepStart returns the line or message where the step's own part of the transcript begins: the
// end of the previous step's transcript.
func stepStart(rd *git.Reader, commit git.Commit, info shadow.StepInfo, kind agent.AgentType) (int, error) {
	if len(commit.Parents) == 0 {
		return 0, nil
	}
	before, err := rd.Commit(commit.Parents[0])
	if err != nil {
		return 0, err
	}
	transcript, err := workplace.StepTranscript(rd, before, info, kind)
	return conversation.Items(kind, transcript), err
}

// stepFiles returns the files that differ from the previous step; for a first step, from the
// commit it was made on.
func stepFiles(ctx context.Context, repo *git.Repo, commit git.Commit, info shadow.StepInfo) ([]string, error) {
	before := info.Base
	if len(commit.Parents) > 0 {
		before = commit.Parents[0]
	}
	var tree git.OID
	if !before.IsZero() {
		c, err := repo.Reader(ctx).Commit(before)
		if err != nil {
			return nil, err
		}
		tree = c.Tree
	}
	changes, err := repo.DiffTrees(ctx, tree, commit.Tree)
	if err != nil {
		return nil, err
	}
	files := []string{}
	for _, c := range changes {
		if !strings.HasPrefix(c.Path, ".entire/") {
			files = append(files, strings.ToValidUTF8(c.Path, "\uFFFD"))
		}
	}
	return files, nil
}
