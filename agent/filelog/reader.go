package filelog

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
)

// Fact is what a transcript tells of a file at one moment.
type Fact struct {
	agent.FileFact
	Time time.Time // zero if the transcript does not say
	Dir  string    // the folder in which the agent worked then, "" if unknown; a relative Path is below it
}

// maxOpen bounds the calls that are remembered until their results come.
const maxOpen = 4096

// Reader reads one transcript.
type Reader struct {
	kind   agent.AgentType
	teller agent.FileTeller
	dir    string
	open   map[string]*call
	// nameless is the last call that has no ID of its own.
	nameless string
	ends     bool // the transcript has results
	order    []string
}

// call is a call whose result has not come yet.
type call struct {
	agent.Call
	facts []agent.FileFact // what it does, if it succeeds
	dir   string
	at    time.Time
}

// NewReader returns a reader of a transcript of an agent.
func NewReader(kind agent.AgentType) *Reader {
	r := &Reader{kind: kind, open: map[string]*call{}}
	r.teller, _ = agents.For(kind).(agent.FileTeller)
	return r
}

// Line returns what the next line tells, with what it needs of earlier lines.
func (r *Reader) Line(line []byte) []Fact {
	if bytes.Contains(line, []byte(`"cwd"`)) || bytes.Contains(line, []byte(`"directory"`)) {
		r.takeDir(line)
	}
	read := conversation.ReadLine(r.kind, line)
	if read.Saved {
		return nil
	}
	var told []agent.FileFact
	if r.teller != nil {
		told = r.teller.FilesIn(line)
	}
	out := r.alone(told)
	for i := range read.Records {
		rec := &read.Records[i]
		for k := range rec.Parts {
			switch p := &rec.Parts[k]; p.Kind {
			case agent.CallPart:
				r.takeCall(p.Call, conversation.ParseTimestamp(rec.Time))
			case agent.ResultPart:
				last := !hasResult(rec.Parts[k+1:])
				out = append(out, r.result(rec, p, toldOf(told, p.CallID, last))...)
			}
		}
	}
	return out
}

// alone returns the facts that belong to no call.
func (r *Reader) alone(told []agent.FileFact) []Fact {
	var out []Fact
	for _, f := range told {
		if f.Time != "" {
			out = append(out, Fact{FileFact: f, Time: conversation.ParseTimestamp(f.Time), Dir: r.dir})
		}
	}
	return out
}

// End returns what calls without a result tell, after the last line: only those of a transcript that has no results at
// all. Elsewhere a call without one did not end.
func (r *Reader) End() []Fact {
	if r.ends {
		return nil
	}
	var out []Fact
	for _, id := range r.order {
		if c := r.open[id]; c != nil {
			out = append(out, c.told(c.facts, c.at)...)
		}
	}
	return out
}

func hasResult(parts []agent.Part) bool {
	for i := range parts {
		if parts[i].Kind == agent.ResultPart {
			return true
		}
	}
	return false
}

// toldOf returns the facts of a call; those without a call's ID belong to the last result.
func toldOf(told []agent.FileFact, id string, last bool) []agent.FileFact {
	var out []agent.FileFact
	for _, f := range told {
		if f.Time == "" && (f.CallID == id || f.CallID == "" && last) {
			out = append(out, f)
		}
	}
	return out
}

// dirMembers are where lines name the folder in which the agent works.
var dirMembers = []string{"cwd", "payload.cwd", "data.context.cwd", "data.cwd", "info.path.cwd", "directory"}

func (r *Reader) takeDir(line []byte) {
	for _, v := range gjson.GetManyBytes(line, dirMembers...) {
		if v.Type == gjson.String && filepath.IsAbs(v.Str) {
			r.dir = v.Str
			return
		}
	}
}

func (r *Reader) takeCall(c agent.Call, at time.Time) {
	if c.ID == "" {
		c.ID = fmt.Sprintf("%s %d", c.Name, len(r.order))
		r.nameless = c.ID
	}
	if len(r.order) >= maxOpen {
		delete(r.open, r.order[0])
		r.order = r.order[1:]
	}
	r.order = append(r.order, c.ID)
	r.open[c.ID] = &call{Call: c, facts: inputFacts(c), dir: r.dir, at: at}
}

// result returns what the end of a call tells.
func (r *Reader) result(rec *agent.Record, p *agent.Part, told []agent.FileFact) []Fact {
	r.ends = true
	id := p.CallID
	if id == "" {
		id = r.nameless // the call before it
	}
	c := r.open[id]
	delete(r.open, id)
	if p.Failed || c == nil && len(told) == 0 {
		return nil
	}
	if c == nil {
		c = &call{dir: r.dir}
	}
	facts := told
	if len(facts) == 0 {
		facts = c.facts
	}
	if len(facts) == 0 {
		facts = resultFacts(c.Call, p.Text)
	}
	at := conversation.ParseTimestamp(p.Time)
	if at.IsZero() {
		at = conversation.ParseTimestamp(rec.Time)
	}
	return c.told(facts, at)
}

// told returns the facts of a call at a time.
func (c *call) told(facts []agent.FileFact, at time.Time) []Fact {
	var out []Fact
	for _, f := range facts {
		if f.Path != "" && !strings.ContainsRune(f.Path, 0) {
			out = append(out, Fact{FileFact: f, Time: at, Dir: c.dir})
		}
	}
	return out
}
