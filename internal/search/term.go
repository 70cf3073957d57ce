package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"entire/internal/search/lists"
)

// A term is a phrase of a query in one of its forms: the query's leaf. It is the same in all parts.
type term struct {
	words  []string
	prefix bool    // of the last word only the beginning
	times  int     // how often the query has it
	rarity float64 // bm25's weight of it
}

func (t *term) key() string {
	key := strings.Join(t.words, " ")
	if t.prefix {
		key += "*"
	}
	return key
}

// terms returns the forms in which a phrase is searched: as it is, a name also as one word, and a beginning also
// as the stem of its last word.
func (n *Node) terms() []term {
	if !n.Prefix {
		list := []term{{words: n.Words}}
		if n.Name != "" {
			list = append(list, term{words: []string{n.Name}})
		}
		return list
	}
	last := len(n.Words) - 1
	list := []term{{words: append(slices.Clone(n.Words[:last]), n.Last), prefix: true}}
	if n.Words[last] != n.Last {
		list = append(list, term{words: n.Words})
	}
	if n.Name != "" {
		list = append(list, term{words: []string{n.Name}, prefix: true})
	}
	return list
}

// addTerms adds the terms of a query that count for the score: those that are not excluded. A term that is
// there already counts once more.
func addTerms(list []*term, n *Node) []*term {
	switch n.Kind {
	case Not:
		return list
	case Phrase:
		for _, t := range n.terms() {
			if i := slices.IndexFunc(list, func(have *term) bool { return have.key() == t.key() }); i >= 0 {
				list[i].times++
				continue
			}
			t.times = 1
			list = append(list, &t)
		}
		return list
	}
	for _, sub := range n.Nodes {
		list = addTerms(list, sub)
	}
	return list
}

// entry returns the entry of a key in a part.
func (f *finder) entry(p *lists.Part, key string) (lists.Entry, error) {
	at := partKey{p.Number, key}
	if e, ok := f.entries[at]; ok {
		return e, nil
	}
	e, err := f.rows.Find(p, key)
	if err == nil {
		f.entries[at] = e
	}
	return e, err
}

type partKey struct {
	part int64
	key  string
}

type seenKey struct {
	part int64
	term string
	view lists.View
}

// spotted returns the matches of a word in a part, nil if no document has it.
func (f *finder) spotted(p *lists.Part, word string, v lists.View) (lists.Spotted, error) {
	e, err := f.entry(p, v.Word()+word)
	if err != nil || e.Docs == 0 {
		return nil, err
	}
	return lists.NewCursor(f.rows, p, e, v)
}

// leaf returns the matches of a term in a part.
func (f *finder) leaf(t *term, p *lists.Part, v lists.View) (lists.Leaf, error) {
	last := len(t.words) - 1
	if t.prefix && last == 0 {
		return f.beginning(t.words[0], p, v)
	}
	var words []lists.Spotted
	for i, word := range t.words {
		if t.prefix && i == last {
			break
		}
		w, err := f.spotted(p, word, v)
		if err != nil || w == nil {
			return lists.Nothing{}, err
		}
		words = append(words, w)
	}
	if t.prefix {
		w, err := f.ending(words, t.words[last], p, v)
		if err != nil || w == nil {
			return lists.Nothing{}, err
		}
		words = append(words, w)
	}
	if len(words) == 1 {
		return words[0], nil
	}
	at := seenKey{p.Number, t.key(), v}
	if f.seen[at] == nil {
		f.seen[at] = &lists.SeenPhrase{}
	}
	return lists.NewPhrase(words, v.Columns, f.seen[at]), nil
}

// beginning returns the matches of all words that begin with some letters.
func (f *finder) beginning(letters string, p *lists.Part, v lists.View) (lists.Leaf, error) {
	list, err := f.beginnings(letters, p, v)
	switch {
	case err != nil || len(list) == 0:
		return lists.Nothing{}, err
	case len(list) == 1:
		return lists.NewCursor(f.rows, p, list[0], v)
	}
	return lists.Gather(f.rows, p, list, v)
}

// endingsMax bounds how many words are tried as the last one of a phrase if the query has only its first letters:
// the words that most documents have.
const endingsMax = 200

// ending returns the matches of the words that begin with some letters, in documents that have all other words.
func (f *finder) ending(others []lists.Spotted, letters string, p *lists.Part, v lists.View) (lists.Spotted, error) {
	list, err := f.begun(p, v.Word()+letters)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if len(list) > endingsMax {
		slices.SortStableFunc(list, func(a, b lists.Entry) int { return cmp.Compare(b.Docs, a.Docs) })
		list = list[:endingsMax]
	}
	again := make([]lists.Walker, len(others))
	for i, w := range others {
		c := w.(*lists.Cursor)
		if again[i], err = lists.NewCursor(c.Rows, c.Part, c.Entry, v); err != nil {
			return nil, err
		}
	}
	return lists.GatherSpots(f.rows, p, list, v, lists.NewAll(again, nil))
}

// beginnings returns the lists that together hold all words that begin with some letters.
func (f *finder) beginnings(letters string, p *lists.Part, v lists.View) ([]lists.Entry, error) {
	switch n := utf8.RuneCountInString(letters); {
	case n > lists.PrefixLetters:
		return f.begun(p, v.Word()+letters)
	case n < lists.PrefixLetters:
		return f.begun(p, v.Letters()+letters)
	}
	e, err := f.entry(p, v.Letters()+letters)
	if err != nil || e.Docs == 0 {
		return nil, err
	}
	return []lists.Entry{e}, nil
}

// begun returns the entries of the keys that begin with a text.
func (f *finder) begun(p *lists.Part, begin string) (list []lists.Entry, err error) {
	err = f.rows.Each(p, begin, func(_ []byte, e lists.Entry) bool {
		list = append(list, e)
		return true
	})
	return list, err
}

// walker returns a walker of a query in a part.
func (f *finder) walker(n *Node, p *lists.Part, v lists.View) (lists.Walker, error) {
	if n.Kind == Phrase {
		var list []lists.Walker
		for _, t := range n.terms() {
			w, err := f.leaf(&t, p, v)
			if err != nil {
				return nil, err
			}
			list = append(list, w)
		}
		return lists.NewSome(1, list), nil
	}
	var wanted, unwanted []lists.Walker
	for _, sub := range n.Nodes {
		to := &wanted
		if sub.Kind == Not {
			sub, to = sub.Nodes[0], &unwanted
		}
		w, err := f.walker(sub, p, v)
		if err != nil {
			return nil, err
		}
		*to = append(*to, w)
	}
	switch n.Kind {
	case Or:
		return lists.NewSome(max(n.least, 1), wanted), nil
	default:
		return lists.NewAll(wanted, unwanted), nil
	}
}

// bm25's parameters, as they are usual.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// countedMax is how many matches of a phrase or of the beginning of a word are counted, to know how rare it is.
const countedMax = 1 << 12

// triedMax bounds the documents in which count looks for a phrase: each has all of its words, not always in a row.
const triedMax = 4 * countedMax

// weigh sets the rarity of terms.
func (f *finder) weigh(list []*term) error {
	for _, t := range list {
		key := t.key()
		n, ok := f.counted[key]
		if !ok {
			var err error
			if n, err = f.docsWith(t, len(list) > 1); err != nil {
				return err
			}
			if len(list) > 1 {
				f.counted[key] = n
			}
		}
		all := float64(f.known.docs)
		n = min(n, all)
		if t.rarity = math.Log((all - n + 0.5) / (n + 0.5)); t.rarity <= 0 {
			t.rarity = 1e-6
		}
	}
	return nil
}

// docsWith returns how many documents have a term. Few are counted exactly; more are estimated from the newest
// documents. A phrase that is compared with no other term is not counted: its rarity would change no order.
func (f *finder) docsWith(t *term, compared bool) (float64, error) {
	sum := 0
	for i := range f.known.parts {
		p := &f.known.parts[i]
		n := 0
		for j, word := range t.words {
			list, err := f.lists(t, j, word, p)
			if err != nil {
				return 0, err
			}
			docs := 0
			for _, e := range list {
				docs += e.Docs
			}
			if j == 0 || docs < n {
				n = docs
			}
		}
		sum += n
	}
	whole := len(t.words) == 1 && !t.prefix
	if !compared || whole && (sum > countedMax || len(f.known.graves) == 0) || t.prefix && len(t.words) == 1 && sum > countedMax {
		return float64(sum), nil
	}
	return f.count(t)
}

// lists returns the entries of the lists of a term's word in a part.
func (f *finder) lists(t *term, i int, word string, p *lists.Part) ([]lists.Entry, error) {
	if t.prefix && i == len(t.words)-1 {
		return f.beginnings(word, p, lists.Everything)
	}
	e, err := f.entry(p, word)
	return []lists.Entry{e}, err
}

// count counts the documents with a term, the newest first. After countedMax matches it assumes that the other
// documents have the term as often.
func (f *finder) count(t *term) (float64, error) {
	n, before, tried := 0, 0, 0
	for i := range f.known.parts {
		p := &f.known.parts[i]
		l, err := f.leaf(t, p, lists.Everything)
		if err != nil {
			return 0, err
		}
		ph, isPhrase := l.(*lists.Phrase)
		if isPhrase {
			ph.Left = triedMax - tried
		}
		for doc, err := l.Seek(0); doc != lists.None || err != nil; doc, err = l.Seek(doc + 1) {
			if err != nil {
				return 0, err
			}
			at, err := f.rows.Place(p, doc)
			if err != nil {
				return 0, err
			}
			if !lists.DeadIn(f.known.graves, p.Number, at.ID) {
				n++
			}
			if n == countedMax {
				return float64(n) * float64(f.known.docs) / float64(before+int(doc)+1), nil
			}
		}
		if isPhrase {
			if tried = triedMax - ph.Left; ph.Left == 0 && ph.Doc != lists.None {
				return float64(n) * float64(f.known.docs) / float64(before+int(ph.Doc)+1), nil
			}
		}
		before += p.Docs
	}
	return float64(n), nil
}
