package teleport

import (
	"path/filepath"
	"sort"
	"strings"

	"entire/session"
)

// Move replaces the paths of one machine by those of another.
type Move struct{ From, To Place }

// Path translates a path of the sender: below the repository's root, or below the home folder. Other
// paths stay the same.
func (m Move) Path(p string) string {
	for _, pair := range [][2]string{{m.From.Root, m.To.Root}, {m.From.Home, m.To.Home}} {
		if rest, ok := cutDir(p, pair[0]); ok && pair[1] != "" {
			if rest == "" {
				return pair[1]
			}
			return pair[1] + string(filepath.Separator) + strings.ReplaceAll(rest, separatorOf(pair[0]), string(filepath.Separator))
		}
	}
	return p
}

// separatorOf returns the path separator of the system that dir is from.
func separatorOf(dir string) string {
	if strings.HasPrefix(dir, "/") {
		return "/"
	}
	return `\`
}

// cutDir returns the part of a path below dir.
func cutDir(p, dir string) (rest string, ok bool) {
	if dir == "" {
		return "", false
	}
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, dir+separatorOf(dir))
}

// lineChanger changes the lines of a transcript one by one. Lines change their length, so it also adjusts
// the offsets in records of rewinds.
type lineChanger struct {
	Change func([]byte) []byte

	was, is  int64
	from, to []int64 // offsets of line ends before and after the change
}

// lineIn returns the changed line. Both lines have no newline.
func (r *lineChanger) lineIn(line []byte) []byte {
	out := line
	if n, is := session.RewoundTo(line); is {
		out = session.StreamRewind(r.place(n))
	} else {
		out = r.Change(line)
	}
	r.was += int64(len(line)) + 1
	r.is += int64(len(out)) + 1
	r.from, r.to = append(r.from, r.was), append(r.to, r.is)
	return out
}

// place translates the offset of a line's end. Other offsets stay the same.
func (r *lineChanger) place(n int64) int64 {
	i := sort.Search(len(r.from), func(i int) bool { return r.from[i] >= n })
	if i < len(r.from) && r.from[i] == n {
		return r.to[i]
	}
	return n
}
