package ownerlib

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/review"
)

// A gathering collects the contents of a review document.
type gathering struct {
	tell func(done, total int)
	wp   *workplace.Workplace
	b    review.Builder

	links       metadata.Links
	commits     []git.Commit
	checkpoints []id.CheckpointID // named by commits, or the origin of lines
	known       map[id.CheckpointID]bool
	problems    []string
	claims      map[git.OID]*review.Claim
}

// Review returns the review document of a commit or a range: who wrote the lines that it changes.
// tell gets the progress; it may be nil.
func Review(ctx context.Context, wp *workplace.Workplace, name string, tell func(done, total int)) (*review.Document, error) {
	d, _, err := reviewed(ctx, wp, name, tell)
	return d, err
}

// reviewed is Review, with the sessions behind the document.
func reviewed(ctx context.Context, wp *workplace.Workplace, name string, tell func(done, total int)) (*review.Document, *cast, error) {
	catchUp(ctx, wp)
	g := &gathering{tell: tell, wp: wp, known: map[id.CheckpointID]bool{}, claims: map[git.OID]*review.Claim{}}
	r := review.Range{Name: name}
	var err error
	if g.links, err = records.NewReader(wp.Repo).Links(ctx); err != nil {
		return nil, nil, err
	}
	if first, last, ok := cutRange(name); ok {
		err = g.between(ctx, first, last, &r)
	} else {
		err = g.commit(ctx, name, &r)
	}
	if err != nil {
		return nil, nil, err
	}
	c, err := g.cast(ctx)
	if err != nil {
		return nil, nil, err
	}
	d := g.b.Document(r, c.sessions(ctx, g.b.PromptKeys()))
	c.behind(d)
	d.Problems = g.problems
	return d, c, nil
}

// cutRange splits A..B or A...B; an omitted side is HEAD.
func cutRange(name string) (first, last string, ok bool) {
	first, last, ok = strings.Cut(name, "..")
	last = strings.TrimPrefix(last, ".")
	if ok && first == "" {
		first = "HEAD"
	}
	if ok && last == "" {
		last = "HEAD"
	}
	return first, last, ok
}

// deepen is the hint where a shallow clone lacks commits.
const deepen = "this clone is shallow: `git fetch --unshallow` gets all commits"

// edges returns the IDs of the commits at which a shallow clone ends, as text; "" for a complete
// clone.
func (g *gathering) edges() string {
	return string(cliui.ReadIfThere(filepath.Join(g.wp.Repo.CommonDir, "shallow")))
}

// resolve returns the commit of that name. In a shallow clone its error says that the commit may
// be missing.
func (g *gathering) resolve(ctx context.Context, name string) (git.Commit, error) {
	c, err := commitNamed(ctx, g.wp, name)
	if err != nil && g.edges() != "" {
		return c, cliui.Failf(deepen, "commit not found: %s", name)
	}
	return c, err
}

// commit adds the lines of one commit, as its checkpoint recorded them.
func (g *gathering) commit(ctx context.Context, name string, r *review.Range) error {
	c, err := g.resolve(ctx, name)
	if err != nil {
		return err
	}
	r.Head = c.OID.String()
	if len(c.Parents) > 0 {
		r.Base = c.Parents[0].String()
	}
	if strings.Contains(g.edges(), r.Head) {
		return cliui.Failf(deepen, "cannot tell what %s changed: its parent is missing here", c.OID.Short())
	}
	files, err := resolverOf(g.wp).Commit(ctx, c.OID)
	if err != nil {
		return err
	}
	notesOf(ctx, g.wp).commit(ctx, c.OID, files)
	g.add(c)
	g.files(files)
	return nil
}

func (g *gathering) files(changed []lineage.ChangedFile) {
	for _, f := range changed {
		g.b.File(review.File{Path: f.Path, OldPath: f.OldPath, Skipped: f.Skipped, Lines: f.Lines, OldLines: f.OldLines}, g.lines(f.Added), g.lines(f.Removed))
	}
}

// between adds the lines that a range of commits leaves at its end.
func (g *gathering) between(ctx context.Context, first, last string, r *review.Range) error {
	base, err := g.resolve(ctx, first)
	if err != nil {
		return err
	}
	head, err := g.resolve(ctx, last)
	if err != nil {
		return err
	}
	resolver := resolverOf(g.wp)
	net, err := resolver.Between(ctx, base.OID, head.OID, g.tell)
	if err != nil {
		return err
	}
	if err := notesOf(ctx, g.wp).between(ctx, resolver, head.OID, net.Files); err != nil {
		return err
	}
	if net.From.IsZero() && g.edges() != "" {
		return cliui.Failf(deepen, "cannot tell where %s branched off %s: commits in between are missing here", last, first)
	}
	r.Base, r.Head = net.From.String(), head.OID.String()
	for _, c := range net.Commits {
		g.add(c)
	}
	g.files(net.Files)
	return nil
}

func (g *gathering) add(c git.Commit) {
	named := g.links.Of(c.OID, c.Message)
	var ids []string
	for _, cp := range named {
		ids = append(ids, cp.String())
		g.knows(cp)
	}
	subject, _, _ := strings.Cut(c.Message, "\n")
	when := c.Author.When.UTC()
	if y := when.Year(); y < 1 || y > 9999 {
		when = time.Unix(0, 0).UTC() // RFC 3339 has no such year
	}
	g.commits = append(g.commits, c)
	g.claims[c.OID] = claimOf(c)
	g.b.Commit(review.Commit{ID: c.OID.String(), Author: c.Author.Name, Email: c.Author.Email,
		Time: when.Format(time.RFC3339), Subject: subject, Checkpoints: ids, Unnamed: len(g.links[c.OID]) > 0, Claim: g.claims[c.OID]})
}

func (g *gathering) knows(cp id.CheckpointID) {
	if !cp.IsZero() && !g.known[cp] {
		g.known[cp], g.checkpoints = true, append(g.checkpoints, cp)
	}
}

// lines returns lines of the document. An older line has no owner.
func (g *gathering) lines(changed []lineage.ChangedLine) []review.Line {
	out := make([]review.Line, len(changed))
	for i, l := range changed {
		if i > 0 && l.Origin == changed[i-1].Origin && l.Commit == changed[i-1].Commit && l.MovedOnly == changed[i-1].MovedOnly {
			out[i] = out[i-1]
		} else {
			out[i] = g.line(l.Origin, l.Commit, l.MovedOnly)
		}
		out[i].Number, out[i].Text = l.Number, l.Text
	}
	return out
}

func (g *gathering) line(o lineage.Origin, commit git.OID, older bool) review.Line {
	l := review.Line{Owner: review.Owner{Class: review.Older}}
	if older {
		return l
	}
	if !commit.IsZero() {
		l.Commit = commit.String()
	}
	if o.Agent() {
		g.knows(o.Checkpoint)
	}
	l.Owner = review.Owner{Class: o.Owner.Class, Session: o.Owner.SessionID, Agent: o.Owner.Agent, Model: o.Owner.Model, Turn: o.Owner.Turn, PromptKey: o.Owner.Prompt,
		ToolUseID: o.Owner.ToolUseID, Checkpoint: o.Checkpoint.String(), Evidence: string(o.Evidence)}
	if g.claims[commit] != nil && unrecorded(o.Evidence) {
		l.Owner = review.Owner{Class: review.Unknown, Evidence: review.Claimed}
	}
	return l
}

// Surround adds what only the HTML page shows: the repository, the branch, and the lines around
// each change.
func Surround(ctx context.Context, wp *workplace.Workplace, d *review.Document) {
	d.Place.Repository = wp.ProjectName()
	if head, ok := wp.Repo.Head(ctx); ok && head.String() == d.Range.Head {
		d.Place.Branch = wp.Repo.Branch(ctx)
	}
	reader := wp.Repo.Reader(ctx)
	d.AddContext(func(path string) ([]byte, bool) {
		o, err := reader.Object(d.Range.Head + ":" + path)
		return o.Data, err == nil
	})
}
