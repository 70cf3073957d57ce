package strategy

import (
	"bytes"

	"entire/checkpoint"
	"entire/internal/attribution"
	"entire/internal/git"
)

// filePlan is the sequence of versions from which a file's lines get their owners.
type filePlan struct {
	chain   *fileChain
	authors *authors
	begin   git.OID
	told    []toldVersion
	tip     int // how many of the versions lead to the newest step
}

// toldVersion is a version of the file, with the owner of its change.
type toldVersion struct {
	oid   git.OID
	by    attribution.Owner
	after int
	known []attribution.Line
}

// plan decides the owner of each change of the file.
func (c *fileChain) plan(p *past, memory *lineMemory) filePlan {
	plan := filePlan{chain: c, authors: p.authors, begin: c.origin}
	if c.amended && len(c.parents) > 0 {
		plan.begin = c.parents[0]
		plan.tell(toldVersion{oid: c.origin, known: orNone(memory.lines(c.path, c.origin))})
	}
	version := make([]int, len(c.steps)) // the step's version, as attribution.Version counts them
	for i, oid := range c.steps {
		if came, ok := c.came[i]; ok {
			plan.tell(toldVersion{oid: came, by: attribution.Owner{Class: attribution.Unknown}})
		}
		v := toldVersion{oid: oid, by: p.authors.of(i, c.at(i))}
		switch kind := p.steps[i].info.Kind; {
		case i == 0 && (kind == checkpoint.StepCarryForward || kind == checkpoint.StepMixed):
			if known := memory.lines(c.path, oid); known != nil || kind == checkpoint.StepCarryForward {
				v.known = orNone(known)
			}
		case kind == checkpoint.StepRewind:
			for k := range i {
				if p.steps[k].OID == p.steps[i].info.Target {
					v.after, v.by = version[k], attribution.Owner{Class: attribution.Person}
				}
			}
		}
		plan.tell(v)
		if version[i] = len(plan.told); version[i] == 0 {
			version[i] = -1
		}
	}
	plan.tip = len(plan.told)
	plan.tell(toldVersion{oid: c.commit, by: p.authors.of(len(c.steps), c.path)})
	return plan
}

// orNone returns lines without known owners if none are remembered.
func orNone(known []attribution.Line) []attribution.Line {
	if known == nil {
		return []attribution.Line{}
	}
	return known
}

// tell adds a version unless it equals the one before.
func (p *filePlan) tell(v toldVersion) {
	before := p.begin
	if n := len(p.told); n > 0 {
		before = p.told[n-1].oid
	}
	if before != v.oid {
		p.told = append(p.told, v)
	}
}

// blobs returns the blobs whose text is needed. Of successive changes of one owner only the last
// text is needed, unless a rewind went back in between.
func (p *filePlan) blobs() []git.OID {
	rewound := false
	for _, v := range p.told {
		rewound = rewound || v.after != 0
	}
	if !rewound {
		p.joinTurns()
		var short []toldVersion
		tip := 0
		for i, v := range p.told {
			if n := len(short); n > 0 && i != p.tip && v.known == nil && short[n-1].known == nil && short[n-1].by == v.by {
				short[n-1] = v
			} else {
				short = append(short, v)
			}
			if i < p.tip {
				tip = len(short)
			}
		}
		p.told, p.tip = short, tip
	}
	oids := append([]git.OID{p.begin}, p.chain.parents...)
	for _, v := range p.told {
		oids = append(oids, v.oid)
	}
	return oids
}

// joinTurns treats an agent's turns as one owner if there are more than turnsMax versions.
func (p *filePlan) joinTurns() {
	if len(p.told) <= turnsMax {
		return
	}
	for i := range p.told {
		p.told[i].by.Turn = 0
	}
}

// anew reports a version, of a file that did not exist at first, that shares nothing distinctive
// with the version before: its author put another file in its place.
func (p *filePlan) anew(i int, texts map[git.OID][]byte) bool {
	if i == 0 || p.told[i].after != 0 || p.told[i].known != nil || p.told[i].by.Is(p.told[i-1].by) {
		return false
	}
	was, is := texts[p.told[i-1].oid], texts[p.told[i].oid]
	return len(texts[p.begin]) == 0 && len(was) > 0 && len(is) > 0 && len(tellingLines(was)) > 0 && len(tellingLines(is)) > 0 && !similar(was, is) && !knownAgain(was, is)
}

// cost returns how many lines are compared: each version with the one before, and its new lines
// with all earlier versions.
func (p *filePlan) cost(texts map[git.OID][]byte) int {
	count := func(oid git.OID) int { return bytes.Count(texts[oid], []byte{'\n'}) + 1 }
	seen := count(p.begin)
	sum := seen
	for _, v := range p.told {
		seen += count(v.oid)
		sum += seen
	}
	for _, oid := range p.chain.parents {
		sum += count(oid)
	}
	return sum
}

// tipBlob returns the blob of the newest step.
func (p *filePlan) tipBlob() git.OID {
	if p.tip == 0 {
		return p.begin
	}
	return p.told[p.tip-1].oid
}
