package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"

	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/seal"
)

// clone is a clone with settings, and the keys that its metadata branch has.
type clone struct {
	t         *testing.T
	common    string
	top       string
	now       time.Time
	published map[seal.KeyID]map[string][]byte
}

func newClone(t *testing.T) *clone {
	dir := t.TempDir()
	c := &clone{t: t, common: filepath.Join(dir, ".git"), top: dir, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	c.published = map[seal.KeyID]map[string][]byte{}
	return c
}

func (c *clone) ok(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// settings writes the project's file.
func (c *clone) settings(text string) {
	c.t.Helper()
	c.ok(durable.WriteFile(config.Path(c.top, config.Project), []byte(text), 0o600))
}

func (c *clone) to(generation string, keys ...string) {
	c.settings(`{"strategy_options":{"encryption":{"recipients":["` + strings.Join(keys, `","`) + `"],"generation":` + generation + `}}}`)
}

// open returns the vault as a new process has it.
func (c *clone) open() *Vault {
	v := New(c.common, c.top, func(_ context.Context, id seal.KeyID) (map[string][]byte, error) { return c.published[id], nil })
	v.Now = func() time.Time { return c.now }
	return v
}

// seal seals a text in a new process, and returns it with the ID of the key.
func (c *clone) seal(text string) ([]byte, seal.KeyID) {
	c.t.Helper()
	data, err := c.open().Seal("s", []byte(text))
	c.ok(err)
	id, err := seal.KeyOf(data)
	c.ok(err)
	return data, id
}

// publish puts the clone's keys onto the metadata branch.
func (c *clone) publish() {
	c.t.Helper()
	files, err := c.open().Publish(func(id seal.KeyID) bool { return c.published[id] != nil })
	c.ok(err)
	for name, form := range files {
		folder, file, _ := strings.Cut(name, "/")
		id, ok := seal.ParseKeyID(folder)
		if !ok {
			c.t.Fatalf("published %s", name)
		}
		if c.published[id] == nil {
			c.published[id] = map[string][]byte{}
		}
		c.published[id][strings.TrimSuffix(file, ".age")] = form
	}
}

// holder makes a key pair: the public key, and a ring with the private one.
func holder(t *testing.T) (public string, ring func() *Ring) {
	t.Helper()
	x, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "identity")
	if err := os.WriteFile(file, []byte(x.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return x.Recipient().String(), func() *Ring { return NewRing("", "", file, nil) }
}

// TestNotSealing checks that nothing changes, and nothing is written, without recipients.
func TestNotSealing(t *testing.T) {
	c := newClone(t)
	for _, text := range []string{"", `{}`, `{"strategy_options":{"encryption":{"enabled":false,"recipients":["age1x"]}}}`, `{"strategy_options":{"encryption":null}}`} {
		if text != "" {
			c.settings(text)
		}
		data, err := c.open().Seal("s", []byte("said"))
		if err != nil || string(data) != "said" {
			t.Errorf("%s: Seal = %q, %v", text, data, err)
		}
		if files, err := c.open().Publish(func(seal.KeyID) bool { return false }); err != nil || len(files) > 0 {
			t.Errorf("%s: published %v, %v", text, files, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(c.common, "entire")); err == nil {
		t.Error("the vault's folder was made")
	}
}

// TestWrongSettings checks that nothing is stored in clear where somebody wanted it sealed.
func TestWrongSettings(t *testing.T) {
	good, _ := holder(t)
	for _, option := range []string{`{"recipients":["age1broken"]}`, `{"recipients":[]}`, `{}`, `{"recipients":"` + good + `"}`, `{"recipients":[1]}`,
		`{"recipients":["` + good + `"],"enabled":"yes"}`, `{"recipients":["` + good + `"],"metadata":"all"}`, `{"generation":-1}`, `true`, `"on"`, `[]`} {
		c := newClone(t)
		c.settings(`{"strategy_options":{"encryption":` + option + `}}`)
		data, err := c.open().Seal("s", []byte("said"))
		if err == nil || data != nil {
			t.Errorf("%s: Seal = %q, %v", option, data, err)
		}
		if _, err := c.open().Publish(func(seal.KeyID) bool { return false }); err == nil {
			t.Errorf("%s: published", option)
		}
	}
}

// TestRemembers checks that a clone goes on sealing where the settings are gone or broken, and stops where
// they say so.
func TestRemembers(t *testing.T) {
	c := newClone(t)
	key, _ := holder(t)
	c.to("0", key)
	_, first := c.seal("said")
	c.ok(os.Remove(config.Path(c.top, config.Project)))
	if _, id := c.seal("said"); id != first {
		t.Error("without settings there is another key")
	}
	c.settings(`{"enabled":true}`)
	if _, id := c.seal("said"); id != first {
		t.Error("without the option there is another key")
	}
	c.settings(`not JSON`)
	if data, err := c.open().Seal("s", []byte("said")); err == nil {
		t.Errorf("settings that cannot be read: Seal = %q", data)
	}
	c.settings(`{"strategy_options":{"encryption":{"enabled":false}}}`)
	if data, err := c.open().Seal("s", []byte("said")); err != nil || string(data) != "said" {
		t.Errorf("switched off: Seal = %q, %v", data, err)
	}
}

// TestNewKeys checks when a new data key begins.
func TestNewKeys(t *testing.T) {
	c := newClone(t)
	alice, _ := holder(t)
	bob, _ := holder(t)
	seen := map[seal.KeyID]string{}
	fresh := func(why string) {
		t.Helper()
		_, id := c.seal("said")
		if seen[id] != "" {
			t.Errorf("%s: the key of %q is used again", why, seen[id])
		}
		seen[id] = why
		if _, again := c.seal("more"); again != id {
			t.Errorf("%s: the key changes with every process", why)
		}
	}
	c.to("0", alice)
	fresh("first")
	c.to("0", alice+" alice")
	fresh("named")
	c.to("0", alice, bob)
	fresh("bob added")
	c.to("1", alice)
	fresh("bob removed")
	c.to("2", alice)
	fresh("another removal")
	c.now = c.now.Add((keyDays + 1) * 24 * time.Hour)
	fresh("a month later")
}

// TestOpens checks who opens what.
func TestOpens(t *testing.T) {
	c := newClone(t)
	alice, alices := holder(t)
	bob, bobs := holder(t)
	_, carols := holder(t)
	c.to("0", alice)
	first, _ := c.seal("for alice")
	c.publish()
	c.to("0", alice, bob)
	second, _ := c.seal("for both")
	c.publish()
	c.to("1", alice)
	third, _ := c.seal("for alice again")
	c.publish()

	elsewhere := newClone(t)
	elsewhere.published = c.published
	for _, reader := range []struct {
		name  string
		ring  *Ring
		opens map[string][]byte
		not   map[string][]byte
	}{
		{"alice", alices(), map[string][]byte{"for alice": first, "for both": second, "for alice again": third}, nil},
		{"bob", bobs(), map[string][]byte{"for both": second}, map[string][]byte{"for alice": first, "for alice again": third}},
		{"carol", carols(), nil, map[string][]byte{"for alice": first, "for both": second}},
		{"a hook", nil, nil, map[string][]byte{"for alice": first}},
	} {
		v := elsewhere.open()
		if reader.ring != nil {
			v.UseIdentities(reader.ring)
		}
		for text, data := range reader.opens {
			if got, err := v.Open(t.Context(), data); err != nil || string(got) != text {
				t.Errorf("%s: %q, %v; want %q", reader.name, got, err, text)
			}
		}
		for text, data := range reader.not {
			got, err := v.Open(t.Context(), data)
			var sealed *SealedError
			if !errors.Is(err, ErrNoKey) || !errors.As(err, &sealed) {
				t.Errorf("%s opened %q: %q, %v", reader.name, text, got, err)
			}
		}
	}
	if got, err := c.open().Open(t.Context(), first); err != nil || string(got) != "for alice" {
		t.Errorf("the clone itself: %q, %v", got, err)
	}
	bad := append([]byte(nil), third...)
	bad[len(bad)-1] ^= 1
	if _, err := c.open().Open(t.Context(), bad); !errors.Is(err, seal.ErrTampered) {
		t.Errorf("tampered: %v", err)
	}
	if got, err := c.open().Open(t.Context(), []byte("in clear")); err != nil || string(got) != "in clear" {
		t.Errorf("data in clear: %q, %v", got, err)
	}
}

// TestKeyComesLater opens, in a program that stays open, with a key that is fetched only later.
func TestKeyComesLater(t *testing.T) {
	c, here := newClone(t), newClone(t)
	alice, alices := holder(t)
	c.to("0", alice)
	data, _ := c.seal("said")
	v := here.open()
	v.UseIdentities(alices())
	if got, err := v.Open(t.Context(), data); err == nil {
		t.Fatalf("opened without the key: %q", got)
	}
	c.publish()
	here.published = c.published
	v.wrapped = here.open().wrapped
	here.now = here.now.Add(failureStays)
	if got, err := v.Open(t.Context(), data); err != nil || string(got) != "said" {
		t.Errorf("after a fetch: %q, %v", got, err)
	}
}

// TestLostSecret checks that whatever a crash or a person leaves of the folder, nothing is sealed to a key that
// only the clone has.
func TestLostSecret(t *testing.T) {
	c := newClone(t)
	alice, alices := holder(t)
	c.to("0", alice)
	data, id := c.seal("said")
	c.ok(os.Remove(filepath.Join(c.common, "entire", "seal", id.String(), secretName)))
	if _, again := c.seal("said"); again == id {
		t.Fatal("the lost key is used")
	}
	v := c.open()
	v.UseIdentities(alices())
	if got, err := v.Open(t.Context(), data); err != nil || string(got) != "said" {
		t.Errorf("by the wrapped form: %q, %v", got, err)
	}
	c.ok(os.WriteFile(filepath.Join(c.common, "entire", "seal", stateName), []byte("{"), 0o600))
	c.seal("said") // a state that is damaged is made again
}

// TestTogether starts many at once, who shall agree on one key.
func TestTogether(t *testing.T) {
	c := newClone(t)
	alice, _ := holder(t)
	c.to("0", alice)
	var all sync.Map
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			data, err := c.open().Seal("s", []byte("said"))
			if err != nil {
				t.Error(err)
				return
			}
			all.Store(string(data), true)
		})
	}
	wait.Wait()
	n := 0
	all.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("one text was sealed in %d ways", n)
	}
}

// TestOldSecrets checks that keys in clear go when they are old, unless a session's state needs them.
func TestOldSecrets(t *testing.T) {
	c := newClone(t)
	alice, _ := holder(t)
	c.to("0", alice)
	state, needed := c.seal("a session's state")
	c.ok(durable.WriteFile(filepath.Join(c.common, "entire", "sessions", "s", "engine.json"), state, 0o600))
	c.to("1", alice)
	_, old := c.seal("said")
	c.now = time.Now().Add((keyDays + keepDays + 1) * 24 * time.Hour)
	c.to("2", alice)
	_, present := c.seal("said")
	for id, stays := range map[seal.KeyID]bool{needed: true, old: false, present: true} {
		if _, err := os.Lstat(filepath.Join(c.common, "entire", "seal", id.String(), secretName)); (err == nil) != stays {
			t.Errorf("key %s stays: %v, want %v", id, err == nil, stays)
		}
		if fi, err := os.Lstat(filepath.Join(c.common, "entire", "seal", id.String())); err != nil || !fi.IsDir() {
			t.Errorf("the wrapped forms of %s are gone: %v", id, err)
		}
	}
}
