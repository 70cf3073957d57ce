package agent

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
)

// ProblemKind is what is wrong at a place of a transcript.
type ProblemKind string

// The kinds of problem. Those that RepairTranscript mends come first.
const (
	ProblemTorn      ProblemKind = "torn_line"        // it ends in the middle of a record
	ProblemMalformed ProblemKind = "malformed_line"   // it is no record at all
	ProblemDuplicate ProblemKind = "duplicate_uuid"   // an earlier record has the same
	ProblemNoParent  ProblemKind = "parent_not_found" // it follows a record that is not there
	ProblemCycle     ProblemKind = "cycle"            // records follow each other in a circle
	ProblemNoResult  ProblemKind = "missing_result"   // the conversation went on without a call's result

	ProblemNoCall ProblemKind = "result_without_call"
	ProblemClock  ProblemKind = "clock_backwards" // it is older than what it follows
	ProblemRoot   ProblemKind = "several_roots"   // the conversation begins anew
	// ProblemBranch is a way the conversation did not take in the end, as after a
	// rewind. It is always normal.
	ProblemBranch ProblemKind = "abandoned_branch"
)

// Problem is something that a reader of a transcript should know.
type Problem struct {
	Kind ProblemKind `json:"kind"`
	// Line is the number of the line, or of a document's message, from 1.
	Line   int    `json:"line"`
	UUID   string `json:"uuid,omitempty"`
	Detail string `json:"detail"`
	// Normal marks what is as it should be: a rewind leaves it behind.
	Normal bool `json:"normal,omitempty"`
}

// TranscriptReport is what CheckTranscript found. Messages, and all that Resume
// counts, are the agent's records with something said, called or answered.
type TranscriptReport struct {
	Agent       AgentType `json:"agent"`
	Lines       int       `json:"lines"`
	Messages    int       `json:"messages"` // of the main conversation
	Sidechain   int       `json:"sidechain_messages"`
	Calls       int       `json:"tool_calls"`
	Results     int       `json:"tool_results"`
	OpenCalls   int       `json:"open_calls"` // without a result, nothing after them
	Compactions int       `json:"compactions"`
	// Problems are in the order of their lines, the first 1000 of each kind;
	// Counts has all of them.
	Problems []Problem           `json:"problems"`
	Counts   map[ProblemKind]int `json:"counts"`
	Resume   ResumeView          `json:"resume"`
}

// maxProblems bounds how many problems of a kind are listed.
const maxProblems = 1000

// OK reports whether everything found is normal.
func (r *TranscriptReport) OK() bool {
	return !slices.ContainsFunc(r.Problems, func(p Problem) bool { return !p.Normal })
}

// ResumeView is how much of a conversation the agent sees when it resumes it:
// it goes from the last message to each one's parent until there is none. What it
// does not see was compacted, is part of an abandoned branch, stands beside the
// way because several tools ran at once (which newer versions of the agent pick
// up), or is lost, as the way to it is broken.
type ResumeView struct {
	Leaf      string  `json:"leaf,omitempty"` // the last message
	LeafLine  int     `json:"leaf_line,omitempty"`
	Visible   int     `json:"visible"`
	Total     int     `json:"total"`
	Share     float64 `json:"share"` // of Total, 1 for a conversation without messages
	Compacted int     `json:"compacted"`
	Abandoned int     `json:"abandoned"`
	Parallel  int     `json:"parallel"`
	Lost      int     `json:"lost"`
}

// CheckTranscript reads a transcript of lines, or one JSON document, to its end. It
// fails only if reading does. Lines are streamed, and what it remembers grows with
// their number, not their size; only Gemini transcripts are held in memory.
func CheckTranscript(t AgentType, r io.Reader) (TranscriptReport, error) {
	g := newGraph(t, false)
	if t == AgentTypeGemini {
		if err := g.readGemini(r); err != nil {
			return TranscriptReport{}, fmt.Errorf("check transcript: %w", err)
		}
	} else if err := g.readLines(r); err != nil {
		return TranscriptReport{}, fmt.Errorf("check transcript: %w", err)
	}
	return g.report(), nil
}

// CheckMessages is CheckTranscript for messages as they are stored; their numbers
// are their lines'. It stops at the first error of the sequence and returns it.
func CheckMessages(messages iter.Seq2[Message, error]) (TranscriptReport, error) {
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

func (g *graph) report() TranscriptReport {
	g.connect()
	r := TranscriptReport{Agent: g.agent, Lines: g.lines, Compactions: g.compactions(),
		Calls: len(g.calls), Results: g.results, OpenCalls: g.openCalls()}
	for i := range g.nodes {
		switch n := &g.nodes[i]; {
		case n.said == saidNothing:
		case n.chain == mainChain:
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
