package blameserve

import (
	"entire/agent"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/lineage"
)

// Unsaved is the evidence for a line that only the editor's buffer has.
const Unsaved lineage.Evidence = "unsaved"

// An owner is who wrote some lines, as the editor is told once.
type owner struct {
	ownerlib.OwnedLine
	Line    int    `json:"line,omitempty"` // hides the line's number: an owner has many lines
	Who     string `json:"who"`            // in words
	Reason  string `json:"reason"`         // how that is known, or why not, in words
	Subject string `json:"subject,omitempty"`
	Prompt  string `json:"prompt,omitempty"` // the first line of it; see promptsNotice
}

// key is what makes two lines one owner's.
type key struct {
	line    ownerlib.OwnedLine
	subject string
}

// owners numbers the owners of a session of the protocol, from 0.
type owners struct {
	numbers map[key]int32
	list    []owner
	prompts []promptOf // of each owner
	told    []bool     // the editor knows it
	user    string     // who sits at the editor
}

// promptOf says where the prompt of an owner is.
type promptOf struct {
	checkpoint id.CheckpointID
	session    string
	key        string
	wanted     bool // it was not looked for yet
	path       string
	line       int // a line of path on disk that the owner wrote
}

func newOwners(user string) *owners { return &owners{numbers: map[key]int32{}, user: user} }

// of returns the number of a line's owner.
func (o *owners) of(path string, l lineage.Line) int32 {
	v := ownerlib.ViewLine(l)
	v.Line = 0
	n, known := o.numbers[key{v, l.Summary}]
	if known {
		return n
	}
	who := (&ownerlib.Why{Found: l}).Writer()
	return o.add(key{v, l.Summary}, owner{OwnedLine: v, Who: who, Reason: ownerlib.EvidenceText(l.Evidence, l.Owner.Class), Subject: cliui.ShownLine(l.Summary)},
		promptOf{checkpoint: l.Checkpoint, session: l.Owner.SessionID, key: l.Owner.Prompt, wanted: l.Agent(), path: path, line: l.Number})
}

// unsaved returns the number of the owner of lines that only the buffer has.
func (o *owners) unsaved() int32 {
	v := ownerlib.OwnedLine{Class: attribution.ClassHuman, Evidence: string(Unsaved), Author: o.user}
	if n, known := o.numbers[key{line: v}]; known {
		return n
	}
	return o.add(key{line: v}, owner{OwnedLine: v, Who: "a person at this editor, not saved", Reason: "unsaved: only the editor's buffer has the line"}, promptOf{})
}

func (o *owners) add(k key, one owner, prompt promptOf) int32 {
	n := int32(len(o.list))
	o.numbers[k] = n
	o.list, o.prompts, o.told = append(o.list, one), append(o.prompts, prompt), append(o.told, false)
	return n
}

// tell returns the owners in runs that the editor does not know.
func (o *owners) tell(runs []run) map[int32]owner {
	var out map[int32]owner
	for _, r := range runs {
		if n := int32(r[2]); !o.told[n] {
			if out == nil {
				out = map[int32]owner{}
			}
			out[n], o.told[n] = o.list[n], true
		}
	}
	return out
}

// wanted returns the owners whose prompts nobody has looked for, and marks them as looked for.
func (o *owners) wanted() map[int32]promptOf {
	out := map[int32]promptOf{}
	for n := range o.prompts {
		if p := &o.prompts[n]; p.wanted && o.told[n] {
			p.wanted = false
			out[int32(n)] = *p
		}
	}
	return out
}

// keyedPrompt returns the prompt among texts that a record names by its key.
func keyedPrompt(texts []string, key string) (string, bool) {
	for _, text := range texts {
		if agent.PromptKey(text) == key {
			return text, true
		}
	}
	return "", false
}
