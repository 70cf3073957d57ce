package git

import (
	"context"
	"strings"

	"entire/internal/bodies"
	"entire/internal/seal"
	"entire/internal/vault"
)

// KeysFolder is the folder of the metadata branch that has the wrapped data keys:
// keys/<key ID>/<recipient ID>.age.
const KeysFolder = "keys"

// keyRefs are the branches that may have a data key, in the order in which they are asked.
var keyRefs = []string{"refs/heads/entire/checkpoints/v1", "refs/remotes/origin/entire/checkpoints/v1"}

// Limits of what is read of one data key: anybody who can write to the branch may have put it there.
const (
	maxForms = 1000     // wrapped forms
	maxForm  = 16 << 10 // bytes of one
)

// withVault gives the repository its vault and its bodies.
func withVault(r *Repo) *Repo {
	settings := r.Top
	if settings == "" {
		settings = r.CommonDir
	}
	r.Vault = vault.New(r.CommonDir, settings, r.wrappedKeys)
	r.Opener = r.Vault.Open
	r.Bodies = bodies.New(r.CommonDir, settings)
	r.Bodies.Open = r.Vault.Open
	r.BodyReader = bodyReader{r.Bodies}
	return r
}

// wrappedKeys returns the wrapped forms of a data key on the metadata branches. The vault calls it between two
// reads of the Reader, never during one.
func (r *Repo) wrappedKeys(ctx context.Context, id seal.KeyID) (map[string][]byte, error) {
	return r.keysOn(ctx, keyRefs, id)
}

// keysOn joins the wrapped forms of a data key on several refs, by their recipients' IDs.
func (r *Repo) keysOn(ctx context.Context, refs []string, id seal.KeyID) (map[string][]byte, error) {
	rd := r.Reader(ctx)
	forms := map[string][]byte{}
	for _, ref := range refs {
		objs, err := rd.Raw(ref + ":" + KeysFolder + "/" + id.String())
		if err != nil {
			return nil, err
		}
		if objs[0].Type != "tree" {
			continue
		}
		entries, err := ParseTree(objs[0].Data, r.HashLen())
		if err != nil {
			return nil, err
		}
		var names, oids []string
		for _, e := range entries[:min(len(entries), maxForms)] {
			name, ok := strings.CutSuffix(e.Name, ".age")
			if ok && e.Mode == ModeFile && forms[name] == nil {
				names, oids = append(names, name), append(oids, e.OID.String())
			}
		}
		if objs, err = rd.RawSmall(maxForm, oids...); err != nil {
			return nil, err
		}
		for i, o := range objs {
			if o.Type == "blob" && !o.Large {
				forms[names[i]] = o.Data
			}
		}
	}
	return forms, nil
}

// HasKeys reports whether a metadata branch here has data keys, so that something on it is sealed.
func (r *Repo) HasKeys(ctx context.Context) bool {
	for _, ref := range keyRefs {
		if objs, err := r.Reader(ctx).Raw(ref + ":" + KeysFolder); err == nil && objs[0].Type == "tree" {
			return true
		}
	}
	return false
}

// SealedWriter stores blobs of one stream, sealed where the repository seals.
type SealedWriter struct {
	w      *Writer
	vault  *vault.Vault
	stream string
}

// Sealed returns a writer for what is stored of a conversation. stream names the session, or what else the
// texts belong to.
func (r *Repo) Sealed(stream string) *SealedWriter {
	return &SealedWriter{r.Writer(), r.Vault, stream}
}

// Blob stores text as a blob, sealed where the repository seals.
func (s *SealedWriter) Blob(text []byte) (OID, error) {
	data, err := s.vault.Seal(s.stream, text)
	if err != nil {
		return OID{}, err
	}
	return s.w.Blob(data)
}
