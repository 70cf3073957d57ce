package attribution

import (
	"fmt"
	"strings"
	"testing"
)

func TestWrittenMatch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, was, owners, now, want string }{
		{"a line that recurs, where others are gone", "first:line; y; same; x; same; z; last:line", "0 0 0 0 0 0 0", "first:line; same; same; last:line", "0 2 4 6"},
		{"one that was not recorded there", "first:line; y; same; x; last:line", "0 0 0 0 0", "first:line; same; other; last:line", "0 -1 -1 4"},
		{"more of them than were recorded", "first:line; y; same; z; last:line", "0 0 0 0 0", "first:line; same; same; last:line", "0 -1 -1 4"},
		{"in another order", "first:line; y; same; x; z; last:line", "0 0 0 0 0 0", "first:line; x; same; last:line", "0 -1 -1 5"},
		{"of two owners", "first:line; y; same; x; same; z; last:line", "0 0 0 0 1 0 0", "first:line; same; last:line", "0 -1 6"},
		{"one of them is found elsewhere", "first:line; y; else:where; same; z; last:line", "0 0 0 0 0 0", "else:where; first:line; same; last:line", "2 0 3 5"},
		{"a strong line that recurs beside one that was not recorded", "first:line; y; a:gain; x; a:gain", "0 0 0 0 0", "new; a:gain; other; a:gain", "-1 2 -1 4"},
		{"a strong line of two owners", "first:line; y; a:gain; x; a:gain", "0 0 0 0 1", "new; a:gain; other; a:gain", "-1 -1 -1 -1"},
		{"a strong line of two turns of one session", "first:line; y; a:gain; x; a:gain", "0 0 0 0 2", "new; a:gain; other; a:gain", "-1 2 -1 4"},
		{"a strong line that is there more often than it was recorded", "first:line; y; a:gain; x", "0 0 0 0", "new; a:gain; other; a:gain", "-1 -1 -1 -1"},
		{"not between two others", "first:line; y; same; x; same", "0 0 0 0 0", "first:line; same; same", "0 -1 -1"},
	} {
		was := Written{owners: []RecordOwner{{Class: ClassAgent, SessionID: "one", Turn: 1}, {Class: ClassAgent, SessionID: "two"}, {Class: ClassAgent, SessionID: "one", Turn: 2}}}
		lines := func(list string) []byte { return []byte(strings.ReplaceAll(list, "; ", "\n") + "\n") }
		was.Prints = PrintLines(lines(row.was))
		for _, owner := range strings.Fields(row.owners) {
			was.Ranges = append(was.Ranges, &Range{Owner: int(owner[0] - '0')})
		}
		now, strong := PrintLines(lines(row.now)), []bool{}
		for line := range strings.SplitSeq(row.now, "; ") {
			strong = append(strong, strings.Contains(line, ":"))
		}
		if got := strings.Trim(fmt.Sprint(was.Match(now, strong)), "[]"); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}
