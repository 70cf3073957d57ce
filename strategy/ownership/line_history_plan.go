package ownership

import (
	"bytes"
	"slices"

	"entire/checkpoint/shadow"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/sessionstate"
)

// historyPlan is the sequence of versions from which a file's lines get their owners.
type historyPlan struct {
	chain    *lineHistory
	authors  *Authors
	begin    git.OID
	versions []plannedVersion
	tip      int // how many of the versions lead to the newest step
}

// plannedVersion is a version of the file, with the owner of its change.
type plannedVersion struct {
	oid   git.OID
	by    attribution.Owner
	after int
	known []attribution.Line
	keep  bool // a stash took the version away, and may bring it back

	first, last int // the changes that made the version: from one step to another, both included
}

// plan decides the owner of each change of the file.
func (c *lineHistory) plan(p *stepChain, memory *lineMemory) historyPlan {
	plan := historyPlan{chain: c, authors: p.authors, begin: c.origin}
	if known := memory.Lines(c.path, c.origin); len(c.parents) > 0 && (c.amended || known != nil) { // the parent need not have what the origin has
		plan.begin = c.parents[0]
		plan.addVersion(plannedVersion{oid: c.origin, known: orUnknownLines(known), first: -1, last: -1})
	}
	version := make([]int, len(c.steps)) // the step's version, as attribution.Version counts them
	for i, oid := range c.steps {
		if came, ok := c.brought[i]; ok {
			plan.addVersion(plannedVersion{oid: came, by: unknownOwner, first: -1, last: i})
		}
		v := plannedVersion{oid: oid, by: p.authors.owner(i, c.nextChange(i), c.nameAt(i)), first: i, last: i, keep: p.steps[i].Info.Why == shadow.WhyBeforeStash}
		switch kind := p.steps[i].Info.Kind; {
		case i == 0 && (kind == shadow.StepCarryForward || kind == shadow.StepMixed):
			if known := memory.Lines(c.path, oid); known != nil || kind == shadow.StepCarryForward {
				v.known, v.first = orUnknownLines(known), -1
			}
		case kind == shadow.StepRewind && p.steps[i].Info.Target.IsZero() && p.steps[i].Info.Undoes.IsZero():
			v.by = personOwner // who chose hunks; lines that came back keep their owners
		case kind == shadow.StepRewind:
			v.by = unknownOwner // of lines from before the chain; no turn wrote them
			for k := range i {
				if p.steps[k].OID == p.steps[i].Info.Target {
					v.after, v.by = version[k], personOwner
				}
			}
		}
		plan.addVersion(v)
		if version[i] = len(plan.versions); version[i] == 0 {
			version[i] = -1
		}
	}
	plan.tip = len(plan.versions)
	plan.addVersion(plannedVersion{oid: c.commit, by: p.authors.owner(len(c.steps), len(c.steps)+1, c.path), first: len(c.steps), last: len(c.steps)})
	return plan
}

// nextChange returns the change after the i-th that gave the file another content: a step or, after the last, the commit.
func (c *lineHistory) nextChange(i int) int {
	for k, oid := range append(c.steps[i+1:len(c.steps):len(c.steps)], c.commit) {
		if oid != c.steps[i] {
			return i + 1 + k
		}
	}
	return len(c.steps) + 1
}

// orUnknownLines returns lines without known owners if none are remembered.
func orUnknownLines(known []attribution.Line) []attribution.Line {
	if known == nil {
		return []attribution.Line{}
	}
	return known
}

// addVersion adds a version unless it equals the one before.
func (p *historyPlan) addVersion(v plannedVersion) {
	before := p.begin
	if n := len(p.versions); n > 0 {
		before = p.versions[n-1].oid
	}
	if before != v.oid {
		p.versions = append(p.versions, v)
	}
}

// blobs returns the blobs whose text is needed. Of successive changes of one owner only the last
// text is needed, unless a rewind went back in between, or a stash or a discard took the earlier one away.
func (p *historyPlan) blobs() []git.OID {
	rewound := false
	for _, v := range p.versions {
		rewound = rewound || v.after != 0
	}
	if !rewound {
		p.joinTurns()
		var short []plannedVersion
		tip := 0
		for i, v := range p.versions {
			if n := len(short); n > 0 && i != p.tip && v.oid != p.begin && v.known == nil && short[n-1].known == nil && !short[n-1].keep && short[n-1].by == v.by {
				v.first = short[n-1].first
				short[n-1] = v
			} else {
				short = append(short, v)
			}
			if i < p.tip {
				tip = len(short)
			}
		}
		p.versions, p.tip = short, tip
	}
	oids := append([]git.OID{p.begin}, p.chain.parents...)
	for _, v := range p.versions {
		oids = append(oids, v.oid)
	}
	return oids
}

// joinTurns treats an agent's turns as one owner if there are more than turnsMax versions.
func (p *historyPlan) joinTurns() {
	if len(p.versions) <= turnsMax {
		return
	}
	for i := range p.versions {
		p.versions[i].by.Turn = 0
	}
}

// writtenAnew reports whether a call in one of the turns of the i-th version wrote a line where the file had none like it.
// A session that puts back what it has removed itself writes nothing.
func (p *historyPlan) writtenAnew(i int, turns []turnSpan, line attribution.Print, removed attribution.Owner) bool {
	return slices.ContainsFunc(turns, func(t turnSpan) bool {
		fresh := i > 0 && p.versions[i-1].oid.IsZero() && !p.authors.activity(t.session, t.number).ImportedContent
		wrote := func(c sessionstate.EditCall) bool { return (c.Exact || fresh) && c.Turn == t.number }
		return t.session.String() != removed.Session && slices.ContainsFunc(p.chain.names(), func(name string) bool {
			return slices.ContainsFunc(p.authors.calls(t.session, name).ByPrint[line], wrote)
		})
	})
}

// replacesFile reports a version, of a file that did not exist at first, that shares nothing distinctive
// with the version before: its author put another file in its place.
func (p *historyPlan) replacesFile(i int, texts map[git.OID][]byte) bool {
	if i == 0 || p.versions[i].after != 0 || p.versions[i].known != nil || p.versions[i].by.Is(p.versions[i-1].by) {
		return false
	}
	was, is := texts[p.versions[i-1].oid], texts[p.versions[i].oid]
	return len(texts[p.begin]) == 0 && len(was) > 0 && len(is) > 0 && len(evidence.SignificantLines(was)) > 0 && len(evidence.SignificantLines(is)) > 0 && !evidence.Similar(was, is) && !evidence.ShareDistinctiveLine(was, is)
}

// cost returns how many lines are compared: each version with the one before, and its new lines
// with all earlier versions.
func (p *historyPlan) cost(texts map[git.OID][]byte) int {
	count := func(oid git.OID) int { return bytes.Count(texts[oid], []byte{'\n'}) + 1 }
	seen := count(p.begin)
	sum := seen
	for _, v := range p.versions {
		seen += count(v.oid)
		sum += seen
	}
	for _, oid := range p.chain.parents {
		sum += count(oid)
	}
	return sum
}

// tipBlob returns the blob of the newest step.
func (p *historyPlan) tipBlob() git.OID {
	if p.tip == 0 {
		return p.begin
	}
	return p.versions[p.tip-1].oid
}
