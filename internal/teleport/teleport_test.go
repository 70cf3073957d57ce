package teleport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"entire/internal/archive"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// key is one that costs nothing to make.
var key = Key{ID: strings.Repeat("ab", 16), passphrase: strings.Repeat("cd", 32)}

func TestWords(t *testing.T) {
	t.Parallel()
	list := words()
	if len(list) != 2048 || !slices.IsSorted(list) {
		t.Fatalf("%d words, sorted: %v", len(list), slices.IsSorted(list))
	}
	begins := map[string]string{}
	for _, w := range list {
		if len(w) < 3 || len(w) > 9 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("%q is hard to say or to type", w)
		}
		four := w[:min(4, len(w))]
		if other := begins[four]; other != "" {
			t.Errorf("%s and %s begin alike", w, other)
		}
		begins[four] = w
	}
}

func TestNewCode(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for range 3000 {
		c := NewCode()
		again, read, err := ParseCode(c.String())
		if err != nil || again != c || read != nil {
			t.Fatalf("%s reads as %s, %v, %v", c, again, read, err)
		}
		for _, w := range c {
			seen[w]++
		}
	}
	// 18,000 draws of 2048: each about 9 times.
	for w, n := range seen {
		if n > 40 {
			t.Errorf("%s came %d times", w, n)
		}
	}
	if len(seen) < 2000 {
		t.Errorf("only %d words come", len(seen))
	}
}

func TestParseCode(t *testing.T) {
	t.Parallel()
	const code = "hammer-velvet-tiger-candle-maple-orbit"
	for _, c := range []struct{ name, typed, want, read, err string }{
		{"as it is shown", code, code, "", ""},
		{"in capitals, with spaces", "HAMMER Velvet  tiger candle maple orbit\n", code, "", ""},
		{"both", "hammer - velvet, tiger.candle/maple_orbit", code, "", ""},
		{"beginnings", "hamm velv tige cand mapl orbi", code, "hammer for hamm", ""},
		{"a letter too few", "hammr-velvet-tiger-candle-maple-orbit", code, "hammer for hammr", ""},
		{"a letter too many", "hammer-velvett-tiger-candle-maple-orbit", code, "velvet for velvett", ""},
		{"another letter", "hammer-velvet-tiger-condle-maple-orbit", code, "candle for condle", ""},
		{"letters swapped", "hammer-velvet-tiger-candle-mapel-orbit", code, "maple for mapel", ""},
		{"two that may be meant", "hammer-velvet-tiger-candle-maple-otter", "", "", "may be"},
		{"no word", "hammer-velvet-tiger-candle-maple-qqqqq", "", "", "word 6"},
		{"too few", "hammer-velvet-tiger-candle-maple", "", "", "5 words"},
		{"too many", code + "-orbit", "", "", "7 words"},
		{"nothing", "", "", "", "0 words"},
		{"too short a beginning", "ha-velvet-tiger-candle-maple-orbit", "", "", "word 1"},
	} {
		got, read, err := ParseCode(c.typed)
		if c.err != "" {
			if !errors.Is(err, errNoCode) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || got.String() != c.want || c.read != "" && !slices.Contains(read, c.read) || c.read == "" && read != nil {
			t.Errorf("%s: %s, read %q, %v", c.name, got, read, err)
		}
	}
}

// TestKey checks that one code always makes the same keys, that another makes others,
// and that nothing of the one key is in the other. The vector is part of the format.
func TestKey(t *testing.T) {
	t.Parallel()
	c, _, err := ParseCode("hammer-velvet-tiger-candle-maple-orbit")
	if err != nil {
		t.Fatal(err)
	}
	k, err := c.Key()
	if err != nil {
		t.Fatal(err)
	}
	if len(k.ID) != 32 || len(k.passphrase) != 64 || strings.Contains(k.passphrase, k.ID) {
		t.Errorf("%+v", k)
	}
	if k.ID != vectorID {
		t.Errorf("the ID is %s, was %s", k.ID, vectorID)
	}
	c[5] = "orange"
	other, err := c.Key()
	if err != nil || other.ID == k.ID || other.passphrase == k.passphrase {
		t.Errorf("another code makes the same keys, %v", err)
	}
}

func sealed(t testing.TB, k Key, h Head, entries ...archive.Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	s, err := NewSealer(&out, k, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		content := ""
		if c, found := strings.CutPrefix(e.Name, "\n"); found { // name and content
			e.Name, content, _ = strings.Cut(c, "\n")
		}
		if err := s.AddBytes(e, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func file(name string) archive.Entry {
	return archive.Entry{Kind: KindFile, Name: "\n" + name + "\n{}"}
}

func goodHead() Head {
	return Head{Made: noon, Expires: noon.Add(time.Hour), Session: "s1", From: Place{"/home/a", "/home/a/app"}}
}

func withRepo(change func(*Repository)) Head {
	h := goodHead()
	oid := strings.Repeat("1", 40)
	h.Repo = &Repository{Format: "sha1", Branch: "main", Head: oid, Tip: oid, Needs: []string{oid}}
	change(h.Repo)
	return h
}

func TestRead(t *testing.T) {
	t.Parallel()
	data := sealed(t, key, withRepo(func(*Repository) {}), file("metadata.json"), file("messages.jsonl"), file("agents/a.jsonl"),
		archive.Entry{Kind: KindState}, archive.Entry{Kind: KindPack, Name: "\n\nPACK"})
	var seen []string
	h, err := Read(bytes.NewReader(data), key, noon, func(_ *Head, e archive.Entry, content io.Reader) error {
		text, err := io.ReadAll(content)
		seen = append(seen, e.Kind+" "+e.Name+" "+string(text))
		return err
	})
	if err != nil || h.Session != "s1" || h.ID != key.ID || h.Repo.Branch != "main" {
		t.Fatalf("%+v, %v", h, err)
	}
	want := []string{"file metadata.json {}", "file messages.jsonl {}", "file agents/a.jsonl {}", "state  ", "pack  PACK"}
	if !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
	for _, secret := range []string{"metadata", "PACK", "messages.jsonl", "/home/a"} {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%q can be read in what is sealed", secret)
		}
	}
}

// TestReadRefuses hands over what nobody would send: a named row each.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	meta := file("metadata.json")
	plainHead := goodHead()
	head := func(change func(*Head)) Head {
		h := goodHead()
		change(&h)
		return h
	}
	good := sealed(t, key, plainHead, meta)
	flip := func(at int) []byte {
		b := bytes.Clone(good)
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 1
		return b
	}
	other := Key{ID: key.ID, passphrase: strings.Repeat("ef", 32)}
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"nothing", nil, ErrTampered},
		{"not sealed", []byte("plain text"), ErrTampered},
		{"another code", sealed(t, other, plainHead, meta), ErrWrongCode},
		{"sealed by other means", sealedTo(t, recipient(t)), ErrWrongCode},
		{"sealed so that it takes hours to open", sealedTo(t, slow(t)), ErrTampered},
		{"a flipped bit in the beginning", flip(5), ErrTampered},
		{"a flipped bit in the salt", flip(30), ErrWrongCode},
		{"a flipped bit in the middle", flip(len(good) / 2), ErrTampered},
		{"a flipped bit in the end", flip(-1), ErrTampered},
		{"cut in the beginning", good[:20], ErrTampered},
		{"cut in the middle", good[:len(good)/2], ErrTampered},
		{"cut by a byte", good[:len(good)-1], ErrTampered},
		{"something behind it", append(bytes.Clone(good), "more"...), ErrTampered},
		{"two of them", append(bytes.Clone(good), good...), ErrTampered},
		{"no archive", sealedText(t, "just text"), errNotBundle},
		{"an empty archive", sealedArchive(t), errNotBundle},
		{"another archive", sealedArchive(t, archive.Entry{Kind: "sessions", Name: "x"}), errNotBundle},
		{"an archive that is cut off, sealed again", sealedText(t, archive.Magic+"rest"), ErrTampered},
		{"expired", sealed(t, key, head(func(h *Head) { h.Made, h.Expires = noon.Add(-3*time.Hour), noon.Add(-time.Hour) }), meta), ErrExpired},
		{"never expires", sealed(t, key, head(func(h *Head) { h.Expires = noon.AddDate(9, 0, 0) }), meta), ErrRefused},
		{"under another's name", sealedArchive(t, headEntry(t, head(func(h *Head) { h.ID = "x" })), meta), ErrRefused},
		{"a newer version", sealedArchive(t, headEntry(t, head(func(h *Head) { h.Version, h.ID = 2, key.ID })), meta), archive.ErrNewer},
		{"a head that is none", sealedArchive(t, archive.Entry{Kind: kindHead, Name: "\n\n["}), ErrRefused},
		{"a session that leads out", sealed(t, key, head(func(h *Head) { h.Session = "../../x" }), meta), ErrRefused},
		{"a session without a name", sealed(t, key, head(func(h *Head) { h.Session = "" }), meta), ErrRefused},
		{"an endless title", sealed(t, key, head(func(h *Head) { h.Title = strings.Repeat("x", 5000) }), meta), ErrRefused},
		{"no metadata", sealed(t, key, plainHead, file("messages.jsonl")), ErrRefused},
		{"an unknown kind", sealed(t, key, plainHead, meta, archive.Entry{Kind: "run"}), archive.ErrNewer},
		{"a file that leads out", sealed(t, key, plainHead, meta, file("../../.bashrc")), ErrRefused},
		{"a file that leads out from below", sealed(t, key, plainHead, meta, file("agents/../../x")), ErrRefused},
		{"an absolute file", sealed(t, key, plainHead, meta, file("/etc/passwd")), ErrRefused},
		{"a drive", sealed(t, key, plainHead, meta, file(`C:\x`)), ErrRefused},
		{"a file in .git", sealed(t, key, plainHead, meta, file(".git/hooks/pre-commit")), ErrRefused},
		{"a device", sealed(t, key, plainHead, meta, file("agents/nul.jsonl")), ErrRefused},
		{"a lock", sealed(t, key, plainHead, meta, file("lock")), ErrRefused},
		{"a feed's position", sealed(t, key, plainHead, meta, file("feed.jsonl")), ErrRefused},
		{"a fork's list", sealed(t, key, plainHead, meta, file("base.json")), ErrRefused},
		{"a file that nobody carries", sealed(t, key, plainHead, meta, file("program.exe")), ErrRefused},
		{"a file twice", sealed(t, key, plainHead, meta, meta), ErrRefused},
		{"a file twice but for its case", sealed(t, key, plainHead, meta, file("agents/a.jsonl"), file("agents/A.jsonl")), ErrRefused},
		{"a file above a file", sealed(t, key, plainHead, meta, file("agents/a/b"), file("agents/a")), ErrRefused},
		{"a file below a file", sealed(t, key, plainHead, meta, file("agents/a"), file("agents/a/b")), ErrRefused},
		{"a state without a repository", sealed(t, key, plainHead, meta, archive.Entry{Kind: KindState}), ErrRefused},
		{"a pack without a repository", sealed(t, key, plainHead, meta, archive.Entry{Kind: KindPack}), ErrRefused},
		{"two packs", sealed(t, key, withRepo(func(*Repository) {}), meta, archive.Entry{Kind: KindPack}, archive.Entry{Kind: KindPack}), ErrRefused},
		{"a file after the pack", sealed(t, key, withRepo(func(*Repository) {}), meta, archive.Entry{Kind: KindPack}, file("messages.jsonl")), ErrRefused},
		{"no pack", sealed(t, key, withRepo(func(*Repository) {}), meta), ErrRefused},
		{"an object that is an option", sealed(t, key, withRepo(func(r *Repository) { r.Tip = "--upload-pack=x" }), meta), ErrRefused},
		{"objects of no format", sealed(t, key, withRepo(func(r *Repository) { r.Format = "md5" }), meta), ErrRefused},
		{"a branch that is an option", sealed(t, key, withRepo(func(r *Repository) { r.Branch = "--all" }), meta), ErrRefused},
		{"a branch that leads out", sealed(t, key, withRepo(func(r *Repository) { r.Branch = "a/../../b" }), meta), ErrRefused},
		{"a branch with a line", sealed(t, key, withRepo(func(r *Repository) { r.Branch = "a\nb" }), meta), ErrRefused},
		{"thousands of commits needed", sealed(t, key, withRepo(func(r *Repository) { r.Needs = make([]string, maxNeeds+1) }), meta), ErrRefused},
		{"a worktree that is not there", sealed(t, key, withRepo(func(r *Repository) { r.Tip, r.Worktree = "", true }), meta), ErrRefused},
	} {
		if _, err := Read(bytes.NewReader(c.data), key, noon, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := Read(bytes.NewReader(good), key, noon, nil); err != nil {
		t.Errorf("what the others are made of is refused, too: %v", err)
	}
}

func headEntry(t *testing.T, h Head) archive.Entry {
	if h.Version == 0 {
		h.Version = 1
	}
	data, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Entry{Kind: kindHead, Name: "\n\n" + string(data)}
}

func sealedText(t *testing.T, text string) []byte {
	var out bytes.Buffer
	w, err := key.seal(&out)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func sealedArchive(t *testing.T, entries ...archive.Entry) []byte {
	var plain bytes.Buffer
	w, err := archive.NewWriter(&plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		content := ""
		if c, found := strings.CutPrefix(e.Name, "\n"); found {
			e.Name, content, _ = strings.Cut(c, "\n")
		}
		if err := w.AddBytes(e, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return sealedText(t, plain.String())
}

func recipient(t *testing.T) age.Recipient {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id.Recipient()
}

// slow is the right passphrase with more rounds than anybody is made to work off. To
// seal so costs what it costs to open: the number is written over afterwards.
func slow(t *testing.T) age.Recipient {
	r, err := age.NewScryptRecipient(key.passphrase)
	if err != nil {
		t.Fatal(err)
	}
	r.SetWorkFactor(10)
	return r
}

func sealedTo(t *testing.T, to age.Recipient) []byte {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, "x")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(out.Bytes(), []byte(" 10\n"), []byte(" 30\n"), 1)
}

func FuzzRead(f *testing.F) {
	f.Add(sealed(f, key, goodHead(), file("metadata.json")))
	f.Fuzz(func(t *testing.T, data []byte) {
		Read(bytes.NewReader(data), key, noon, func(_ *Head, _ archive.Entry, content io.Reader) error {
			_, err := io.Copy(io.Discard, content)
			return err
		})
	})
}

func FuzzParseCode(f *testing.F) {
	f.Add("hammer-velvet-tiger-candle-maple-orbit")
	f.Add("hamm velv tige cand mapl orbi")
	f.Fuzz(func(t *testing.T, text string) {
		c, _, err := ParseCode(text)
		if err != nil {
			return
		}
		if again, read, err := ParseCode(c.String()); err != nil || again != c || read != nil {
			t.Errorf("%q is %s, which is %s", text, c, again)
		}
	})
}

// vectorID is the name that the code of TestKey makes.
const vectorID = "8477db70edccd66abeeeb8b6872096e4"
