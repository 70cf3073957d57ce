package lists

import (
	"cmp"
	"slices"
)

// A Spotted is a leaf that knows where its word stands.
type Spotted interface {
	Leaf
	places() ([]spot, error)
}

// A Phrase is a leaf of words in their order.
type Phrase struct {
	words   []phraseWord // the rarest first
	both    Walker       // documents with all of them
	columns int
	Doc     uint32 // of the last seek
	score   float64
	begins  []spot
	seen    *SeenPhrase
	Left    int // how many documents seek looks at before it gives up; below 0 for all
}

// A phraseWord is a word of a phrase, and how many are before it.
type phraseWord struct {
	Spotted
	before spot
}

// A SeenPhrase is where a phrase is in a part, as far as that was found out from the first document on. Counting
// and ranking go through the same documents.
type SeenPhrase struct {
	docs   []uint32
	scores []float64
	next   uint32 // the first document that was not looked at
}

// NewPhrase returns a leaf of two or more words. What it finds out is noted in seen.
func NewPhrase(words []Spotted, columns int, seen *SeenPhrase) *Phrase {
	p := &Phrase{columns: columns, seen: seen, Doc: None, Left: -1}
	list := make([]Walker, len(words))
	for i, w := range words {
		list[i] = w
		p.words = append(p.words, phraseWord{w, spot(i)})
	}
	slices.SortStableFunc(p.words, func(a, b phraseWord) int { return cmp.Compare(a.Size(), b.Size()) })
	p.both = NewAll(list, nil)
	return p
}

func (p *Phrase) Size() int { return p.both.Size() }

func (p *Phrase) Weight() (float64, error) { return p.score, nil }

func (p *Phrase) Seek(from uint32) (uint32, error) {
	if p.Doc != None && p.Doc >= from && p.score > 0 {
		return p.Doc, nil
	}
	if from < p.seen.next {
		if i, _ := slices.BinarySearch(p.seen.docs, from); i < len(p.seen.docs) {
			p.Doc, p.score = p.seen.docs[i], p.seen.scores[i]
			return p.Doc, nil
		}
		from = p.seen.next
	}
	for p.Left != 0 {
		p.Left--
		doc, err := p.both.Seek(from)
		if p.Doc, p.score = doc, 0; err != nil {
			return None, err
		}
		if doc != None {
			if p.score, err = p.count(); err != nil {
				return None, err
			}
		}
		p.see(from)
		if p.score > 0 || doc == None {
			return doc, nil
		}
		from = doc + 1
	}
	return None, nil
}

// guess and confirm are those of a guesser: whether the words are in their order is asked late.
func (p *Phrase) guess() Walker { return p.both }

func (p *Phrase) confirm(doc uint32) (bool, error) {
	if doc < p.seen.next {
		_, ok := slices.BinarySearch(p.seen.docs, doc)
		return ok, nil
	}
	if at, err := p.both.Seek(doc); at != doc || err != nil {
		return false, err
	}
	score, err := p.count()
	return score > 0, err
}

// see notes what the last step from a document on has found.
func (p *Phrase) see(from uint32) {
	if from > p.seen.next {
		return
	}
	if p.score > 0 {
		p.seen.docs, p.seen.scores = append(p.seen.docs, p.Doc), append(p.seen.scores, p.score)
	}
	if p.seen.next = None; p.Doc != None {
		p.seen.next = p.Doc + 1
	}
}

// count returns the weight of the phrase in a document that has all words.
func (p *Phrase) count() (float64, error) {
	for i, w := range p.words {
		places, err := w.places()
		if err != nil {
			return 0, err
		}
		kept, next := p.begins[:0], 0
		if i == 0 {
			for _, s := range places {
				if s&spotsMax >= w.before {
					kept = append(kept, s-w.before)
				}
			}
			p.begins = kept
			continue
		}
		for _, begin := range p.begins {
			for next < len(places) && places[next] < begin+w.before {
				next++
			}
			if next < len(places) && places[next] == begin+w.before {
				kept = append(kept, begin)
			}
		}
		if p.begins = kept; len(kept) == 0 {
			return 0, nil
		}
	}
	score := 0.0
	for _, begin := range p.begins {
		if column := begin >> columnAt; p.columns&(1<<column) != 0 {
			score += Weights[column]
		}
	}
	return score, nil
}
