package explaincmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/agent/conversation"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/review"
)

// foreignHistory is how many commits are searched for those of a checkpoint of another version.
const foreignHistory = 20_000

// readForeign returns the view of a checkpoint that another version of Entire keeps in a ref of its own.
func readForeign(ctx context.Context, wp *workplace.Workplace, name string, o explainOptions) (checkpointView, error) {
	c, err := records.NewReader(wp.Repo).Foreign(ctx, name)
	if err != nil {
		return checkpointView{}, err
	}
	v := checkpointView{ID: c.ID, number: c.ID, Created: c.Info().CreatedAt, Branch: c.Summary.Branch, Strategy: c.Summary.Strategy,
		Steps: c.Summary.CheckpointsCount, Files: cliui.NotNil(c.Summary.FilesTouched), Author: c.Author.Name, Email: c.Author.Email}
	if v.Created.IsZero() {
		v.Created = c.Author.When
	}
	if v.Usage = usageOf(c.StoredCheckpoint, -1); v.Usage != nil {
		v.Tokens = v.Usage.Total()
	}
	for _, p := range c.Problems {
		v.problem("%v", p)
	}
	for i, content := range c.Contents {
		if content == nil || c.Sessions[i].Err != nil {
			continue
		}
		s := v.session(i, content, o, wp.Repo.Top)
		m := content.Metadata
		part := review.Part{Start: m.GetTranscriptStart(), Files: m.FilesTouched}
		s.intent = part.Intent(conversation.Passages(m.Agent, content.Transcript))
		v.Sessions = append(v.Sessions, s)
	}
	if v.Commits, err = foreignCommits(ctx, wp, name); err != nil {
		v.problem("commits: %v", err)
	}
	return v, nil
}

// foreignCommits returns the commits of this branch that name a checkpoint of another version.
func foreignCommits(ctx context.Context, wp *workplace.Workplace, name string) ([]workplace.LinkedCommit, error) {
	commits := []workplace.LinkedCommit{}
	if _, born := wp.Repo.Head(); !born {
		return commits, nil
	}
	out, err := wp.Repo.Run(ctx, "log", fmt.Sprintf("-n%d", foreignHistory), "--format=%H", "-F", "--grep="+trailer.Checkpoint+": "+name, "HEAD", "--")
	if err != nil {
		return commits, err
	}
	for word := range strings.FieldsSeq(string(out)) {
		oid, err := git.ParseOID(word)
		if err != nil {
			return commits, err
		}
		c, err := wp.Repo.Reader(ctx).Commit(oid)
		if err != nil {
			return commits, err
		}
		subject, _, _ := strings.Cut(c.Message, "\n")
		commits = append(commits, workplace.LinkedCommit{ID: word, Message: subject, Author: c.Author.Name, Email: c.Author.Email, Date: c.Author.When})
	}
	return commits, nil
}

// readForeigns returns the views of those of a commit's foreign checkpoints that are stored here, and the names of the others.
func readForeigns(ctx context.Context, wp *workplace.Workplace, names []string, o explainOptions) (views []checkpointView, missing []string, err error) {
	for _, name := range names {
		v, err := readForeign(ctx, wp, name, o)
		switch {
		case errors.Is(err, metadata.ErrCheckpointNotFound):
			missing = append(missing, name)
		case err != nil:
			return nil, nil, err
		default:
			views = append(views, v)
		}
	}
	return views, missing, nil
}

// explainForeign shows a checkpoint of another version by its ID. It returns metadata.ErrCheckpointNotFound for any other name.
func explainForeign(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o explainOptions) error {
	name := strings.ToUpper(o.checkpoint)
	reader := records.NewReader(wp.Repo)
	if !reader.ForeignExists(ctx, name) {
		name = o.checkpoint
	}
	if o.raw || o.generate {
		if !reader.ForeignExists(ctx, name) {
			return metadata.ErrCheckpointNotFound
		}
	}
	switch {
	case o.generate:
		return cliui.Failf("this one only reads it", "checkpoint %s belongs to another version of Entire", cliui.ShownLine(name))
	case o.raw:
		c, err := reader.Foreign(ctx, name)
		if err != nil {
			return err
		}
		if n := len(c.Contents); n > 0 && c.Contents[n-1] != nil && c.Contents[n-1].Transcript != nil {
			_, err := env.Raw().Write(c.Contents[n-1].Transcript)
			return err
		}
		return fmt.Errorf("%w %s", metadata.ErrNoTranscript, cliui.ShownLine(name))
	}
	v, err := readForeign(ctx, wp, name, o)
	if err != nil {
		return err
	}
	return showCheckpoints(ctx, env, []checkpointView{v}, o)
}
