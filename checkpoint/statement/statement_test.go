package statement

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func sample() *Statement {
	return &Statement{Type: Type, PredicateType: PredicateType,
		Subject: []Subject{{Name: "checkpoint", Digest: map[string]string{"gitTree": strings.Repeat("1", 40)}}},
		Predicate: Predicate{Checkpoint: "a1b2c3d4e5f6", Time: time.Date(2026, 2, 9, 12, 0, 0, 0, time.UTC), Files: map[string]string{"0": strings.Repeat("2", 40)},
			Sessions: []Session{{ID: "b"}, {ID: "a"}}, Chain: Chain{Clone: "c1b2c3d4e5f6", Number: 2, Previous: &Link{Number: 1, Checkpoint: "d1b2c3d4e5f6", Digest: "sha256:00"}}}}
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	data, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := back.Encode()
	if err != nil || !bytes.Equal(data, again) {
		t.Fatalf("%v\n%s\n%s", err, data, again)
	}
	if back.Object("checkpoint") != strings.Repeat("1", 40) || back.Object("commit") != "" || back.Predicate.Sessions[0].ID != "a" {
		t.Errorf("%+v", back)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Statement){
		"another type":               func(s *Statement) { s.PredicateType = "x" },
		"no number":                  func(s *Statement) { s.Predicate.Chain.Number = 0 },
		"a first with one before it": func(s *Statement) { s.Predicate.Chain.Number = 1 },
		"none before it":             func(s *Statement) { s.Predicate.Chain.Previous = nil },
		"a jump":                     func(s *Statement) { s.Predicate.Chain.Number = 4 },
		"no clone":                   func(s *Statement) { s.Predicate.Chain.Clone = "../../etc/x1" },
		"no checkpoint":              func(s *Statement) { s.Predicate.Checkpoint = "../x" },
		"no files":                   func(s *Statement) { s.Predicate.Files = nil },
		"no subject":                 func(s *Statement) { s.Subject = nil },
	} {
		s := sample()
		spoil(s)
		data, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(data); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	const clone = "c1b2c3d4e5f6"
	for name, is := range map[string]bool{Name(clone): true, SignatureName(clone): true, "statement-.json": false, "statement-x.json": false, "metadata.json": false, "0": false, "x" + Name(clone): false} {
		if IsFile(name) != is {
			t.Errorf("IsFile(%q) is %v", name, !is)
		}
	}
	if got, ok := CloneOf(Name(clone)); !ok || got != clone {
		t.Errorf("CloneOf: %q %v", got, ok)
	}
}

func FuzzDecode(f *testing.F) {
	data, _ := sample().Encode()
	f.Add(data)
	f.Add([]byte(`{"_type":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		first, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Decode(first); err != nil || again.Link(first) != s.Link(first) {
			t.Fatalf("%v: what was decoded cannot be encoded", err)
		}
	})
}
