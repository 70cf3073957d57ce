package sharecmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/term"
)

// filesShown is how many files a preview names.
const filesShown = 20

// A preview says what a page would have, and is its JSON form.
type preview struct {
	Kind      string         `json:"kind"` // turn, checkpoint or session
	ID        string         `json:"id"`
	Title     string         `json:"title"`
	Commit    string         `json:"commit,omitempty"`
	Format    string         `json:"format"`
	File      string         `json:"file"`
	Made      time.Time      `json:"made_at"`
	Expires   time.Time      `json:"expires_at"`
	Sessions  []string       `json:"session_ids"`
	Turns     int            `json:"turns"`
	Messages  int            `json:"messages"`
	Files     []changedFile  `json:"files"`
	Left      []string       `json:"left_out"` // files whose change is too large
	Images    int            `json:"images_left_out,omitempty"`
	Bytes     int64          `json:"bytes"`
	Taken     int            `json:"redacted_now"`    // secrets that today's rules took out
	Rules     map[string]int `json:"redacted_by"`     // the same, by rule
	Before    int            `json:"redacted_before"` // those that were taken out when it was stored
	Encrypted bool           `json:"encrypted_here,omitempty"`
	Written   bool           `json:"written"`
}

type changedFile struct {
	Path       string `json:"path"`
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"`
}

func previewOf(p *sharedPage, c *cleaner) *preview {
	v := &preview{Kind: p.Kind, ID: p.ID, Title: p.Title, Commit: p.Commit, Format: formHTML, Made: p.Made.UTC(), Expires: p.Expires.UTC(),
		Sessions: []string{}, Turns: p.Turns, Files: []changedFile{}, Left: cliui.NotNil(p.Left), Images: images(p.subject), Rules: c.taken, Before: c.before}
	for _, one := range p.Parts {
		v.Sessions, v.Messages = append(v.Sessions, one.Session), v.Messages+len(one.Said)
	}
	for _, f := range p.Diff.Files {
		v.Files = append(v.Files, changedFile{f.Path, f.Insertions, f.Deletions})
	}
	for _, n := range c.taken {
		v.Taken += n
	}
	return v
}

// tell shows the preview to a person.
func (v *preview) tell(out io.Writer, t term.Terminal) {
	fmt.Fprintf(out, "%s %s: %s\n", strings.ToUpper(v.Kind[:1])+v.Kind[1:], t.Styled(term.Strong, v.shortID()), cliui.ShortLine(v.Title, cliui.PromptRunes))
	fmt.Fprintf(out, "  %s in %s of %s\n", cliui.Count(v.Messages, "message"), cliui.Count(v.Turns, "turn"), cliui.Count(len(v.Sessions), "session"))
	if len(v.Files) > 0 {
		fmt.Fprintf(out, "  the changed lines of %s:\n", cliui.Count(len(v.Files), "file"))
	}
	for i, f := range v.Files {
		if i == filesShown {
			fmt.Fprintf(out, "    and %s\n", cliui.Count(len(v.Files)-i, "more file"))
			break
		}
		fmt.Fprintf(out, "    %s  +%d -%d\n", cliui.ShownName(f.Path), f.Insertions, f.Deletions)
	}
	if len(v.Left) > 0 {
		fmt.Fprintf(out, "  without the lines of %s, too many to show: %s\n", cliui.Count(len(v.Left), "file"), cliui.SomeNames(v.Left))
	}
	if v.Images > 0 {
		fmt.Fprintf(out, "  without %s\n", cliui.Count(v.Images, "image"))
	}
	v.tellRedacted(out)
	if v.Encrypted {
		fmt.Fprintln(out, "  this project encrypts what is stored of conversations; the file is in clear")
	}
	fmt.Fprintf(out, "  %s of HTML, expires %s\n", cliui.ByteCount(v.Bytes), v.Expires.Format("2006-01-02 15:04 MST"))
}

func (v *preview) tellRedacted(out io.Writer) {
	if v.Taken > 0 {
		var rules []string
		for _, rule := range slices.Sorted(maps.Keys(v.Rules)) {
			rules = append(rules, fmt.Sprintf("%s %d", rule, v.Rules[rule]))
		}
		fmt.Fprintf(out, "  %s taken out with today's rules: %s\n", cliui.Count(v.Taken, "secret"), strings.Join(rules, ", "))
	}
	if v.Before > 0 {
		fmt.Fprintf(out, "  %s taken out when it was stored\n", cliui.Count(v.Before, "secret"))
	}
	if v.Taken+v.Before == 0 {
		fmt.Fprintln(out, "  nothing in it looks like a secret")
	}
}

func (v *preview) shortID() string {
	switch v.Kind {
	case kindTurn:
		return cliui.ShortID(v.ID)
	case kindSession:
		return cliui.ShownSession(v.ID)
	}
	return v.ID
}

// done says what was written, or would be.
func (v *preview) done(env *cliui.Env, o options) error {
	if o.json {
		return env.PrintJSON(v)
	}
	if o.dryRun {
		_, err := fmt.Fprintf(env.Out, "Nothing was written; it would be %s.\n", cliui.ShownName(v.File))
		return err
	}
	_, err := fmt.Fprintf(env.Out, "Wrote %s, %s.\n", cliui.ShownName(v.File), cliui.ByteCount(v.Bytes))
	return err
}
