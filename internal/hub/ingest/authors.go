package ingest

import (
	"context"
	"strconv"
	"strings"

	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// An author is who made the commit that named a checkpoint first.
type author struct {
	name, email string
	at          int64
}

// before reports whether a was earlier than b; at one time the smaller address counts, so that all indexes agree.
func (a author) before(b author) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.email+"\x00"+a.name < b.email+"\x00"+b.name
}

// subjects of the commits that add a checkpoint.
const addedSubject = "Checkpoint: "

// authors returns who made the checkpoints that a plan reads. Of a branch that went forward it reads the new commits.
func authors(ctx context.Context, repo *git.Repo, p plan) (map[string]author, error) {
	found := make(map[string]author, len(p.read))
	for _, v := range p.read {
		if k, ok := p.kept[v.ID.String()]; ok && k.AuthorAt != 0 {
			found[v.ID.String()] = author{k.Author, k.Email, k.AuthorAt}
		}
	}
	if len(p.read) == 0 {
		return found, nil
	}
	from, err := history(ctx, repo, p)
	if err != nil {
		return found, err
	}
	if from == "" {
		return found, sealedAuthors(ctx, repo, p, found)
	}
	// Field by field: a name may have anything in it but a zero byte.
	out, err := repo.RunInput(ctx, []byte(from), "log", "--no-show-signature", "--no-notes", "-z", "--format=%at%x00%ae%x00%an%x00%s", "--stdin")
	if err != nil {
		return nil, err
	}
	fields := strings.Split(string(out), "\x00")
	for ; len(fields) >= 4; fields = fields[4:] {
		cp, ok := strings.CutPrefix(fields[3], addedSubject)
		at, err := strconv.ParseInt(fields[0], 10, 64)
		if !ok || err != nil {
			continue
		}
		a := author{name: fields[2], email: fields[1], at: at}
		if was, ok := found[cp]; !ok || a.before(was) {
			found[cp] = a
		}
	}
	return found, sealedAuthors(ctx, repo, p, found)
}

// sealedAuthors adds the authors of checkpoints whose commits are no more, because their month is sealed.
func sealedAuthors(ctx context.Context, repo *git.Repo, p plan, found map[string]author) error {
	var left []id.CheckpointID
	for _, v := range p.read {
		if _, ok := found[v.ID.String()]; !ok {
			left = append(left, v.ID)
		}
	}
	if len(left) == 0 {
		return nil
	}
	rows, _, err := records.NewReader(repo).Sealed(ctx, left)
	for cp, row := range rows {
		if name, email, ok := strings.Cut(strings.TrimSuffix(row.Author, ">"), " <"); ok {
			found[cp.String()] = author{name: name, email: email}
		}
	}
	return err
}

// history returns the commits to read, as git log takes them: those of the branches, without what was read before, and
// those of checkpoints in refs of their own.
func history(ctx context.Context, repo *git.Repo, p plan) (string, error) {
	var from strings.Builder
	list, err := repo.Refs(ctx, branchRef, shadow.LegacyRef, inboxRefs)
	if err != nil {
		return "", err
	}
	for _, ref := range list {
		from.WriteString(ref.OID.String() + "\n")
	}
	tips, err := records.NewReader(repo).Tips(ctx, nil)
	if err != nil {
		return "", err
	}
	for _, v := range p.read {
		if tip, ok := tips[v.ID]; ok {
			from.WriteString(tip.String() + "\n")
		}
	}
	if old, err := git.ParseOID(p.was.Tip); err == nil && from.Len() > 0 && p.was.Rules == p.done.Rules && p.was.State != "" {
		if _, ok, err := repo.Reader(ctx).CommitOf(old.String()); err == nil && ok {
			from.WriteString("^" + old.String() + "\n")
		}
	}
	return from.String(), nil
}
