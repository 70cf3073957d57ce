package epoch

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"entire/id"
)

// Names that reach disk.
const (
	Refs     = "refs/entire/epochs/" // the manifest of a month, in a ref YYYY-MM
	BodyRefs = "refs/entire/bodies/" // the month's checkpoints

	metaName   = "meta"
	pageFolder = "pages"
	layout     = "2006-01"
)

// Month is the name of an epoch, as in 2026-05.
type Month string

// MonthOf returns the month of a time, in UTC.
func MonthOf(t time.Time) Month { return Month(t.UTC().Format(layout)) }

var monthForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`) })

// ParseMonth returns the month that a name means; ok is false for any other text.
func ParseMonth(name string) (m Month, ok bool) { return Month(name), monthForm().MatchString(name) }

// MonthOfRef returns the month of a ref in either folder.
func MonthOfRef(ref string) (m Month, ok bool) {
	for _, folder := range []string{Refs, BodyRefs} {
		if rest, found := strings.CutPrefix(ref, folder); found {
			return ParseMonth(rest)
		}
	}
	return "", false
}

// Ref returns the name of the month's manifest.
func (m Month) Ref() string { return Refs + string(m) }

// BodyRef returns the name of the ref of the month's checkpoints.
func (m Month) BodyRef() string { return BodyRefs + string(m) }

// Start returns the first instant of the month.
func (m Month) Start() time.Time {
	t, _ := time.Parse(layout, string(m)) // a Month has the form
	return t
}

// end returns the first instant after the month, which dates its objects.
func (m Month) end() time.Time { return m.Start().AddDate(0, 1, 0) }

// fanOf returns how many hex digits name the shards of an epoch: 1, 16 or 256 shards.
func fanOf(count int) int {
	switch {
	case count <= 512:
		return 0
	case count <= 8192:
		return 1
	}
	return 2
}

// wholeShard is the name of the only shard of a small epoch.
const wholeShard = "all"

const (
	hexDigits = "0123456789abcdef"
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)

// shardOf returns the shard of an ID: its first digits or, since all ULIDs of a month begin alike, digits made from
// the last characters of a ULID.
func shardOf(cp id.CheckpointID, fan int) string {
	name := cp.String()
	switch {
	case fan == 0:
		return wholeShard
	case !cp.IsULID():
		return name[:fan]
	}
	last := name[len(name)-2:]
	n := strings.IndexByte(crockford, last[0])<<5 | strings.IndexByte(crockford, last[1])
	digits := string([]byte{hexDigits[n>>4&15], hexDigits[n&15]})
	return digits[2-fan:]
}
