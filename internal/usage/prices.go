package usage

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire/internal/strictjson"
)

// staleAfter is the age from which a table of prices may be wrong.
const staleAfter = 90 * 24 * time.Hour

//go:embed prices.json
var builtin []byte

// A Price is what the tokens of a model cost, in US dollars for a million.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
	// HourWrite is the price of input that a cache keeps for an hour; 0 is the price of CacheWrite.
	HourWrite float64 `json:"cache_write_hour,omitempty"`
	// Long, if set, is the price of answers to a prompt of more than Above tokens.
	Above int64  `json:"above,omitempty"`
	Long  *Price `json:"long,omitempty"`
}

// Cost returns what an answer costs.
func (p Price) Cost(t Tokens) float64 {
	if p.Long != nil && t.Prompt() > p.Above {
		return p.Long.Cost(t)
	}
	hour := p.HourWrite
	if hour == 0 {
		hour = p.CacheWrite
	}
	short := t.CacheWrite - t.HourWrite
	return (float64(t.Input)*p.Input + float64(t.CacheRead)*p.CacheRead + float64(short)*p.CacheWrite + float64(t.HourWrite)*hour + float64(t.Output)*p.Output) / 1e6
}

// Prices is a table of prices.
type Prices struct {
	Date    string           `json:"date"`    // on which the prices were right, as 2026-09-22
	Sources []string         `json:"sources"` // where they are from
	Models  map[string]Price `json:"models"`  // by the beginning of the model's name
}

// Builtin returns the table of this version of the program.
func Builtin() (Prices, error) { return ParsePrices(builtin) }

// ParsePrices reads a table of prices, and returns an error for one that is not usable.
func ParsePrices(data []byte) (Prices, error) {
	var p Prices
	if err := json.Unmarshal(data, &p); err != nil {
		return Prices{}, fmt.Errorf("read the prices: %w", strictjson.Mistake(data, err))
	}
	if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
		return Prices{}, fmt.Errorf("read the prices: the date %q is not like 2026-03-31", p.Date)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Models)) {
		if !p.Models[name].valid() {
			return Prices{}, fmt.Errorf("read the prices: a price of %q is negative", name)
		}
	}
	return p, nil
}

func (p Price) valid() bool {
	return min(p.Input, p.Output, p.CacheRead, p.CacheWrite, p.HourWrite) >= 0 && p.Above >= 0 && (p.Long == nil || p.Long.Long == nil && p.Long.valid())
}

// Over returns the table with the models of p and, for all others, those of q. Its date is that of q, because
// most prices are from there.
func (p Prices) Over(q Prices) Prices {
	out := Prices{Date: q.Date, Sources: append(slices.Clone(p.Sources), q.Sources...), Models: maps.Clone(q.Models)}
	if out.Models == nil {
		out.Models = map[string]Price{}
	}
	maps.Copy(out.Models, p.Models)
	return out
}

// Stale reports whether the prices may have changed since.
func (p Prices) Stale(now time.Time) bool {
	at, err := time.Parse(time.DateOnly, p.Date)
	return err != nil || now.Sub(at) > staleAfter
}

// Of returns the price of a model: of its name, or of the longest beginning of it that ends before a date or
// at a separator and has a price. A name may begin with that of a provider, as in anthropic/claude-opus-4-6.
func (p Prices) Of(model string) (Price, bool) {
	name := strings.ToLower(model)
	for {
		if price, ok := p.named(name); ok {
			return price, true
		}
		_, rest, more := strings.Cut(name, "/")
		if !more {
			return Price{}, false
		}
		name = rest
	}
}

// named finds a name, without what a provider puts behind it: a date, or a variant in brackets or after @ or
// a colon. Other endings name other models.
func (p Prices) named(name string) (Price, bool) {
	if i := strings.IndexAny(name, "[@:"); i > 0 {
		name = name[:i]
	}
	if price, ok := p.Models[name]; ok {
		return price, true
	}
	for _, layout := range []string{"-20060102", "-2006-01-02", "-latest"} {
		if cut := len(name) - len(layout); cut > 0 {
			if _, err := time.Parse(layout, name[cut:]); err == nil {
				price, ok := p.Models[name[:cut]]
				return price, ok
			}
		}
	}
	return Price{}, false
}
