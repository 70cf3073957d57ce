package strategy

import (
	"bytes"

	"entire/checkpoint"
	"entire/internal/attribution"
	"entire/internal/git"
)

// filePlan is what a file's history will be told.
type filePlan struct {
	chain   *fileChain
	authors *authors
	begin   git.OID
	told    []toldVersion
	tip     int // how many of told lead to the newest step
}

type toldVersion struct {
	oid   git.OID
	by    attribution.Owner
	after int
	known []attribution.Line
}

// plan tells apart whose each change of the file was. Changes of one maker in a
// row are one.
func (c *fileChain) plan(p *past, memory *lineMemory) filePlan {
	plan := filePlan{chain: c, authors: p.authors, begin: c.origin}
	if c.amended && len(c.parents) > 0 {
		plan.begin = c.parents[0]
		plan.tell(toldVersion{oid: c.origin, known: orNone(memory.lines(c.path, c.origin))})
	}
	version := make([]int, len(c.steps)) // what each step is to the history; see attribution.Version
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

// orNone turns what nobody remembers into lines that nobody knows.
func orNone(known []attribution.Line) []attribution.Line {
	if known == nil {
		return []attribution.Line{}
	}
	return known
}

// tell adds a version unless nothing changed.
func (p *filePlan) tell(v toldVersion) {
	before := p.begin
	if n := len(p.told); n > 0 {
		before = p.told[n-1].oid
	}
	if before != v.oid {
		p.told = append(p.told, v)
	}
}

// blobs are those whose text is needed: of changes of one maker in a row, without
// going back in between, the last one's is enough.
func (p *filePlan) blobs() []git.OID {
	back := false
	for _, v := range p.told {
		back = back || v.after != 0
	}
	if !back {
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

// joinTurns makes one maker of an agent's turns where there are very many.
func (p *filePlan) joinTurns() {
	if len(p.told) <= turnsMax {
		return
	}
	for i := range p.told {
		p.told[i].by.Turn = 0
	}
}

// anew reports a version of a file that the history began without, and that has nothing
// of the one before which its maker would not have written by themselves: they have put
// another file in its place.
func (p *filePlan) anew(i int, texts map[git.OID][]byte) bool {
	if i == 0 || p.told[i].after != 0 || p.told[i].known != nil || p.told[i].by.Is(p.told[i-1].by) {
		return false
	}
	was, is := texts[p.told[i-1].oid], texts[p.told[i].oid]
	return len(texts[p.begin]) == 0 && len(was) > 0 && len(is) > 0 && len(tellingLines(was)) > 0 && len(tellingLines(is)) > 0 && !similar(was, is) && !knownAgain(was, is)
}

// cost is how many lines are looked at: each version is compared with the one
// before, and what is new in it is sought in all earlier ones.
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

func (p *filePlan) tipBlob() git.OID {
	if p.tip == 0 {
		return p.begin
	}
	return p.told[p.tip-1].oid
}
