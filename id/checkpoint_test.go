package id

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestNewCheckpointID(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in string
		ok       bool
	}{
		{"hex", "a3b2c4d5e6f7", true},
		{"digits", "000000000000", true},
		{"empty", "", false},
		{"short", "a3b2c4d5e6f", false},
		{"long", "a3b2c4d5e6f70", false},
		{"capital", "A3b2c4d5e6f7", false},
		{"letter past f", "g3b2c4d5e6f7", false},
		{"separator", "a3/2c4d5e6f7", false},
		{"dots", "../../../etc", false},
		{"NUL", "a3b2c4d5e6f\x00", false},
		{"newline", "a3b2c4d5e6f\n", false},
		{"fullwidth digits of twelve bytes", "１２３４", false},
		{"ULID", "01JD6Q8ZV3K5N7P9R2T4W6Y8A0", true},
		{"ULID of zeros", strings.Repeat("0", 26), true},
		{"ULID in lower case", "01jd6q8zv3k5n7p9r2t4w6y8a0", false},
		{"ULID with a letter that Crockford leaves out", "01JD6Q8ZV3K5N7P9R2T4W6Y8AU", false},
		{"ULID too short", "01JD6Q8ZV3K5N7P9R2T4W6Y8A", false},
		{"ULID too long", "01JD6Q8ZV3K5N7P9R2T4W6Y8A00", false},
		{"ULID beyond its 128 bits", "81JD6Q8ZV3K5N7P9R2T4W6Y8A0", false},
		{"ULID with a path", "01JD6Q8ZV3/../../../refs/0", false},
		{"10 kB", strings.Repeat("a", 10_000), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := NewCheckpointID(tc.in)
			if (err == nil) != tc.ok {
				t.Fatalf("NewCheckpointID(%.20q) = %v, %v; want ok %v", tc.in, c, err, tc.ok)
			}
			if tc.ok && c.String() != tc.in {
				t.Errorf("String() = %q, want %q", c, tc.in)
			}
			if !tc.ok && !c.IsZero() {
				t.Errorf("an error came with the value %q", c)
			}
			if err != nil {
				checkMessage(t, err)
			}
		})
	}
}

func TestCheckpointIDParts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name              string
		in                CheckpointID
		shard, rest, path string
		empty             bool
	}{
		{"none", CheckpointID{}, "", "", "", true},
		{"some", MustCheckpointID("a3b2c4d5e6f7"), "a3", "b2c4d5e6f7", "a3/b2c4d5e6f7", false},
		{"ULID", MustCheckpointID("01JD6Q8ZV3K5N7P9R2T4W6Y8A0"), "01", "JD6Q8ZV3K5N7P9R2T4W6Y8A0", "01/JD6Q8ZV3K5N7P9R2T4W6Y8A0", false},
	} {
		if tc.in.Shard() != tc.shard || tc.in.Rest() != tc.rest || tc.in.Path() != tc.path {
			t.Errorf("%s: parts %q %q %q", tc.name, tc.in.Shard(), tc.in.Rest(), tc.in.Path())
		}
		if tc.in.IsEmpty() != tc.empty || tc.in.IsZero() != tc.empty {
			t.Errorf("%s: IsEmpty %v, IsZero %v, want %v", tc.name, tc.in.IsEmpty(), tc.in.IsZero(), tc.empty)
		}
	}
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	seen := map[CheckpointID]bool{}
	for range 1000 {
		c, err := Generate()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := NewCheckpointID(c.String()); err != nil || again != c {
			t.Fatalf("generated %q does not parse back: %v", c, err)
		}
		if seen[c] {
			t.Fatalf("%s generated twice in a thousand", c)
		}
		seen[c] = true
	}
}

func TestMustCheckpointIDPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic for an invalid constant")
		}
	}()
	MustCheckpointID("nope")
}

func TestCheckpointIDJSON(t *testing.T) {
	t.Parallel()
	type doc struct {
		ID   CheckpointID `json:"id"`
		Omit CheckpointID `json:"omit,omitzero"`
	}
	for _, tc := range []struct {
		name, in, out string
		ok            bool
	}{
		{"value", `{"id":"a3b2c4d5e6f7"}`, `{"id":"a3b2c4d5e6f7"}`, true},
		{"empty is none", `{"id":""}`, `{"id":""}`, true},
		{"null is none", `{"id":null}`, `{"id":""}`, true},
		{"invalid", `{"id":"../"}`, "", false},
		{"number", `{"id":12}`, "", false},
	} {
		var d doc
		err := json.Unmarshal([]byte(tc.in), &d)
		if (err == nil) != tc.ok {
			t.Errorf("%s: error %v, want ok %v", tc.name, err, tc.ok)
		}
		if err != nil {
			continue
		}
		if out, err := json.Marshal(d); err != nil || string(out) != tc.out {
			t.Errorf("%s: marshalled %s, %v, want %s", tc.name, out, err, tc.out)
		}
	}
}

func FuzzNewCheckpointID(f *testing.F) {
	for _, s := range []string{"", "a3b2c4d5e6f7", "A3B2C4D5E6F7", "../../../etc", "a3b2c4d5e6f\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := NewCheckpointID(s)
		if err != nil {
			checkMessage(t, err)
			return
		}
		if c.String() != s || len(s) != 12 || strings.Trim(s, "0123456789abcdef") != "" {
			t.Fatalf("accepted %q as %q", s, c)
		}
	})
}

func TestGenerateULID(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 10, 1, 10, 0, 0, 0, time.UTC)
	seen := map[CheckpointID]bool{}
	var first string
	for range 1000 {
		c, err := GenerateULID(at)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := NewCheckpointID(c.String()); err != nil || again != c || !c.IsULID() || seen[c] {
			t.Fatalf("generated %q: %v", c, err)
		}
		if seen[c] = true; first == "" {
			first = c.String()[:10]
		}
		if c.String()[:10] != first {
			t.Fatalf("%s and %s have the same time, and begin differently", c, first)
		}
	}
	later, err := GenerateULID(at.Add(time.Millisecond))
	if err != nil || later.String()[:10] <= first {
		t.Errorf("a millisecond later: %s after %s, %v", later, first, err)
	}
	// The example of the description of ULIDs.
	if c, err := GenerateULID(time.UnixMilli(1469918176385)); err != nil || c.String()[:10] != "01ARYZ6S41" {
		t.Errorf("%s, %v; want 01ARYZ6S41…", c, err)
	}
	if MustCheckpointID("a3b2c4d5e6f7").IsULID() || (CheckpointID{}).IsULID() {
		t.Error("a hex ID, or none, is taken for a ULID")
	}
}
