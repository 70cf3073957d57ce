package seal

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"golang.org/x/crypto/ssh"
)

// holder is somebody with a key pair.
type holder struct {
	public  string
	private []byte
	ask     func() (string, error)
}

// holders returns one of each kind of key.
func holders(t testing.TB) map[string]holder {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]holder{}
	x, err := age.GenerateX25519Identity()
	ok(err)
	all["age"] = holder{public: x.Recipient().String(), private: []byte("# a comment\n" + x.String() + "\n")}
	var protected bytes.Buffer
	by, err := age.NewScryptRecipient("open sesame")
	ok(err)
	by.SetWorkFactor(10)
	text := armor.NewWriter(&protected)
	w, err := age.Encrypt(text, by)
	ok(err)
	_, err = w.Write([]byte(x.String() + "\n"))
	ok(errors.Join(err, w.Close(), text.Close()))
	secret := func() (string, error) { return "open sesame", nil }
	all["age, protected"] = holder{x.Recipient().String(), protected.Bytes(), secret}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	ok(err)
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	ok(err)
	for name, key := range map[string]any{"ssh-ed25519": ed, "ssh-rsa": long} {
		signer, err := ssh.NewSignerFromKey(key)
		ok(err)
		public := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))) + " some body"
		block, err := ssh.MarshalPrivateKey(key, "some body")
		ok(err)
		all[name] = holder{public: public, private: pem.EncodeToMemory(block)}
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "some body", []byte("open sesame"))
		ok(err)
		all[name+", protected"] = holder{public, pem.EncodeToMemory(block), secret}
	}
	return all
}

// TestWrap wraps a data key to every kind of recipient, and lets only its holder unwrap it.
func TestWrap(t *testing.T) {
	k := newKey(t)
	all := holders(t)
	for name, h := range all {
		to, err := ParseRecipient(h.public)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		form, err := k.Wrap(to)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ids, err := ParseIdentities(h.private, h.ask)
		if err != nil || len(ids) != 1 || ids[0].RecipientID() != to.ID() {
			t.Fatalf("%s: identities %v, %v; want that of %s", name, ids, err, to.ID())
		}
		got, err := Unwrap(k.ID(), form, ids[0])
		if err != nil || got.Secret() != k.Secret() {
			t.Errorf("%s: Unwrap = %v, %v", name, got, err)
		}
		for other, o := range all {
			if o.public == h.public {
				continue
			}
			ids, err := ParseIdentities(o.private, o.ask)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Unwrap(k.ID(), form, ids[0]); !errors.Is(err, ErrNoIdentity) {
				t.Errorf("%s opened the key of %s: %v", other, name, err)
			}
		}
		if _, err := Unwrap(newKey(t).ID(), form, ids[0]); !errors.Is(err, ErrTampered) {
			t.Errorf("%s: a key under the name of another: %v", name, err)
		}
		for _, bad := range [][]byte{nil, form[:len(form)/2], bytes.Replace(form, []byte("\n"), []byte("\nAAAA"), 1), make([]byte, maxWrapped+1)} {
			if _, err := Unwrap(k.ID(), bad, ids[0]); !errors.Is(err, ErrTampered) {
				t.Errorf("%s: damaged form: %v", name, err)
			}
		}
	}
}

// TestProtected checks what happens without an answer, and with a wrong one.
func TestProtected(t *testing.T) {
	k := newKey(t)
	for name, h := range holders(t) {
		if h.ask == nil {
			continue
		}
		to, _ := ParseRecipient(h.public)
		form, err := k.Wrap(to)
		if err != nil {
			t.Fatal(err)
		}
		unwrap := func(ask func() (string, error)) error {
			ids, err := ParseIdentities(h.private, ask)
			if err == nil {
				_, err = Unwrap(k.ID(), form, ids[0])
			}
			return err
		}
		if err := unwrap(nil); !errors.Is(err, ErrNeedsPassphrase) {
			t.Errorf("%s: nobody to ask: %v", name, err)
		}
		if err := unwrap(func() (string, error) { return "guess", nil }); err == nil || errors.Is(err, ErrTampered) {
			t.Errorf("%s: %v: a wrong passphrase opened it, or is called damage", name, err)
		}
	}
}

// TestParseRecipient lists what is no public key.
func TestParseRecipient(t *testing.T) {
	for _, bad := range []string{"", "  ", "age1", "age1xyz", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-dss AAAA", "alice", "AGE-SECRET-KEY-1QQQQ", "ecdsa-sha2-nistp256 AAAA"} {
		if r, err := ParseRecipient(bad); err == nil {
			t.Errorf("ParseRecipient(%q) = %v", bad, r)
		}
	}
	all := holders(t)
	r, err := ParseRecipient("  " + all["ssh-ed25519"].public + "  ")
	if err != nil || r.Name() != "some body" || !strings.HasSuffix(all["ssh-ed25519"].public, r.String()+" some body") {
		t.Errorf("recipient %q of %q, %v", r, r.Name(), err)
	}
}

// FuzzUnwrap reads hostile wrapped keys and identity files.
func FuzzUnwrap(f *testing.F) {
	k := newKey(f)
	x, err := age.GenerateX25519Identity()
	if err != nil {
		f.Fatal(err)
	}
	to, err := ParseRecipient(x.Recipient().String())
	if err != nil {
		f.Fatal(err)
	}
	form, err := k.Wrap(to)
	if err != nil {
		f.Fatal(err)
	}
	by := Identity{age: x, id: to.ID()}
	f.Add(form)
	f.Add([]byte(x.String()))
	f.Add([]byte("-----BEGIN OPENSSH PRIVATE KEY-----\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := Unwrap(k.ID(), data, by); err == nil && got.ID() != k.ID() {
			t.Fatal("another key was unwrapped")
		}
		_, _ = ParseIdentities(data, nil)
		_, _ = ParseRecipient(string(data))
	})
}
