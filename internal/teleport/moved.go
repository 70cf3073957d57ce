package teleport

import (
	"path/filepath"
	"sort"
	"strings"

	"entire/session"
)

// Move makes the paths of one machine those of another.
type Move struct{ From, To Place }

// Path is where a path of the sender's is here: below the repository's root, else
// below the home folder, and otherwise what it was.
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

// separatorOf is that of the system that a folder is of.
func separatorOf(dir string) string {
	if strings.HasPrefix(dir, "/") {
		return "/"
	}
	return `\`
}

// cutDir is what a path has below dir.
func cutDir(p, dir string) (rest string, ok bool) {
	if dir == "" {
		return "", false
	}
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, dir+separatorOf(dir))
}

// Relined changes the lines of a transcript one by one. As they change their
// length, so do the places that its records of rewinds name.
type Relined struct {
	Change func([]byte) []byte

	was, is  int64
	from, to []int64 // where lines ended, and end
}

// Line is the next line, changed, without its newline as it was given.
func (r *Relined) Line(line []byte) []byte {
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

// place is where what ended at n ends now. What is no end of a line stays.
func (r *Relined) place(n int64) int64 {
	i := sort.Search(len(r.from), func(i int) bool { return r.from[i] >= n })
	if i < len(r.from) && r.from[i] == n {
		return r.to[i]
	}
	return n
}
