package retention

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Policy says how long conversations stay. A zero limit does not apply.
type Policy struct {
	OlderThan time.Duration // remove what began longer ago
	Inactive  time.Duration // remove what was unused for longer
	MaxBytes  int64         // remove the longest unused until the others fit
	Keep      int           // keep this many, the last used; remove the others
}

// IsZero reports whether the policy keeps everything.
func (p Policy) IsZero() bool { return p == Policy{} }

// Fresh is how long a conversation stays after its last use, whatever the limits. Only Inactive may be
// shorter.
const Fresh = 24 * time.Hour

// DefaultGrace is how long removed conversations stay in the trash.
const DefaultGrace = 30 * 24 * time.Hour

// DefaultCompress is how long unused conversations stay uncompressed.
const DefaultCompress = 7 * 24 * time.Hour

// String describes the policy for a person.
func (p Policy) String() string {
	var parts []string
	if p.OlderThan > 0 {
		parts = append(parts, "begun more than "+Days(p.OlderThan)+" ago")
	}
	if p.Inactive > 0 {
		parts = append(parts, "not used for "+Days(p.Inactive))
	}
	if p.MaxBytes > 0 {
		parts = append(parts, "beyond "+Bytes(p.MaxBytes))
	}
	if p.Keep > 0 {
		parts = append(parts, fmt.Sprintf("beyond the last %d", p.Keep))
	}
	if len(parts) == 0 {
		return "no limit"
	}
	return strings.Join(parts, ", or ")
}

// Days formats a duration for a person.
func Days(d time.Duration) string {
	if d >= 48*time.Hour || d == 24*time.Hour {
		return plural(int64(d/(24*time.Hour)), "day")
	}
	if d >= 2*time.Hour {
		return plural(int64(d/time.Hour), "hour")
	}
	return d.Round(time.Minute).String()
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Bytes formats a size for a person.
func Bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	v, i := float64(n), 0
	for v >= 999.5 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	if i > 0 && v < 9.95 {
		return fmt.Sprintf("%.1f %s", v, units[i])
	}
	return fmt.Sprintf("%.0f %s", v, units[i])
}

// ParseAge parses an age: one or several numbers with m, h, d, w or y. A number without a unit means
// days.
func ParseAge(text string) (time.Duration, error) {
	bad := fmt.Errorf("%.40q is no age; say for example 30d, 12h or 6w", text)
	rest := strings.ToLower(strings.TrimSpace(text))
	var sum float64
	for rest != "" {
		i := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if i < 0 {
			i = len(rest)
		}
		n, err := strconv.ParseFloat(rest[:i], 64)
		if err != nil {
			return 0, bad
		}
		unit, size := 24*time.Hour, 0
		if i < len(rest) {
			size = 1
			switch rest[i] {
			case 'm':
				unit = time.Minute
			case 'h':
				unit = time.Hour
			case 'd':
			case 'w':
				unit *= 7
			case 'y':
				unit *= 365
			default:
				return 0, bad
			}
		}
		sum += n * float64(unit)
		rest = rest[i+size:]
	}
	if !(sum >= float64(time.Minute) && sum < float64(math.MaxInt64)) {
		return 0, bad
	}
	return time.Duration(sum), nil
}

// ParseSize parses a number of bytes: with k, M, G or T for powers of 1000, or Ki, Mi, Gi or Ti for
// powers of 1024, with or without B.
func ParseSize(text string) (int64, error) {
	bad := fmt.Errorf("%.40q is no size; say for example 500M or 2G", text)
	rest := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), "b")
	base := 1000.0
	if strings.HasSuffix(rest, "i") {
		rest, base = rest[:len(rest)-1], 1024
	}
	power := 0
	if rest != "" {
		if i := strings.IndexByte("kmgt", rest[len(rest)-1]); i >= 0 {
			rest, power = rest[:len(rest)-1], i+1
		}
	}
	if base == 1024 && power == 0 {
		return 0, bad
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
	n *= math.Pow(base, float64(power))
	if err != nil || !(n >= 1 && n < 1<<62) {
		return 0, bad
	}
	return int64(n), nil
}
