package check

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"

	"entire/agent"
)

// ProblemKind is a kind of problem in a transcript.
type ProblemKind string

// The kinds of problems. Repair repairs the first group.
const (
	ProblemTorn      ProblemKind = "torn_line"        // the line ends in the middle of a record
	ProblemMalformed ProblemKind = "malformed_line"   // the line is not a record
	ProblemDuplicate ProblemKind = "duplicate_uuid"   // an earlier record has the same UUID
	ProblemNoParent  ProblemKind = "parent_not_found" // the record's parent is missing
	ProblemCycle     ProblemKind = "cycle"            // records are their own ancestors
	ProblemNoResult  ProblemKind = "missing_result"   // a call has no result, but the conversation continued

	ProblemNoCall ProblemKind = "result_without_call"
	ProblemClock  ProblemKind = "clock_backwards" // the record is older than its parent
	ProblemRoot   ProblemKind = "several_roots"   // the conversation starts again
	// ProblemBranch is an abandoned branch of the conversation, for example after a
	// rewind. It is always normal.
	ProblemBranch ProblemKind = "abandoned_branch"
)

// Problem is something unusual at one place of a transcript.
type Problem struct {
	Kind ProblemKind `json:"kind"`
	// Line is the line, or the message of a document, counted from 1.
	Line   int    `json:"line"`
	UUID   string `json:"uuid,omitempty"`
	Detail string `json:"detail"`
	// Normal marks a problem that a rewind leaves behind and that needs no repair.
	Normal bool `json:"normal,omitempty"`
}

// TranscriptReport is the result of Transcript. Messages, and the numbers in Resume,
// count the agent's records that hold text, a call or a result.
type TranscriptReport struct {
	Agent       agent.AgentType `json:"agent"`
	Lines       int             `json:"lines"`
	Messages    int             `json:"messages"` // in the main conversation
	Sidechain   int             `json:"sidechain_messages"`
	Calls       int             `json:"tool_calls"`
	Results     int             `json:"tool_results"`
	OpenCalls   int             `json:"open_calls"` // calls without a result, after which nothing follows
	Compactions int             `json:"compactions"`
	// Problems are sorted by line and hold the first 1000 of each kind; Counts counts all
	// of them.
	Problems []Problem           `json:"problems"`
	Counts   map[ProblemKind]int `json:"counts"`
	Resume   ResumeView          `json:"resume"`
}

// maxProblems bounds how many problems of one kind are listed.
const maxProblems = 1000

// OK reports whether all problems are normal.
func (r *TranscriptReport) OK() bool {
	return !slices.ContainsFunc(r.Problems, func(p Problem) bool { return !p.Normal })
}

// ResumeView is how much of a conversation the agent sees when it resumes it: it reads
// from the last message to each one's parent until there is none. The other messages were
// compacted, belong to an abandoned branch, are parallel (several tools ran at once; newer
// versions of the agent include them), or are lost because their chain of parents is
// broken.
type ResumeView struct {
	Leaf      string  `json:"leaf,omitempty"` // the last message
	LeafLine  int     `json:"leaf_line,omitempty"`
	Visible   int     `json:"visible"`
	Total     int     `json:"total"`
	Share     float64 `json:"share"` // share of Total; 1 for a conversation without messages
	Compacted int     `json:"compacted"`
	Abandoned int     `json:"abandoned"`
	Parallel  int     `json:"parallel"`
	Lost      int     `json:"lost"`
}

// Transcript checks a transcript of lines, or one JSON document, to its end. Its only
// errors are those of r. It streams lines, and its memory grows with their number, not
// their size; only a transcript that is a list of messages is held in memory.
func Transcript(t agent.AgentType, r io.Reader) (TranscriptReport, error) {
	g := newGraph(t, false)
	read := g.readLines
	if g.form.Messages != nil {
		read = g.readList
	}
	if err := read(r); err != nil {
		return TranscriptReport{}, fmt.Errorf("check transcript: %w", err)
	}
	return g.report(), nil
}

// Messages is Transcript for stored messages, which it numbers like lines. It
// stops at the first error of the sequence and returns it.
func Messages(messages iter.Seq2[agent.Message, error]) (TranscriptReport, error) {
	g := newGraph("", false)
	for m, err := range messages {
		if err != nil {
			return TranscriptReport{}, fmt.Errorf("check messages after %d: %w", g.lines, err)
		}
		g.lines++
		g.addMessage(&m)
	}
	return g.report(), nil
}

func (g *Graph) report() TranscriptReport {
	g.connect()
	r := TranscriptReport{Agent: g.agent, Lines: g.lines, Compactions: g.compactions(),
		Calls: len(g.calls), Results: g.results, OpenCalls: g.openCalls()}
	for i := range g.nodes {
		switch n := &g.nodes[i]; {
		case n.kind == saidNothing:
		case n.chain == agent.MainChain:
			r.Messages++
		default:
			r.Sidechain++
		}
	}
	r.Resume = g.resume()
	g.findProblems()
	r.Counts = map[ProblemKind]int{}
	r.Problems = []Problem{}
	slices.SortStableFunc(g.problems, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Detail, b.Detail))
	})
	for _, p := range g.problems {
		if r.Counts[p.Kind]++; r.Counts[p.Kind] <= maxProblems {
			r.Problems = append(r.Problems, p)
		}
	}
	return r
}
