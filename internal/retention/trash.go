package retention

import "time"

// secondLook is the minimum time between the first check that finds an item past its grace period and
// its deletion, so that a clock that is wrong once deletes nothing.
const secondLook = 24 * time.Hour

// An Item is something in a trash.
type Item struct {
	Name    string
	Deleted time.Time
}

// Expire returns the items to delete for good: those past their grace period for which an earlier
// call, at least a day ago, found the same. seen is the map next that the previous call returned,
// by name.
func Expire(now time.Time, grace time.Duration, items []Item, seen map[string]time.Time) (gone []Item, next map[string]time.Time) {
	next = map[string]time.Time{}
	for _, it := range items {
		if now.Sub(it.Deleted) < grace {
			continue // this also forgets a first check by a wrong clock
		}
		first, before := seen[it.Name]
		switch {
		case !before || first.After(now):
			next[it.Name] = now
		case now.Sub(first) >= secondLook:
			gone = append(gone, it)
			next[it.Name] = first // in case its removal fails
		default:
			next[it.Name] = first
		}
	}
	return gone, next
}
