package audit

import (
	"bytes"
	"context"
	"hash"

	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// history reads all that earlier commits of the branch had, and checks the commits' signatures.
func (v *verifier) history(ctx context.Context, repo *git.Repo) error {
	var from []string
	if !v.result.Tip.IsZero() {
		from = append(from, v.result.Tip.String())
	}
	if v.result.InRefs > 0 {
		from = append(from, "--glob="+metadata.CheckpointRefs+"*")
	}
	out, err := repo.Run(ctx, append([]string{"rev-list"}, from...)...)
	if err != nil {
		return v.brokenHistory(ctx, err)
	}
	commits := parseOIDs(out)
	v.result.Commits = len(commits)
	for begin := 0; begin < len(commits); begin += batchObjects {
		list := commits[begin:min(begin+batchObjects, len(commits))]
		if v.opts.Progress != nil {
			v.opts.Progress(begin, len(commits))
		}
		objs, err := v.objects.read(list)
		if err != nil {
			return err
		}
		for _, o := range objs {
			if o.Type == "commit" {
				v.objects.tasks <- func(hash.Hash) { v.commit(o, "", v.result.SignedBy) }
			}
		}
	}
	if out, err = repo.Run(ctx, append([]string{"rev-list", "--objects"}, from...)...); err != nil {
		return v.brokenHistory(ctx, err)
	}
	var rest []git.OID
	for _, oid := range parseOIDs(out) {
		if !v.objects.seen[oid] {
			rest = append(rest, oid)
		}
	}
	_, err = v.objects.read(rest)
	return err
}

// brokenHistory makes a finding of an error of git.
func (v *verifier) brokenHistory(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	v.find(Damaged, "", "the branch's history cannot be read: %v", err)
	return nil
}

// parseOIDs returns the first word of each line.
func parseOIDs(out []byte) (list []git.OID) {
	for line := range bytes.Lines(out) {
		name, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if oid, err := git.ParseOID(string(name)); err == nil {
			list = append(list, oid)
		}
	}
	return list
}

// commit checks the signature of a commit of the branch, or of a checkpoint's own ref, and counts it by its signer. A
// merge of two clones' branches has none, because every clone makes the same commit.
func (v *verifier) commit(o git.Object, cp string, signedBy map[string]int) {
	signed, armoured := git.SplitSignature(o.Data)
	if armoured == "" {
		return
	}
	c, err := git.ParseCommit(o.OID, o.Data)
	if err != nil {
		v.find(Damaged, cp, "commit %s of the branch cannot be read: %v", o.OID.Short(), err)
		return
	}
	sig, err := v.opts.Signers.check(signed, []byte(armoured), "git", c.Committer.When)
	switch {
	case err != nil:
		v.find(Forged, cp, "commit %s of the branch was signed, and %v", o.OID.Short(), err)
	case sig.checking != "":
		return
	case v.opts.Signers != nil && sig.whose == "":
		v.find(Forged, cp, "commit %s of the branch is signed with the key %s, which no allowed signer has", o.OID.Short(), sig.key)
	}
	if err == nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		if sig.whose != "" {
			sig.key = sig.whose
		}
		signedBy[sig.key]++
	}
}
