package audit

import (
	"context"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"

	"entire/checkpoint/metadata"
	"entire/checkpoint/statement"
	"entire/id"
	"entire/internal/git"
)

// Kind is what is wrong.
type Kind string

// The kinds of findings. Unstated, Unsigned and Redacted are findings only if the caller asks for strictness.
const (
	Damaged  Kind = "damaged"  // an object is missing, or is not what its name stands for
	Changed  Kind = "changed"  // a checkpoint is not as it was stated
	Missing  Kind = "missing"  // a statement names a checkpoint, or a place in a chain, that is not there
	Repeated Kind = "repeated" // two statements have one place in a chain
	Forged   Kind = "forged"   // a signature does not fit, or its key is not trusted
	Unstated Kind = "unstated" // a checkpoint has no statement
	Unsigned Kind = "unsigned" // a statement has no signature
	Redacted Kind = "redacted" // secrets were taken out of a checkpoint after its statement
)

// Finding is one thing that is wrong.
type Finding struct {
	Kind       Kind   `json:"kind"`
	Checkpoint string `json:"checkpoint,omitempty"`
	What       string `json:"what"`
}

// Result is what Verify found.
type Result struct {
	Tip         git.OID
	Checkpoints int
	Stated      int // checkpoints with a statement that fits
	Signed      int // statements whose signature fits
	Trusted     int // of those signatures, the ones of trusted keys
	Unchecked   int // signatures that only git can check
	Forgotten   int
	Unaccounted int            // statements that are not there, and may have been about forgotten checkpoints
	InRefs      int            // checkpoints in refs of their own, which have no statements
	RefsSigned  map[string]int // those whose newest commit has a signature that fits, by signer
	Objects     int
	Bytes       int64
	Absent      []string       // months whose sealed checkpoints are not in this clone, and were not checked
	Commits     int            // commits of the branch, with Options.History
	SignedBy    map[string]int // those with a signature that fits, by signer
	Clones      []Clone        // by name
	Signers     map[string]int // statements by signer: principals, or the fingerprint of a key that is not trusted
	Unstated    []string       // checkpoints without a statement, sorted
	Unsigned    []string       // checkpoints with a statement without signature, sorted
	Redacted    []string       // checkpoints that differ from their statement only in what was redacted since, sorted
	Findings    []Finding      // sorted

	// Statements are by checkpoint; of several the newest.
	Statements map[string]*Stated
}

// Clone is one clone's chain.
type Clone struct {
	Name       string `json:"name"`
	Statements int    `json:"statements"` // how many it has made
	Last       string `json:"last"`       // the checkpoint of the newest
}

// Stated is a statement with whoever signed it.
type Stated struct {
	*statement.Statement
	Signer string // the principals, or a fingerprint; "" for no signature
}

// Options say how strict Verify is.
type Options struct {
	Signers  *Signers // nil: no key is trusted, and none is refused
	Strict   bool     // a checkpoint without a statement or signature is a finding
	Progress func(done, total int)
	Keep     bool // fill in Result.Statements
	History  bool // also read every object that an earlier commit of the branch had, and check those commits' signatures
}

// Verify checks the branch at tip.
func Verify(ctx context.Context, repo *git.Repo, tip git.OID, opts Options) (*Result, error) {
	v := &verifier{opts: opts, chains: map[string]*chain{}, objects: newObjects(ctx, repo),
		result: &Result{Tip: tip, Signers: map[string]int{}, SignedBy: map[string]int{}, RefsSigned: map[string]int{}, Statements: map[string]*Stated{}}}
	err := v.run(ctx, repo)
	v.objects.finish()
	if err != nil {
		return nil, err
	}
	return v.conclude(), nil
}

type verifier struct {
	opts    Options
	objects *objects
	gone    metadata.Forgotten
	clean   metadata.Redactions
	heads   []statement.Head

	mu     sync.Mutex // guards what follows
	result *Result
	chains map[string]*chain
}

// folder is a checkpoint's folder.
type folder struct {
	id      id.CheckpointID
	tree    git.OID
	entries []git.TreeEntry
	inRef   bool // the folder is the tree of the checkpoint's own ref
}

func (v *verifier) find(kind Kind, cp, format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Findings = append(v.result.Findings, Finding{kind, cp, fmt.Sprintf(format, args...)})
}

func (v *verifier) run(ctx context.Context, repo *git.Repo) error {
	var folders []folder
	var err error
	if !v.result.Tip.IsZero() {
		if folders, err = v.branch(ctx, repo); err != nil {
			return err
		}
	}
	if folders, err = v.withSealed(ctx, repo, folders); err != nil {
		return err
	}
	if folders, err = v.withRefs(ctx, repo, folders); err != nil {
		return err
	}
	v.result.Checkpoints = len(folders)
	const step = 128
	for from := 0; from < len(folders); from += step {
		if v.opts.Progress != nil {
			v.opts.Progress(from, len(folders))
		}
		if err := v.checkpoints(folders[from:min(from+step, len(folders))]); err != nil {
			return err
		}
	}
	if v.opts.History {
		return v.history(ctx, repo)
	}
	return nil
}

// branch reads what the branch says of all checkpoints, and returns those that it has.
func (v *verifier) branch(ctx context.Context, repo *git.Repo) ([]folder, error) {
	c, err := repo.Reader(ctx).Commit(v.result.Tip)
	if err != nil {
		return nil, fmt.Errorf("read the branch's newest commit: %w", err)
	}
	if v.gone, err = metadata.ReadForgotten(repo.Reader(ctx), c.Tree); err != nil {
		return nil, fmt.Errorf("read which checkpoints were forgotten: %w", err)
	}
	v.result.Forgotten = len(v.gone)
	if v.clean, err = metadata.ReadRedactions(repo.Reader(ctx), c.Tree); err != nil {
		return nil, fmt.Errorf("read which checkpoints were redacted: %w", err)
	}
	if v.heads, err = metadata.ReadHeads(repo.Reader(ctx), c.Tree); err != nil {
		return nil, fmt.Errorf("read the ends of the chains: %w", err)
	}
	if _, err := v.objects.read([]git.OID{v.result.Tip}); err != nil {
		return nil, err
	}
	root, err := v.objects.trees([]git.OID{c.Tree})
	if err != nil {
		return nil, err
	}
	folders, others, err := v.folders(root[0])
	if err != nil {
		return nil, err
	}
	return folders, v.objects.below(others)
}

// folders returns the checkpoints below the root, and the entries that are none.
func (v *verifier) folders(root []git.TreeEntry) (list []folder, others []git.TreeEntry, err error) {
	var names []string
	var shards []git.OID
	for _, e := range root {
		if len(e.Name) == 2 && e.Mode == git.ModeTree {
			names, shards = append(names, e.Name), append(shards, e.OID)
		} else {
			others = append(others, e)
		}
	}
	trees, err := v.objects.trees(shards)
	if err != nil {
		return nil, nil, err
	}
	for i, entries := range trees {
		for _, e := range entries {
			cp, err := id.NewCheckpointID(names[i] + e.Name)
			if err != nil || e.Mode != git.ModeTree {
				others = append(others, e)
				continue
			}
			list = append(list, folder{id: cp, tree: e.OID})
		}
	}
	return list, others, nil
}

// checkpoints reads and checks some checkpoints.
func (v *verifier) checkpoints(list []folder) error {
	oids := make([]git.OID, len(list))
	for i := range list {
		oids[i] = list[i].tree
	}
	trees, err := v.objects.trees(oids)
	if err != nil {
		return err
	}
	var asked []git.OID
	var content []git.TreeEntry
	for i := range list {
		if list[i].entries = trees[i]; trees[i] == nil {
			v.find(Damaged, list[i].id.String(), "the checkpoint's folder %s is missing or damaged", oids[i])
		}
		for _, e := range trees[i] {
			if statement.IsFile(e.Name) && e.Mode != git.ModeTree {
				asked = append(asked, e.OID)
			} else {
				content = append(content, e)
			}
		}
	}
	objs, err := v.objects.read(asked)
	if err != nil {
		return err
	}
	texts := make(map[git.OID][]byte, len(asked))
	for i, oid := range asked {
		if objs[i].Type == "blob" {
			texts[oid] = objs[i].Data
		}
	}
	if err := v.objects.below(content); err != nil {
		return err
	}
	for _, f := range list {
		if f.inRef && f.entries != nil {
			if err := v.named(f); err != nil {
				return err
			}
		}
		if f.entries != nil {
			v.objects.tasks <- func(hash.Hash) { v.checkpoint(f, texts) }
		}
	}
	return nil
}

// checkpoint checks one checkpoint against its statements, whose texts are by their objects.
func (v *verifier) checkpoint(f folder, texts map[git.OID][]byte) {
	var said []*statement.Statement
	files := map[string]git.TreeEntry{}
	for _, e := range f.entries {
		files[e.Name] = e
	}
	for _, e := range f.entries {
		clone, ok := statement.CloneOf(e.Name)
		if !ok {
			continue
		}
		st, err := statement.Decode(texts[e.OID])
		if err == nil && (st.Predicate.Chain.Clone != clone || st.Predicate.Checkpoint != f.id.String()) {
			err = fmt.Errorf("the statement is about checkpoint %s, of clone %s", st.Predicate.Checkpoint, st.Predicate.Chain.Clone)
		}
		if err != nil {
			v.find(Changed, f.id.String(), "%s: %v", e.Name, err)
			continue
		}
		said = append(said, st)
		v.note(f, st, texts[e.OID], texts[files[statement.SignatureName(clone)].OID])
	}
	if len(said) == 0 {
		v.mu.Lock()
		v.result.Unstated = append(v.result.Unstated, f.id.String())
		v.mu.Unlock()
		return
	}
	if v.compare(f, said) {
		v.mu.Lock()
		v.result.Stated++
		v.mu.Unlock()
	}
}

// note takes a statement into its chain, and checks its signature.
func (v *verifier) note(f folder, st *statement.Statement, text, armoured []byte) {
	signer := v.signer(f, st, text, armoured)
	v.mu.Lock()
	defer v.mu.Unlock()
	c := v.chains[st.Predicate.Chain.Clone]
	if c == nil {
		c = &chain{links: map[int]place{}}
		v.chains[st.Predicate.Chain.Clone] = c
	}
	v.result.Findings = append(v.result.Findings, c.add(st, text)...)
	if old := v.result.Statements[f.id.String()]; v.opts.Keep && (old == nil || old.Predicate.Time.Before(st.Predicate.Time)) {
		v.result.Statements[f.id.String()] = &Stated{st, signer}
	}
}

// signer checks the signature of a statement and returns whose it is.
func (v *verifier) signer(f folder, st *statement.Statement, text, armoured []byte) string {
	cp := f.id.String()
	if len(armoured) == 0 {
		v.mu.Lock()
		v.result.Unsigned = append(v.result.Unsigned, cp)
		v.mu.Unlock()
		return ""
	}
	sig, err := v.opts.Signers.check(text, armoured, statement.Namespace, st.Predicate.Time)
	if err != nil {
		v.find(Forged, cp, "the statement was signed, and %v", err)
		return ""
	}
	if v.opts.Signers != nil && sig.checking == "" && sig.whose == "" {
		v.find(Forged, cp, "the statement is signed with the key %s, which no allowed signer has", sig.key)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case sig.checking != "":
		v.result.Unchecked++
		return "unchecked"
	case sig.whose != "":
		v.result.Trusted++
		sig.key = sig.whose
	}
	v.result.Signed++
	v.result.Signers[sig.key]++
	return sig.key
}

// conclude compares the chains, and sorts everything.
func (v *verifier) conclude() *Result {
	r := v.result
	for oid, why := range v.objects.bad {
		r.Findings = append(r.Findings, Finding{Kind: Damaged, What: fmt.Sprintf("object %s: %s", oid, why)})
	}
	r.Objects, r.Bytes = len(v.objects.seen), v.objects.bytes
	chained, unaccounted := compareChains(v.chains, v.heads, v.gone)
	r.Findings, r.Unaccounted = append(r.Findings, chained...), unaccounted
	for name, c := range v.chains {
		r.Clones = append(r.Clones, Clone{name, len(c.links), c.links[c.last].checkpoint})
	}
	slices.SortFunc(r.Clones, func(a, b Clone) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(r.Unstated)
	slices.Sort(r.Unsigned)
	slices.Sort(r.Redacted)
	if v.opts.Strict {
		for _, cp := range r.Unstated {
			r.Findings = append(r.Findings, Finding{Unstated, cp, "no clone stated the checkpoint"})
		}
		for _, cp := range r.Unsigned {
			r.Findings = append(r.Findings, Finding{Unsigned, cp, "the statement is not signed"})
		}
		for _, cp := range r.Redacted {
			r.Findings = append(r.Findings, Finding{Redacted, cp, "texts were taken out after the statement"})
		}
	}
	slices.SortFunc(r.Findings, func(a, b Finding) int {
		if c := strings.Compare(a.Checkpoint, b.Checkpoint); c != 0 {
			return c
		}
		return strings.Compare(string(a.Kind)+a.What, string(b.Kind)+b.What)
	})
	return r
}
