package retention

import "time"

// SecondLook is how long after it was first found past its grace something in a trash
// goes: a clock that is wrong at one moment removes nothing.
const SecondLook = 24 * time.Hour

// An Item is something in a trash.
type Item struct {
	Name    string
	Deleted time.Time
}

// Expire says what of a trash goes for good. Something goes at the second look that
// finds it past its grace, SecondLook or longer after the first; seen is what it
// returned as next the time before, by name.
func Expire(now time.Time, grace time.Duration, items []Item, seen map[string]time.Time) (gone []Item, next map[string]time.Time) {
	next = map[string]time.Time{}
	for _, it := range items {
		if now.Sub(it.Deleted) < grace {
			continue // a first look that a wrong clock made is forgotten with this
		}
		first, before := seen[it.Name]
		switch {
		case !before || first.After(now):
			next[it.Name] = now
		case now.Sub(first) >= SecondLook:
			gone = append(gone, it)
			next[it.Name] = first // in case it cannot be removed
		default:
			next[it.Name] = first
		}
	}
	return gone, next
}
