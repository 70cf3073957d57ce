package lineage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage/gitblame"
)

const (
	// historyMax bounds the commits of a file that are searched for a line that a commit brought back, and
	// historyFiles the number of files for which git is asked.
	historyMax   = 200
	historyFiles = 40
	// historyTime bounds how long git may look for them. Lines are unknown where it needs longer.
	historyTime = 2 * time.Second
)

// pastVersion is a version that a commit of any branch, or one that HEAD has left, gave a file.
type pastVersion struct {
	commit, parent git.OID
	time           int64 // the committer's, in seconds since 1970
	old, new       git.OID
}

// fromHistory looks for the lines without an owner in other commits of the file that are not later: on another
// branch, or earlier on this one. A command such as `git checkout OLD -- FILE`, `git cherry-pick -n` or `git merge
// --squash` brought them here. The first commit that wrote the line says who did.
func (s *search) fromHistory(ctx context.Context) error {
	v := s.v
	var want []int
	for i, f := range v.origins {
		if f != nil && f.line == 0 && f.Owner.Class == attribution.ClassUnknown && f.Evidence != NotEnabled && f.Evidence != Unreadable && (s.distinctive[i] && !s.inParent[s.prints[i]] || s.besideNew(i)) {
			want = append(want, i)
		}
	}
	if len(want) == 0 || v.r.inHistory {
		return nil
	}
	past, err := v.r.pastVersions(ctx, v.key.path)
	if err != nil || len(past) == 0 {
		return err
	}
	first, err := s.firstWith(ctx, past, want)
	if err != nil || len(first) == 0 {
		return err
	}
	var work []lineQuery
	for _, i := range want {
		if q, ok := first[i]; ok {
			q.index = i
			work = append(work, q)
		}
	}
	r := v.r.forHistory(v.c.checkpoints)
	origins, err := r.resolve(ctx, work, r.broughtBy)
	if err != nil {
		return err
	}
	for _, i := range want {
		if o, ok := origins[i]; ok && o.Owner.Class != attribution.ClassUnknown {
			o.Evidence = Earlier
			s.assign(i, source{Origin: o.Origin})
		}
	}
	return nil
}

// firstWith finds, for each wanted line that stood beside one of its neighbours before, the first version that wrote
// it.
func (s *search) firstWith(ctx context.Context, past []pastVersion, want []int) (map[int]lineQuery, error) {
	v := s.v
	byPrint := map[attribution.Print][]int{}
	for _, i := range want {
		byPrint[s.prints[i]] = append(byPrint[s.prints[i]], i)
	}
	first, stood := map[int]lineQuery{}, map[int]bool{}
	for _, p := range past {
		if p.commit == v.c.OID || p.time > v.c.Committer.When.Unix() {
			continue
		}
		texts, err := v.r.texts(ctx, p.old, p.new)
		if err != nil {
			return nil, err
		}
		if texts == nil {
			continue
		}
		at := &gitblame.Commit{OID: p.commit, Path: v.key.path}
		if !p.old.IsZero() {
			at.Parent, at.ParentPath = p.parent, v.key.path
		}
		trace, was := attribution.Trace(texts[0], texts[1]), attribution.PrintLines(texts[1])
		for n, print := range was {
			wrote := n >= len(trace) || trace[n] < 0
			for _, i := range byPrint[print] {
				stands := s.stands(was, n, i)
				stood[i] = stood[i] || stands
				if _, known := first[i]; !known && wrote && (stands || s.distinctive[i]) {
					first[i] = lineQuery{commit: at, line: n + 1}
				}
			}
		}
	}
	maps.DeleteFunc(first, func(i int, _ lineQuery) bool { return !stood[i] })
	return first, nil
}

// forHistory returns a resolver for lines of other commits than one with the given checkpoints. It does not use
// these, which may say that the lines are unknown, and does not look for lines in yet other commits.
func (r *Resolver) forHistory(without []id.CheckpointID) *Resolver {
	past := *r
	past.versions, past.inHistory, past.without = map[versionKey]*version{}, true, without
	return &past
}

// pastVersions returns the versions of a file since the tool was enabled, the oldest first: of all branches and
// tags without the tool's own, and of the commits that HEAD has left. It returns none if git needs too long.
func (r *Resolver) pastVersions(ctx context.Context, path string) ([]pastVersion, error) {
	if list, known := r.pastByPath[path]; known {
		return list, nil
	}
	if r.pastByPath == nil {
		r.pastByPath = map[string][]pastVersion{}
	}
	if len(r.pastByPath) >= historyFiles {
		return nil, nil
	}
	r.pastByPath[path] = nil
	from, err := r.baselineCommit(ctx)
	if err != nil || from == nil {
		return nil, err
	}
	args := []string{"-c", "log.showRoot=true", "--literal-pathspecs", "log", "--format=%H", "-z", "--no-renames", "--raw", "--no-abbrev", "--diff-merges=off",
		"--no-relative", "--no-show-signature", "-n", strconv.Itoa(historyMax), "--since=" + strconv.FormatInt(from.Committer.When.Unix(), 10), "--ignore-missing",
		"--exclude=entire/*", "--branches", "--exclude=*/entire/*", "--remotes", "--tags", "HEAD"}
	for _, oid := range r.leftCommits(ctx) {
		args = append(args, oid.String())
	}
	limited, cancel := context.WithTimeout(ctx, historyTime)
	defer cancel()
	out, err := r.repo.Run(limited, append(args, "--", path)...)
	if err != nil {
		return nil, ctx.Err()
	}
	oids, changes, err := parseLog(out)
	if err != nil {
		return nil, err
	}
	if err := r.load(ctx, oids); err != nil {
		return nil, err
	}
	var list []pastVersion
	for i, oid := range slices.Backward(oids) {
		c := r.commits[oid]
		if c == nil || len(changes[i]) == 0 {
			continue
		}
		ch := changes[i][0]
		p := pastVersion{commit: oid, time: c.Committer.When.Unix(), old: blobOf(ch.OldMode, ch.Old), new: blobOf(ch.NewMode, ch.New)}
		if len(c.Parents) > 0 {
			p.parent = c.Parents[0]
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b pastVersion) int { return cmp.Compare(a.time, b.time) })
	r.pastByPath[path] = list
	return list, nil
}

// leftMax bounds the entries of HEAD's reflog whose commits are searched.
const leftMax = 100

// leftCommits returns the commits that HEAD was at, the newest first.
func (r *Resolver) leftCommits(ctx context.Context) (out []git.OID) {
	for _, e := range slices.Backward(r.reflog(ctx)) {
		if !e.New.IsZero() && !slices.Contains(out, e.New) {
			if out = append(out, e.New); len(out) == leftMax {
				break
			}
		}
	}
	return out
}
