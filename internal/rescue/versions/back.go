package versions

import (
	"errors"
	"slices"
)

// goBack rebuilds the versions between the pending changes from the content after them, which is then the last
// version; false if the last change does not lead to it.
func (b *builder) goBack(after []byte) (bool, error) {
	if after == nil {
		return false, nil // it cannot be read
	}
	var found []Version
	for i, e := range slices.Backward(b.pending) {
		before, ok := reverseAll(after, e.Edits)
		if !ok {
			break
		}
		later := Version{Path: e.Path, At: e.At, Last: e.At, Source: e.Source, Sure: Rebuilt, Changes: len(b.pending) - i - 1, Base: laterContent}
		earlier := later
		earlier.At, earlier.Last, earlier.Changes = e.At.Add(-1), e.At.Add(-1), later.Changes+1
		if err := errors.Join(b.fill(&later, after), b.fill(&earlier, before)); err != nil {
			return false, err
		}
		if n := len(found); n > 0 {
			found = found[:n-1] // the version before the later change is the one after this
		}
		found, after = append(found, later, earlier), before
	}
	b.replacePartial(found)
	return len(found) > 0, nil
}

// laterContent is the base of a version that was rebuilt from a later one.
const laterContent = "what came later"

// replacePartial adds versions that were found later, in place of partial ones of the same time.
func (b *builder) replacePartial(found []Version) {
	for _, v := range found {
		b.out = slices.DeleteFunc(b.out, func(o Version) bool { return o.Sure == Partial && !o.Gone && o.At.Equal(v.At) })
		b.out = append(b.out, v)
	}
	slices.SortStableFunc(b.out, func(a, b Version) int { return a.At.Compare(b.At) })
}
