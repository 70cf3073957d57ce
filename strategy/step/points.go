package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

const (
	pointsMax    = 200 // points listed if no limit is given
	HistoryMax   = 50  // commits of HEAD's history searched for checkpoints
	promptRunes  = 60
	MinPrefix    = 7
	StepsScanned = 20000
)

// ErrPointNotFound is returned when no point has the given ID.
var ErrPointNotFound = errors.New("rewind point not found")

// RewindPoint is a point that a rewind can go to: a step, or a commit whose checkpoint has only the
// conversation.
type RewindPoint struct {
	ID               string // of the step or of the user's commit
	Message          string // first line
	MetadataDir      string
	Date             time.Time // author date, with its zone
	IsTaskCheckpoint bool
	ToolUseID        string
	IsLogsOnly       bool
	CheckpointID     id.CheckpointID // of commits only
	SessionID        string
	SessionPrompt    string
	Agent            agent.AgentType

	Label     string // the name that a person gave a labelled point
	Why       string // why it was made: a Why constant of package checkpoint, e.g. "turn end"
	Turn      int    // number of the session's turn, counted from 1 across commits; 0 if unknown
	MessageID string // the agent's own ID of the last message before it, or ""
	Head      string // HEAD's commit at that time, "" before the first
	Branch    string // short name; "" when HEAD was detached, or if it was not recorded

	TakenBy string          // the commit that took the turn's work, "" for none
	TakenIn id.CheckpointID // that commit's checkpoint; zero for none
}

// MarshalJSON writes the object that `entire rewind --list` prints.
func (p RewindPoint) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID               string `json:"id"`
		Message          string `json:"message"`
		MetadataDir      string `json:"metadata_dir"`
		Date             string `json:"date"`
		IsTaskCheckpoint bool   `json:"is_task_checkpoint"`
		ToolUseID        string `json:"tool_use_id,omitempty"`
		IsLogsOnly       bool   `json:"is_logs_only"`
		CondensationID   string `json:"condensation_id,omitempty"`
		SessionID        string `json:"session_id,omitempty"`
		SessionPrompt    string `json:"session_prompt,omitempty"`
		Label            string `json:"label,omitempty"`
		Why              string `json:"why,omitempty"`
		Turn             int    `json:"turn,omitempty"`
		MessageID        string `json:"message_id,omitempty"`
		Head             string `json:"head,omitempty"`
		Branch           string `json:"branch,omitempty"`
		TakenBy          string `json:"taken_by,omitempty"`
		TakenIn          string `json:"taken_in,omitempty"`
	}{p.ID, p.Message, p.MetadataDir, p.Date.Format(time.RFC3339), p.IsTaskCheckpoint, p.ToolUseID,
		p.IsLogsOnly, p.CheckpointID.String(), p.SessionID, p.SessionPrompt, p.Label, p.Why, p.Turn, p.MessageID, p.Head, p.Branch,
		p.TakenBy, p.TakenIn.String()})
}

// FindPoint finds a point by its ID or a prefix of at least seven digits. It also finds steps that
// are not listed, such as the step saved before a rewind and steps that were set aside.
func FindPoint(ctx context.Context, s *sessionstate.Env, prefix string) (RewindPoint, error) {
	none := fmt.Errorf("%w: %s", ErrPointNotFound, prefix)
	if len(prefix) < MinPrefix {
		return RewindPoint{}, none
	}
	points, err := findLive(ctx, s, prefix)
	if err == nil && len(points) > 1 {
		return RewindPoint{}, fmt.Errorf("rewind point %s is ambiguous", prefix)
	}
	for _, look := range []func() ([]RewindPoint, error){
		func() ([]RewindPoint, error) { return findKept(ctx, s, prefix) },
		func() ([]RewindPoint, error) { return findStrayStep(ctx, s, prefix) },
		func() ([]RewindPoint, error) { return committedPoints(ctx, s) },
	} {
		if err == nil && len(points) == 0 {
			points, err = look()
		}
	}
	if err != nil {
		return RewindPoint{}, fmt.Errorf("find rewind point: %w", err)
	}
	for _, p := range points {
		if strings.HasPrefix(p.ID, prefix) || p.CheckpointID.String() == prefix {
			return p, nil
		}
	}
	return RewindPoint{}, none
}

// findLive finds the points on HEAD's shadow branch: up to two with that prefix.
func findLive(ctx context.Context, s *sessionstate.Env, prefix string) ([]RewindPoint, error) {
	limit := 2
	if _, err := git.ParseOID(prefix); err == nil {
		limit = 1 // a whole ID names one point, and the walk ends there
		c, ok, err := s.Repo.Reader(ctx).CommitOf(prefix)
		if err != nil || ok && shadow.ParseStep(c.Message).Kind == "" {
			return nil, err // a commit that is not a step: the branch may have 100,000
		}
	}
	return livePoints(ctx, s, limit, func(c Step) bool { return strings.HasPrefix(c.OID.String(), prefix) })
}

// findStrayStep finds a step that is on no branch of this worktree any more: it was set aside, is kept
// for an undo, or was made on another base.
func findStrayStep(ctx context.Context, s *sessionstate.Env, prefix string) ([]RewindPoint, error) {
	if strings.Trim(prefix, "0123456789abcdef") != "" {
		return nil, nil
	}
	c, ok, err := s.Repo.Reader(ctx).CommitOf(prefix)
	if err != nil || !ok {
		return nil, err
	}
	st := Step{c, shadow.ParseStep(c.Message)}
	if st.Info.Kind == "" || st.Info.Base.IsZero() {
		return nil, nil // a commit that is not a step
	}
	return StepPoints(ctx, s, []Step{st})
}

// Step is a commit of a shadow branch and what its message says.
type Step struct {
	git.Commit
	Info shadow.StepInfo
}

// IsListed reports whether lists of points show a step. They leave out those that only save what others changed before
// a turn, a label or a rewind; FindPoint finds these, too.
func IsListed(c Step) bool {
	switch c.Info.Kind {
	case shadow.StepAgent, shadow.StepTask, shadow.StepLabel:
		return true
	}
	return shadow.IsAutomatic(c.Info.Why) || c.Info.Why == shadow.WhyOutside // before a person's own command, or between turns
}

// LiveSteps yields the steps on HEAD's shadow branch, newest first. An error is the last that it yields.
func LiveSteps(ctx context.Context, s *sessionstate.Env) iter.Seq2[ListedStep, error] {
	return func(yield func(ListedStep, error) bool) {
		rd := s.Repo.Reader(ctx)
		head, _, err := rd.CommitOf("HEAD")
		var tip git.Commit
		var ok bool
		if err == nil {
			tip, ok, err = rd.CommitOf(worktree.ShadowRef(s, head.OID))
		}
		if err != nil {
			yield(ListedStep{}, err)
		}
		if err != nil || !ok {
			return
		}
		for st, err := range StepsBelow(ctx, s, tip) {
			if !yield(st, err) {
				return
			}
		}
	}
}

// StepsBelow yields a step and those below it, newest first, with the commits that took some of them. An error is the
// last that it yields.
func StepsBelow(ctx context.Context, s *sessionstate.Env, tip git.Commit) iter.Seq2[ListedStep, error] {
	return func(yield func(ListedStep, error) bool) {
		down := committedBy{}
		for st, err := range Walk(ctx, s, tip, StepsScanned) {
			if !yield(ListedStep{Step: st, TakenBy: down.commitOf(st)}, err) {
				return
			}
		}
	}
}

// StepPoints reads what the list shows of each step, in one round trip.
func StepPoints(ctx context.Context, s *sessionstate.Env, steps []Step) ([]RewindPoint, error) {
	points := make([]RewindPoint, len(steps))
	var specs []string
	for i, st := range steps {
		points[i] = RewindPoint{
			ID: st.OID.String(), Message: st.Subject(), MetadataDir: st.Info.MetadataDir, Date: st.Author.When,
			IsTaskCheckpoint: st.Info.Kind == shadow.StepTask, ToolUseID: st.Info.ToolUseID, SessionID: st.Info.RawSession,
			Label: st.Info.Label, Why: st.Info.Why, Turn: st.Info.Turn, MessageID: st.Info.Message, Head: st.Info.Base.String(), Branch: st.Info.Branch,
		}
		specs = append(specs, st.OID.String()+":"+promptPath(st.Info))
	}
	objs, err := s.Repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return nil, err
	}
	for i, o := range objs {
		if o.Type == "blob" {
			points[i].SessionPrompt = FirstPrompt(string(o.Data))
			if points[i].Message == sealedTurn && points[i].SessionPrompt != "" {
				points[i].Message = points[i].SessionPrompt
			}
		}
	}
	return points, nil
}

func promptPath(info shadow.StepInfo) string {
	if info.Session.IsZero() {
		return ".entire/none"
	}
	return shadow.SessionDir(info.Session) + "/prompt.txt"
}

// FirstPrompt returns the first of stored prompts that is not empty, in one short line.
func FirstPrompt(text string) string { return FirstPromptOf(text, promptRunes) }

// FirstPromptOf is FirstPrompt with at most n runes.
func FirstPromptOf(text string, n int) string {
	for _, p := range metadata.SplitPrompts(text) {
		if p = agent.ShortPrompt(p, n); p != "" {
			return p
		}
	}
	return ""
}

// committedPoints returns the commits of HEAD's history that have a stored checkpoint.
func committedPoints(ctx context.Context, s *sessionstate.Env) ([]RewindPoint, error) {
	log, err := s.Repo.Log(ctx, "HEAD", HistoryMax)
	if err != nil || len(log) == 0 {
		return nil, err
	}
	reader := records.NewReader(s.Repo)
	links, err := reader.Links(ctx)
	if err != nil {
		return nil, err
	}
	var points []RewindPoint
	var ids []id.CheckpointID
	for _, c := range log {
		if cps := links.Of(c.OID, c.Message); len(cps) > 0 {
			points = append(points, RewindPoint{ID: c.OID.String(), Message: c.Subject(), Date: c.Author.When, IsLogsOnly: true, CheckpointID: cps[0],
				Why: shadow.WhyCommit, Head: c.OID.String()})
			ids = append(ids, cps[0])
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	stored, prompts, err := reader.ReadManyWithPrompts(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := map[id.CheckpointID]records.CommittedInfo{}
	branches := map[id.CheckpointID]string{}
	for _, rec := range stored {
		byID[rec.Summary.CheckpointID] = rec.Info()
		branches[rec.Summary.CheckpointID] = rec.Summary.Branch
	}
	out := points[:0]
	for _, p := range points {
		if info, ok := byID[p.CheckpointID]; ok {
			p.SessionID, p.Agent, p.SessionPrompt = info.SessionID, info.Agent, FirstPrompt(sessionstate.LastString(prompts[p.CheckpointID]))
			p.Branch = branches[p.CheckpointID]
			if s.Auto && info.IsTask {
				p.IsTaskCheckpoint, p.ToolUseID = true, info.ToolUseID
			}
			out = append(out, p)
		}
	}
	return out, markRewindable(ctx, s, out)
}
