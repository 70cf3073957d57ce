package versions

import "testing"

// TestSnapshotsOfThePresent: what a step saw after a loss is not taken for the newest content.
func TestSnapshotsOfThePresent(t *testing.T) {
	t.Parallel()
	written := func(h Hash) Version { return Version{Content: h, Sure: Exact} }
	seen := func(h Hash) Version { return Version{Content: h, Sure: Exact, Snapshot: true} }
	for name, row := range map[string]struct {
		list  []Version
		named bool
		want  int
		why   Why
	}{
		"cut, and asked for":        {[]Version{written("short"), written("long"), seen("now")}, true, 1, Differs},
		"cut, and two steps saw it": {[]Version{written("long"), seen("now"), seen("now")}, true, 0, Differs},
		"written over with the old": {[]Version{written("now"), written("long"), seen("now")}, false, 1, WentBack},
		"work since":                {[]Version{written("long"), seen("now")}, false, -1, Superior},
		"a step has the newest":     {[]Version{written("now"), seen("by hand")}, false, 1, WentBack},
		"written so":                {[]Version{written("long"), written("now")}, true, -1, Same},
		"only seen so":              {[]Version{seen("now")}, true, -1, Same},
	} {
		got, why := Choose(row.list, Present{Exists: true, Hashes: []Hash{"now"}}, row.named, func(Hash) bool { return false })
		if got != row.want || why != row.why {
			t.Errorf("%s: version %d, %q; want %d, %q", name, got, why, row.want, row.why)
		}
	}
}
