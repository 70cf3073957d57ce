package logcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/pointlib"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
	"entire/strategy/condense"
)

// A pointView is a point of the past, and its JSON form.
type pointView struct {
	timeline.Details
	Said    []saidView         `json:"said"`
	LeftOut int                `json:"said_left_out,omitempty"`
	Body    string             `json:"body,omitempty"`  // of a commit's message, without the first line
	Patch   string             `json:"patch,omitempty"` // with --diff
	Unshown []string           `json:"patch_leaves_out,omitempty"`
	Rewind  *rewindlib.Preview `json:"rewind_there,omitempty"`         // what going there would do
	Problem string             `json:"rewind_there_problem,omitempty"` // why nothing can
	Command string             `json:"command,omitempty"`              // goes there
	Listed  bool               `json:"in_log"`                         // `entire log` has it
}

func (s shower) point(ctx context.Context, id string) error {
	d, err := s.tl.Details(ctx, id)
	if err != nil {
		return err
	}
	return s.details(ctx, d)
}

func (s shower) details(ctx context.Context, d timeline.Details) error {
	v := pointView{Details: d, Listed: d.Index >= 0, Said: []saidView{}}
	v.addSaid(d, s.o.full, s.wp.Repo.Top)
	if err := s.addPatch(ctx, &v); err != nil {
		return err
	}
	if d.Kind == timeline.Commit {
		if c, ok, err := s.wp.Repo.Reader(ctx).CommitOf(d.ID); err == nil && ok {
			v.Body = bodyOf(c.Message)
		}
		if err := s.warnOfMissing(ctx, d.Point); err != nil {
			return err
		}
	}
	s.addRewind(ctx, &v)
	if s.o.json {
		return s.env.PrintJSON(v)
	}
	return s.env.Show(ctx, s.pointText(v), s.o.noPage)
}

// warnOfMissing names the checkpoints of a commit that are not here, as in a clone of one branch, or were forgotten.
func (s shower) warnOfMissing(ctx context.Context, p timeline.Point) error {
	if p.Session != "" || len(p.Checkpoints) == 0 {
		return nil // one of them was read
	}
	var ids []id.CheckpointID
	for _, name := range p.Checkpoints {
		if cp, err := id.NewCheckpointID(name); err == nil {
			ids = append(ids, cp)
		}
	}
	reader := records.NewReader(s.wp.Repo)
	stored, err := reader.Exists(ctx, ids)
	if err != nil {
		return err
	}
	forgotten, err := reader.Forgotten(ctx, cliui.NotNil(ids))
	if err != nil {
		return err
	}
	for _, cp := range ids {
		if t, tombstone := forgotten[cp]; tombstone {
			fmt.Fprintf(s.env.Err, "warning: checkpoint %s was %s\n", cp, cliui.ShownLine(t.String()))
		} else if !stored[cp] {
			fmt.Fprintf(s.env.Err, "warning: the commit names checkpoint %s, which is not stored here; `%s` gets it if it was pushed\n", cp, metadata.FetchCommand(cp))
		}
	}
	return nil
}

// bodyOf returns a message without its first line and without our trailers, which are shown as checkpoints.
func bodyOf(message string) string {
	_, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	var b strings.Builder
	for line := range strings.Lines(body) {
		if !strings.HasPrefix(line, trailer.Checkpoint+":") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

func (s shower) addPatch(ctx context.Context, v *pointView) error {
	if !s.o.diff {
		return nil
	}
	p, err := s.tl.Patch(ctx, v.Before, v.Tree, s.o.paths...)
	if err != nil {
		return err
	}
	v.Patch, v.Unshown = string(p.Text), p.Left
	return nil
}

// addRewind looks what going there would do. A reason why nothing can is shown as such.
func (s shower) addRewind(ctx context.Context, v *pointView) {
	req := rewindlib.Request{Point: v.ID, NoPatch: true}
	done := v.Details.Point.Rewind
	v.Command = pointlib.GoTo(v.Point)
	switch {
	case v.Kind == timeline.Commit:
		req.Scope.SkipConversation = true
	case done != nil && done.UndoneBy == "" && !done.Gone && !done.Final:
		req = rewindlib.Request{Kind: condense.RewindUndo, Entry: done.ID, NoPatch: true}
		if done.Kind == condense.RewindUndo {
			req = rewindlib.Request{Kind: condense.RewindRedo, Entry: done.Of, NoPatch: true}
		}
		v.Command = "entire " + string(req.Kind) + " " + cliui.ShortID(req.Entry)
	case !v.Restorable():
		return
	}
	quiet := *s.env
	quiet.Err = nowhere{}
	preview, err := rewindlib.Look(ctx, &quiet, req)
	if err != nil {
		if !errors.Is(err, workplace.ErrNothingKept) {
			v.Problem = err.Error()
		}
		if v.Command = ""; rewindlib.NeedsTree(err) {
			v.Command = pointlib.GoTo(v.Point) + " --tree" // which takes the point's version of such files
		}
		return
	}
	v.Rewind = preview
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
