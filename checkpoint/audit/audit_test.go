package audit_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"entire/checkpoint/audit"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/merge"
	"entire/checkpoint/metadata"
	"entire/checkpoint/statement"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// key is somebody's key.
type key struct{ signer ssh.Signer }

func newKey(t testing.TB, seed byte) key {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	return key{signer}
}

func (k key) sign(_ context.Context, namespace string, text []byte) (string, error) {
	sig, err := sshsig.Sign(bytes.NewReader(text), k.signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return "", err
	}
	return string(sshsig.Armor(sig)), nil
}

// allowed is the line of a file of allowed signers.
func (k key) allowed(who string) string {
	return who + " " + string(ssh.MarshalAuthorizedKey(k.signer.PublicKey()))
}

// lab is a clone that states what it writes.
type lab struct {
	t    testing.TB
	repo *git.Repo
	st   *metadata.Stating
	n    int
}

const cloneA, cloneB = "aaaaaaaaaaaa", "bbbbbbbbbbbb"

func newLab(t testing.TB, clone string, k *key) *lab {
	l := &lab{t: t, repo: checkpointtest.Open(t, testrepo.New(t))}
	l.st = &metadata.Stating{Clone: clone, Now: func() time.Time { return checkpointtest.Noon }, Failed: func(err error) { t.Error(err) }}
	if k != nil {
		l.st.Sign = k.sign
	}
	return l
}

// write stores a checkpoint for a commit that is named after it.
func (l *lab) write(cp string, more ...string) {
	l.t.Helper()
	rec := checkpointtest.Record(id.MustCheckpointID(cp), checkpointtest.SessionRecord(l.t, l.repo, "s"+cp[:2]+strings.Join(more, ""), `{"n":"`+cp+strings.Join(more, "")+`"}`+"\n"))
	l.n++
	rec.Commit, rec.CommitTree = git.MustOID(fmt.Sprintf("%040x", l.n)), git.MustOID(fmt.Sprintf("%040x", 1000+l.n))
	rec.Committer, rec.Stating = git.Signature{Name: "Ann", Email: "ann@x"}, l.st
	checkpointtest.Write(l.t, l.repo, rec)
}

func (l *lab) verify(o audit.Options) *audit.Result {
	l.t.Helper()
	_, tip, err := metadata.Tip(l.t.Context(), l.repo)
	if err != nil {
		l.t.Fatal(err)
	}
	r, err := audit.Verify(l.t.Context(), l.repo, tip, o)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// wants fails unless there is just one finding, of this kind, about this checkpoint.
func (l *lab) wants(o audit.Options, kind audit.Kind, cp string) {
	l.t.Helper()
	r := l.verify(o)
	if len(r.Findings) != 1 || r.Findings[0].Kind != kind || r.Findings[0].Checkpoint != cp {
		l.t.Fatalf("want one finding, %s of %q; got %+v", kind, cp, r.Findings)
	}
}

func (l *lab) edit(edits ...git.Edit) {
	l.t.Helper()
	err := metadata.UpdateMetadata(l.t.Context(), l.repo, nil, func(tip git.OID) (git.OID, error) {
		return checkpointtest.CommitEdits(l.t, l.repo, tip, edits...), nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// at returns what the branch has at a path.
func (l *lab) at(path string) git.Edit {
	l.t.Helper()
	c, ok, err := l.repo.Reader(l.t.Context()).CommitOf("refs/heads/entire/checkpoints/v1")
	if err != nil || !ok {
		l.t.Fatal(ok, err)
	}
	e, ok, err := l.repo.Reader(l.t.Context()).Path(c.Tree, path)
	if err != nil || !ok {
		l.t.Fatal(path, ok, err)
	}
	return git.Edit{Path: path, Mode: e.Mode, OID: e.OID}
}

const one, two, three = "a1b2c3d4e5f6", "b1b2c3d4e5f6", "c1b2c3d4e5f6"

func path(cp string) string { return id.MustCheckpointID(cp).Path() }

func TestStatedAndSigned(t *testing.T) {
	t.Parallel()
	k := newKey(t, 1)
	l := newLab(t, cloneA, &k)
	for _, cp := range []string{one, two, three} {
		l.write(cp)
	}
	l.write(one, "again")
	r := l.verify(audit.Options{Signers: audit.ReadSigners([]byte(k.allowed("ann@x"))), Strict: true, Keep: true, History: true})
	if len(r.Findings) > 0 || r.Checkpoints != 3 || r.Stated != 3 || r.Trusted != 3 || r.Signers["ann@x"] != 3 || r.Commits != 5 || r.SignedBy["ann@x"] != 4 {
		t.Fatalf("%+v", r)
	}
	if len(r.Clones) != 1 || r.Clones[0].Statements != 4 || r.Clones[0].Last != one {
		t.Errorf("clones %+v", r.Clones)
	}
	st := r.Statements[one]
	if st.Object("commit") != fmt.Sprintf("%040x", 4) || st.Predicate.Person.Name != "Ann" || st.Predicate.Sessions[0].Agent != "Claude Code" || st.Signer != "ann@x" {
		t.Errorf("statement %+v", st)
	}
}

// TestTampered does what somebody with write access to the branch can do.
func TestTampered(t *testing.T) {
	t.Parallel()
	ann, eve := newKey(t, 1), newKey(t, 2)
	strict := audit.Options{Signers: audit.ReadSigners([]byte("# keys\n\n" + ann.allowed("ann@x"))), Strict: true}
	for _, tc := range []struct {
		name   string
		tamper func(l *lab)
		kind   audit.Kind
		cp     string
	}{
		{"a prompt was changed", func(l *lab) {
			checkpointtest.Put(l.t, l.repo, path(two)+"/0/prompt.txt", "do something else")
		}, audit.Changed, two},
		{"a file was added", func(l *lab) { checkpointtest.Put(l.t, l.repo, path(two)+"/more.txt", "x") }, audit.Changed, two},
		{"a file was removed", func(l *lab) { l.edit(git.Edit{Path: path(two) + "/0"}) }, audit.Changed, two},
		{"a checkpoint was removed", func(l *lab) { l.edit(git.Edit{Path: path(two)}) }, audit.Missing, two},
		{"the last one was removed", func(l *lab) { l.edit(git.Edit{Path: path(three)}) }, audit.Missing, three},
		{"one has the content of another", func(l *lab) {
			e := l.at(path(one) + "/0")
			e.Path = path(two) + "/0"
			l.edit(e)
		}, audit.Changed, two},
		{"its statement was taken away", func(l *lab) {
			l.edit(git.Edit{Path: path(two) + "/" + statement.SignatureName(cloneA)})
		}, audit.Unsigned, two},
		{"a checkpoint was added", func(l *lab) { l.st = nil; l.write("d1b2c3d4e5f6") }, audit.Unstated, "d1b2c3d4e5f6"},
		{"another key signed one", func(l *lab) { l.st.Sign = eve.sign; l.write("d1b2c3d4e5f6") }, audit.Forged, "d1b2c3d4e5f6"},
		{"a signature is that of another", func(l *lab) {
			e := l.at(path(one) + "/" + statement.SignatureName(cloneA))
			e.Path = path(two) + "/" + statement.SignatureName(cloneA)
			l.edit(e)
		}, audit.Forged, two},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, cloneA, &ann)
			l.write(one)
			l.write(two)
			l.write(three)
			tc.tamper(l)
			l.wants(strict, tc.kind, tc.cp)
		})
	}
	t.Run("a statement was rewritten", func(t *testing.T) {
		t.Parallel()
		l := newLab(t, cloneA, nil)
		l.write(one)
		l.write(two)
		name := path(one) + "/" + statement.Name(cloneA)
		text, err := l.repo.Reader(t.Context()).Blob(l.at(name).OID)
		if err != nil {
			t.Fatal(err)
		}
		checkpointtest.Put(t, l.repo, name, strings.Replace(string(text), "Ann", "Eve", 1))
		l.wants(audit.Options{}, audit.Changed, one) // nothing is signed: the chain shows it
	})
}

// TestForgottenIsNotMissing forgets a checkpoint, which rewrites the branch.
func TestForgottenIsNotMissing(t *testing.T) {
	t.Parallel()
	l := newLab(t, cloneA, nil)
	for _, cp := range []string{one, two, three} {
		l.write(cp)
	}
	if _, _, err := tombstone.Forget(t.Context(), l.repo, tombstone.Forgetting{IDs: []id.CheckpointID{id.MustCheckpointID(two)}, When: checkpointtest.Noon, Reason: "a name"}); err != nil {
		t.Fatal(err)
	}
	if r := l.verify(audit.Options{}); len(r.Findings) > 0 || r.Forgotten != 1 || r.Checkpoints != 2 {
		t.Fatalf("%+v", r)
	}
}

// TestClonesMerged lets two clones write, also the same checkpoint, and merges their branches.
func TestClonesMerged(t *testing.T) {
	t.Parallel()
	a := newLab(t, cloneA, nil)
	a.write(one)
	b := &lab{t: t, repo: a.repo, n: 10, st: &metadata.Stating{Clone: cloneB, Now: a.st.Now}}
	start := a.at("audit")
	tipOf := func() git.OID {
		_, tip, err := metadata.Tip(t.Context(), a.repo)
		if err != nil {
			t.Fatal(err)
		}
		return tip
	}
	base := tipOf()
	a.write(two)
	a.write(one, "a")
	mine := tipOf()
	if err := a.repo.UpdateRefs(t.Context(), []git.RefUpdate{{Name: "refs/heads/entire/checkpoints/v1", New: base, Old: mine}}); err != nil {
		t.Fatal(err)
	}
	b.write(three)
	b.write(one, "b")
	if start.OID == b.at("audit").OID {
		t.Fatal("the second clone has no chain")
	}
	if _, err := merge.Merge(t.Context(), a.repo, mine); err != nil {
		t.Fatal(err)
	}
	r := b.verify(audit.Options{History: true})
	if len(r.Findings) > 0 || r.Stated != 3 || len(r.Clones) != 2 {
		t.Fatalf("%+v", r)
	}
	b.edit(git.Edit{Path: path(two)})
	b.wants(audit.Options{}, audit.Missing, two)
}

// TestEveryChangedBitIsFound flips a bit in each of AUDIT_PLACES places (200) of a signed history, and puts it back.
func TestEveryChangedBitIsFound(t *testing.T) {
	t.Parallel()
	k := newKey(t, 1)
	l := newLab(t, cloneA, &k)
	for _, cp := range []string{one, two, three} {
		l.write(cp)
	}
	files, err := filepath.Glob(filepath.Join(l.repo.CommonDir, "objects", "??", "*"))
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	_, tip, _ := metadata.Tip(t.Context(), l.repo)
	out, err := l.repo.Run(t.Context(), "rev-list", "--objects", tip.String())
	if err != nil {
		t.Fatal(err)
	}
	places := 200
	if n, err := strconv.Atoi(os.Getenv("AUDIT_PLACES")); err == nil {
		places = n
	}
	random := rand.New(rand.NewPCG(7, 7))
	opts := audit.Options{Signers: audit.ReadSigners([]byte(k.allowed("ann@x"))), Strict: true, History: true}
	for n := 0; n < places; {
		file := files[random.IntN(len(files))]
		if !bytes.Contains(out, []byte(filepath.Base(filepath.Dir(file))+filepath.Base(file))) {
			continue // not of the branch
		}
		if strings.HasSuffix(file, l.repo.EmptyTree().String()[2:]) {
			continue // git knows the empty folder without reading it
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		broken := slices.Clone(data)
		at := random.IntN(8 * len(data))
		broken[at/8] ^= 1 << (at % 8)
		if same(data, broken) {
			continue // git sees the same content
		}
		n++
		replace(t, file, broken)
		repo, err := git.Discover(t.Context(), l.repo.Top, l.repo.Env)
		if err != nil {
			t.Fatal(err)
		}
		r, err := audit.Verify(t.Context(), repo, tip, opts)
		repo.Close()
		if err == nil && len(r.Findings) == 0 {
			t.Fatalf("bit %d of %s: not found", at, file)
		}
		replace(t, file, data)
	}
}

// same reports whether both inflate to the same content, up to its length: the bit was padding, in the compression's
// checksum, or behind the content.
func same(a, b []byte) bool {
	x, err := inflate(a)
	y, _ := inflate(b)
	return err == nil && bytes.HasPrefix(y, x)
}

func inflate(data []byte) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func replace(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadSigners(t *testing.T) {
	t.Parallel()
	k, other := newKey(t, 1), newKey(t, 2)
	line := strings.TrimSpace(strings.TrimPrefix(k.allowed("x"), "x "))
	for _, tc := range []struct {
		name, file string
		found      audit.Kind
		passed     int
	}{
		{"plain", "ann@x " + line, "", 0},
		{"quoted", `"ann@x,bo@x" ` + line, "", 0},
		{"its namespace", `ann@x namespaces="git,entire-*" ` + line, "", 0},
		{"another namespace", `ann@x namespaces="git" ` + line, audit.Forged, 0},
		{"not yet", `ann@x valid-after="20300101" ` + line, audit.Forged, 0},
		{"no longer", `ann@x valid-before="20200101Z" ` + line, audit.Forged, 0},
		{"in time", `ann@x valid-after="202001010000",valid-before="20300101" ` + line, "", 0},
		{"an authority", `ann@x cert-authority ` + line, audit.Forged, 1},
		{"another key", other.allowed("ann@x"), audit.Forged, 0},
		{"no line", "ann@x\nhello\n\x00\n" + "ann@x " + line, "", 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := audit.ReadSigners([]byte(tc.file))
			if len(s.PassedOver) != tc.passed {
				t.Errorf("passed over %v", s.PassedOver)
			}
			l := newLab(t, cloneA, &k)
			l.write(one)
			if tc.found == "" {
				if r := l.verify(audit.Options{Signers: s}); len(r.Findings) > 0 {
					t.Fatalf("%+v", r.Findings)
				}
				return
			}
			l.wants(audit.Options{Signers: s}, tc.found, one)
		})
	}
}
