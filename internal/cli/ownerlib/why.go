package ownerlib

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/review"
	"entire/strategy/step"
)

// WhyOf returns how a line of a file came to be: of the file as it is now or, with rev, as it was
// in that commit.
func WhyOf(ctx context.Context, wp *workplace.Workplace, path, rev string, line int) (*Why, error) {
	lines, err := Blame(ctx, wp, path, rev, lineage.Span{From: line, To: line})
	if err != nil {
		return nil, err
	}
	if len(lines) != 1 {
		return nil, noLine{fmt.Sprintf("%s has no line %d", cliui.ShownName(path), line)}
	}
	v := newWhy(path, rev, lines[0])
	missing, err := NotStored(ctx, wp, lines)
	if err != nil {
		return nil, err
	}
	if missing != "" {
		v.Problems = append(v.Problems, missing)
	}
	return v, v.tell(ctx, wp)
}

// A Why says how a line came to be; its JSON form is what `entire why --json` prints.
type Why struct {
	File string `json:"file"`
	Rev  string `json:"rev"`
	Text string `json:"text"`
	OwnedLine
	CommitSubject string `json:"commit_subject,omitempty"`
	CommitFile    string `json:"commit_file,omitempty"` // the file's name in that commit
	CommitLine    int    `json:"commit_line,omitempty"`
	Step          string `json:"step,omitempty"` // for an uncommitted line, the step with the conversation

	How      review.PromptEvidence `json:"how"`
	Prompt   string                `json:"prompt"`
	Prompts  []string              `json:"prompts,omitempty"` // the candidates, if the prompt is not known
	Task     string                `json:"task,omitempty"`    // of the subagent
	Before   []Passage             `json:"before,omitempty"`
	Skipped  int                   `json:"calls_between,omitempty"`
	Call     *Call                 `json:"call,omitempty"`
	Result   *Result               `json:"result,omitempty"`
	After    []Passage             `json:"after,omitempty"`
	Problems []string              `json:"problems,omitempty"`

	Found lineage.Line      `json:"-"`
	Diff  []review.DiffLine `json:"-"` // of the call
}

func newWhy(file, rev string, l lineage.Line) *Why {
	return &Why{File: file, Rev: rev, Text: l.Text, OwnedLine: ViewLine(l), Found: l, How: review.ByNothing,
		CommitSubject: l.Summary, CommitFile: l.CommitPath, CommitLine: l.CommitLine}
}

// A Passage is what the agent said or thought around the call.
type Passage struct {
	Kind string `json:"kind"` // thought or said
	Text string `json:"text"`
	Time string `json:"time,omitempty"`
}

// A Call is the call that wrote the line.
type Call struct {
	ID    string `json:"id"`
	Tool  string `json:"tool"`
	About string `json:"about,omitempty"` // the file, or the command
	Model string `json:"model,omitempty"`
	Agent string `json:"agent_id,omitempty"` // the calling subagent
	Time  string `json:"time,omitempty"`
	Diff  string `json:"diff,omitempty"`
}

// A Result is what the call returned.
type Result struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

func (v *Why) problem(err error) {
	if err != nil {
		v.Problems = append(v.Problems, cliui.OneLine(err.Error()))
	}
}

// take copies what was found in the transcript.
func (v *Why) take(s review.Origin) {
	v.How, v.Prompt, v.Prompts, v.Task, v.Skipped = s.Evidence, s.Prompt, s.Prompts, s.Task, s.Skipped
	v.Before, v.After = viewPassages(s.Before), viewPassages(s.After)
	if s.Call != nil {
		v.Diff = review.CallDiff(*s.Call)
		_, about, _ := strings.Cut(sessionlib.CallLine(s.Call.Call), ": ")
		v.Call = &Call{ID: s.Call.Call.ID, Tool: s.Call.Call.Name, About: about, Model: s.Call.Model, Agent: s.Call.Chain,
			Time: clock(s.Call.Time), Diff: review.DiffText(v.Diff)}
	}
	if s.Result != nil {
		v.Result = &Result{s.Result.Text, s.Result.Failed}
	}
}

func viewPassages(list []conversation.Passage) []Passage {
	var out []Passage
	for _, p := range list {
		kind := "said"
		if p.Kind == conversation.ThoughtPassage {
			kind = "thought"
		}
		out = append(out, Passage{kind, p.Text, clock(p.Time)})
	}
	return out
}

func clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// tell adds what was said and done, as far as it is stored.
func (v *Why) tell(ctx context.Context, wp *workplace.Workplace) error {
	if !v.Found.Agent() {
		return nil
	}
	kind, transcript, start, subagents, err := v.transcript(ctx, wp)
	if err != nil {
		return err
	}
	if len(transcript) == 0 {
		return nil
	}
	query := review.Query{ToolUseID: v.Found.Owner.ToolUseID, Paths: []string{v.File}, Line: v.Text, Start: start, Prompt: v.Found.Owner.Prompt}
	if v.Found.CommitPath != "" && v.Found.CommitPath != v.File {
		query.Paths = append(query.Paths, v.Found.CommitPath)
	}
	var subs [][]conversation.Passage
	for _, s := range subagents {
		subs = append(subs, conversation.Passages(kind, s))
	}
	v.take(review.Find(query, conversation.Passages(kind, transcript), subs...))
	return nil
}

// transcript returns the stored conversation, and where the checkpoint's own part of it begins.
func (v *Why) transcript(ctx context.Context, wp *workplace.Workplace) (kind agent.AgentType, transcript []byte, start int, subagents [][]byte, err error) {
	cp, sid := v.Found.Checkpoint, v.Found.Owner.SessionID
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
	case records.OutOfReach(err):
		v.problem(fmt.Errorf("the conversation cannot be shown: %w", err))
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

// stepTranscript returns the transcript in the newest step of a session whose work is in no
// commit yet.
func (v *Why) stepTranscript(ctx context.Context, wp *workplace.Workplace, sid string) (kind agent.AgentType, transcript []byte, start int, subagents [][]byte, err error) {
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
