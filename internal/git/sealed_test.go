package git

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"filippo.io/age"

	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/seal"
	"entire/internal/testrepo"
	"entire/internal/vault"
)

// TestSealedBlobs seals through the writer, and checks what each way of reading gives.
func TestSealedBlobs(t *testing.T) {
	t.Parallel()
	x, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	r := testrepo.New(t)
	settings := `{"strategy_options":{"encryption":{"recipients":["` + x.Recipient().String() + `"]}}}`
	if err := durable.WriteFile(config.Path(r.Dir, config.Project), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	repo, err := Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	text := []byte(strings.Repeat("what was said\n", 1000))
	oid, err := repo.Sealed("s").Blob(text)
	if err == nil {
		err = repo.Writer().Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	rd := repo.Reader(t.Context())
	if got, err := rd.Blob(oid); err != nil || !bytes.Equal(got, text) {
		t.Errorf("Blob = %d bytes, %v", len(got), err)
	}
	raw, err := rd.RawBlob(oid)
	if err != nil || !seal.Is(raw) || bytes.Contains(raw, []byte("said")) {
		t.Errorf("RawBlob = %.40q, %v", raw, err)
	}
	if shown := r.Git("cat-file", "blob", oid.String()); strings.Contains(shown, "said") {
		t.Error("git shows the text")
	}
	// Another clone has the object and not the key: the reader says so, and gives no sealed bytes as text.
	other := testrepo.New(t)
	elsewhere, err := Discover(t.Context(), other.Dir, other.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	copied, err := elsewhere.Writer().Blob(raw)
	if err == nil {
		err = elsewhere.Writer().Sync()
	}
	if err != nil || copied != oid {
		t.Fatalf("copied as %s, %v", copied, err)
	}
	rd = elsewhere.Reader(t.Context())
	if got, err := rd.Blob(oid); !errors.Is(err, vault.ErrNoKey) || got != nil {
		t.Errorf("without a key: Blob = %.40q, %v", got, err)
	}
	objs, err := rd.Objects(oid.String())
	if err != nil || objs[0].Data != nil || !errors.Is(objs[0].Sealed, vault.ErrNoKey) {
		t.Errorf("without a key: Objects = %v, %v", objs, err)
	}
}

// TestHostileKeys puts a wrapped key of many megabytes, and one that begins as sealed data does, onto the branch.
func TestHostileKeys(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo, err := Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	key, err := seal.NewDataKey()
	if err != nil {
		t.Fatal(err)
	}
	data, err := key.Seal("s", []byte("said"))
	if err != nil {
		t.Fatal(err)
	}
	w := repo.Writer()
	var edits []Edit
	for name, form := range map[string][]byte{"large": make([]byte, 8<<20), "sealed": data, "small": []byte("x")} {
		oid, err := w.Blob(form)
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, Edit{Path: KeysFolder + "/" + key.ID().String() + "/" + name + ".age", Mode: ModeFile, OID: oid})
	}
	tree, err := repo.EditTree(t.Context(), OID{}, edits)
	if err != nil {
		t.Fatal(err)
	}
	commit, err := w.Commit(Commit{Tree: tree, Message: "keys"})
	if err == nil {
		err = repo.UpdateRefs(t.Context(), []RefUpdate{{Name: keyRefs[0], New: commit}})
	}
	if err != nil {
		t.Fatal(err)
	}
	forms, err := repo.keysOn(t.Context(), keyRefs, key.ID())
	if err != nil || len(forms) != 2 || forms["large"] != nil {
		t.Errorf("forms %v, %v", len(forms), err)
	}
	repo.Vault.UseIdentities(vault.NewRing("", t.TempDir(), "", nil))
	if got, err := repo.Reader(t.Context()).Open(data); !errors.Is(err, vault.ErrNoKey) {
		t.Errorf("Open = %q, %v", got, err)
	}
}
