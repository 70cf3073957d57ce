package review

import "fmt"

// Claimed is the evidence of lines whose author is unknown because nothing was recorded, while their commit
// says that an agent or another program made it.
const Claimed = "claimed"

// The places where a commit says who made it.
const (
	ByAuthor   = "author"
	ByCoAuthor = "co-author"
	ByAssisted = "assisted-by"
)

// Claim is what a commit itself says of an agent or a bot that made it. Nothing proves it.
type Claim struct {
	By    string `json:"by"`              // author, co-author or assisted-by
	Name  string `json:"name"`            // as the commit has it
	Agent string `json:"agent,omitempty"` // the agent that signs so; absent for another bot
}

// Words says what the commit says, as in "its co-author is Claude".
func (c *Claim) Words() string {
	who := c.Name
	if c.Agent != "" && c.Agent != c.Name {
		who += " (" + c.Agent + ")"
	}
	switch c.By {
	case ByAuthor:
		return "its author is " + who
	case ByCoAuthor:
		return "its co-author is " + who
	}
	return "it was assisted by " + who
}

// claimsListed is the most commits whose claims a page or a comment lists.
const claimsListed = 10

// ClaimLines says how many lines are claimed, and by which commits; nil if none are.
func (d *Document) ClaimLines() []string {
	if d.Totals.Claimed == 0 {
		return nil
	}
	n := d.Totals.Claimed
	out := []string{fmt.Sprintf("%d line%s of unknown authors, whose commits name an agent or a bot (nothing was recorded):", n, s(n))}
	list := d.claimedCommits()
	for i, c := range list {
		if i == claimsListed && len(list) > claimsListed+1 {
			out = append(out, fmt.Sprintf("… and %d more commits", len(list)-i))
			break
		}
		out = append(out, c.ID[:7]+": "+c.Claim.Words())
	}
	return out
}

// check returns what is wrong with a commit's claim.
func (c *Claim) check() error {
	switch {
	case c == nil:
		return nil
	case c.By != ByAuthor && c.By != ByCoAuthor && c.By != ByAssisted:
		return fmt.Errorf("%.40q is none of author, co-author, assisted-by", c.By)
	case c.Name == "" && c.Agent == "":
		return fmt.Errorf("it names nobody")
	}
	return nil
}

// claimedCommits returns the commits whose claims explain lines of the document.
func (d *Document) claimedCommits() (out []Commit) {
	seen := map[int]bool{}
	for i := range d.Files {
		for _, g := range d.Files[i].Ranges {
			if g.Commit >= 0 && !seen[g.Commit] && d.Owners[g.Owner].Evidence == Claimed && d.Commits[g.Commit].Claim != nil {
				seen[g.Commit] = true
			}
		}
	}
	for i, c := range d.Commits {
		if seen[i] {
			out = append(out, c)
		}
	}
	return out
}
