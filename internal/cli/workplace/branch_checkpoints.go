package workplace

import (
	"context"
	"slices"
	"strings"
	"time"

	"entire/agent/conversation"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/git"
	"entire/strategy/step"
)

// A ListGroup is one committed checkpoint, or one session's steps that are in no commit yet.
type ListGroup struct {
	ID        string      `json:"id"` // of the checkpoint, or of the session for steps
	Temporary bool        `json:"temporary"`
	Task      bool        `json:"is_task,omitempty"`
	Prompt    string      `json:"prompt,omitempty"`
	Sessions  []string    `json:"session_ids"`
	Points    []listPoint `json:"points"`
	Turns     []listPoint `json:"turns,omitempty"` // of a checkpoint: points that rewind can still go to
}

// A listPoint is one of the user's commits, or a step.
type listPoint struct {
	ID      string    `json:"id"`
	Message string    `json:"message"`
	Date    time.Time `json:"date"`
	Turn    int       `json:"turn,omitempty"` // its number in the session
}

func (g ListGroup) newest() time.Time {
	if len(g.Points) == 0 {
		return time.Time{}
	}
	return g.Points[0].Date
}

// BranchGroups returns the checkpoints of the branch, newest first.
func BranchGroups(ctx context.Context, wp *Workplace, session string) ([]ListGroup, error) {
	turns, err := step.TurnPoints(ctx, wp.Engine, cliui.ListLimit)
	if err != nil {
		return nil, err
	}
	committed, err := committedGroups(ctx, wp)
	if err != nil {
		return nil, err
	}
	temporary := temporaryGroups(turns)
	addTurns(committed, turns)
	groups := slices.DeleteFunc(append(temporary, committed...), func(g ListGroup) bool {
		return session != "" && !slices.ContainsFunc(g.Sessions, func(s string) bool { return strings.HasPrefix(s, session) })
	})
	slices.SortStableFunc(groups, func(a, b ListGroup) int { return b.newest().Compare(a.newest()) })
	return cliui.NotNil(groups), nil
}

// temporaryGroups returns the steps that are in no commit yet, grouped by session.
func temporaryGroups(turns []step.RewindPoint) []ListGroup {
	var groups []ListGroup
	for _, p := range turns {
		if p.TakenBy != "" {
			continue
		}
		i := slices.IndexFunc(groups, func(g ListGroup) bool { return g.ID == p.SessionID })
		if i < 0 {
			i = len(groups)
			groups = append(groups, ListGroup{ID: p.SessionID, Temporary: true, Sessions: []string{p.SessionID}})
		}
		g := &groups[i]
		if g.Prompt == "" {
			g.Prompt = p.SessionPrompt
		}
		g.Task = g.Task || p.IsTaskCheckpoint
		g.Points = append(g.Points, turnOf(p))
	}
	return groups
}

func turnOf(p step.RewindPoint) listPoint { return listPoint{p.ID, p.Message, p.Date, p.Turn} }

// addTurns adds to each checkpoint the turns in its commit that rewind can still go to.
func addTurns(groups []ListGroup, turns []step.RewindPoint) {
	for _, p := range turns {
		for i := range groups {
			if p.TakenBy != "" && groups[i].ID == p.TakenIn.String() {
				groups[i].Turns = append(groups[i].Turns, turnOf(p))
			}
		}
	}
}

// committedGroups returns the stored checkpoints that commits of the branch name.
func committedGroups(ctx context.Context, wp *Workplace) ([]ListGroup, error) {
	commits, err := branchHistory(ctx, wp.Repo)
	if err != nil {
		return nil, err
	}
	byID := map[id.CheckpointID][]LinkedCommit{}
	var ids []id.CheckpointID
	for _, c := range commits {
		for _, cp := range c.checkpoints {
			if _, seen := byID[cp]; !seen && len(ids) < cliui.ListLimit {
				ids = append(ids, cp)
			}
			byID[cp] = append(byID[cp], c)
		}
	}
	stored, err := records.NewReader(wp.Repo).List(ctx, ids)
	if err != nil {
		return nil, err
	}
	prompts := firstPrompts(stored, func(cp records.Listed) []string { return scopedPrompts(ctx, wp.Repo, cp) })
	var groups []ListGroup
	for i, cp := range stored {
		g := ListGroup{ID: cp.ID.String(), Task: cp.IsTask, Prompt: prompts[i], Sessions: cliui.NotNil(cp.SessionIDs)}
		for _, c := range byID[cp.ID] {
			g.Points = append(g.Points, listPoint{ID: c.ID, Message: c.Message, Date: c.Date})
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// maxScoped bounds how many transcripts one list reads.
const maxScoped = 5

// firstPrompts returns for each checkpoint the first prompt of its latest session that no earlier
// checkpoint had. stored is sorted newest first, except for checkpoints of one commit; scoped
// answers where the earlier checkpoint is not in stored.
func firstPrompts(stored []records.Listed, scoped func(records.Listed) []string) []string {
	first := make([]string, len(stored))
	asked := 0
	for i, cp := range stored {
		mine := cp.PromptsOf(cp.Latest())
		before := common(mine, promptsBefore(stored, i))
		rest := mine[before:]
		if before == 0 && len(mine) > 1 && cp.Start > 0 && asked < maxScoped {
			asked++
			rest = scoped(cp)
		}
		if len(rest) > 0 {
			first[i] = rest[0]
		} else if n := len(mine); n > 0 {
			first[i] = mine[n-1]
		}
	}
	return first
}

// scopedPrompts returns the prompts in the checkpoint's own part of the transcript; nil if it
// cannot be read.
func scopedPrompts(ctx context.Context, repo *git.Repo, cp records.Listed) []string {
	content, _ := records.NewReader(repo).SessionByID(ctx, cp.ID, cp.Latest())
	if content == nil {
		return nil
	}
	return conversation.PromptsFrom(content.Metadata.Agent, content.Transcript, cp.Start)
}

// promptsBefore returns the prompts that the latest session of checkpoint i had in its previous
// checkpoint: the longest list that is shorter than its own, or as long in an older checkpoint.
func promptsBefore(stored []records.Listed, i int) []string {
	session := stored[i].Latest()
	mine := len(stored[i].PromptsOf(session))
	var before []string
	for k, other := range stored {
		theirs := other.PromptsOf(session)
		if earlier := len(theirs) < mine || k > i && len(theirs) == mine; k != i && earlier && len(theirs) > len(before) {
			before = theirs
		}
	}
	return before
}

// common returns how many of the prompts an older checkpoint already had; 0 if prompts does not
// begin with them.
func common(prompts, older []string) int {
	if len(older) <= len(prompts) && slices.Equal(prompts[:len(older)], older) {
		return len(older)
	}
	return 0
}
