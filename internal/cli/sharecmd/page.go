package sharecmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/web/view"
	"entire/internal/durable"
	"entire/internal/patch"
)

// allRoom is the room of a page that shows everything.
const allRoom = 1 << 30

// page writes the page of a subject, after it has shown what goes in.
func page(ctx context.Context, l *sessionlib.Library, s *subject, o options) error {
	text, v, err := makePage(l.Env, l.Ident.Top, s, o.life)
	if err != nil {
		return err
	}
	v.Encrypted = l.Wp != nil && l.Wp.Settings.Sealed
	name := cmp.Or(o.output, "share-"+s.short()+".html")
	v.File = name
	if !o.json || !o.yes && !o.dryRun {
		v.tell(l.Env.Err, l.Env.Screen())
	}
	if o.dryRun {
		return v.done(l.Env, o)
	}
	if err := mayWrite(ctx, l.Env, o); err != nil {
		return err
	}
	if name == "-" {
		_, err := l.Env.Raw().Write(text)
		return err
	}
	if err := write(l.Abs(name), name, text, o.force); err != nil {
		return err
	}
	v.Written = true
	return v.done(l.Env, o)
}

// write writes the file, and replaces one only if it may.
func write(path, shown string, text []byte, force bool) error {
	if force {
		return durable.WriteFile(path, text, 0o600)
	}
	err := durable.WriteNew(path, bytes.NewReader(text), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return cliui.Failf("--force replaces it, --output names another", "share: %s exists", cliui.ShownName(shown))
	}
	return err
}

// A sharedPage is what the template shows.
type sharedPage struct {
	*subject
	Made, Expires time.Time
	Shown         []shownPart
	Diff          view.Diff
	Turns         int
	Taken         int
}

type shownPart struct {
	Session, Agent, Model string
	Entries               []view.Entry
	Cut                   int
}

// makePage returns the page of a subject that expires after life, and what a preview says of it. It cleans the subject.
func makePage(env *cliui.Env, top string, s *subject, life time.Duration) ([]byte, *preview, error) {
	c := newCleaner(top, env.Home())
	c.subject(s)
	now := env.Now().Truncate(time.Second)
	p := sharedPage{subject: s, Made: now, Expires: now.Add(life), Turns: s.turns()}
	number := 0
	for _, one := range s.Parts {
		for i := range one.Said {
			number++
			one.Said[i].Number = number
		}
		conversations, _ := view.Entries(one.Said, top, view.NewRoom(allRoom))
		p.Shown = append(p.Shown, shownPart{cliui.ShownSession(one.Session), string(cliui.AgentOr(one.Agent)), one.Model, conversations, one.Cut})
	}
	files, err := patch.Parse(s.Patch)
	if err != nil {
		return nil, nil, err
	}
	show := view.Shower{Whole: true, More: func(string, int, int) string { return "" }}
	p.Diff = show.Show(files, 0, 0)
	for i := range p.Diff.Files {
		f := &p.Diff.Files[i]
		f.Path, f.Old = c.text(f.Path), c.text(f.Old)
		for k := range f.Hunks {
			f.Hunks[k].Section = c.text(f.Hunks[k].Section)
		}
	}
	for i := range p.Left {
		p.Left[i] = c.text(p.Left[i])
	}
	v := previewOf(&p, c)
	p.Taken = v.Taken + v.Before
	views := view.New(view.Options{Links: view.Links{None: true}, Zone: time.Local, Now: env.Now, ReadOnly: true})
	f := view.Frame{Title: s.Title, Repository: filepath.Base(top), Alone: true, Expires: p.Expires,
		Note: "Made with entire on " + now.Format("2 January 2006") + ". What looked like a secret was taken out."}
	var out bytes.Buffer
	if err := views.Render(&out, "shared", f, p); err != nil {
		return nil, nil, err
	}
	v.Bytes = int64(out.Len())
	return out.Bytes(), v, nil
}

// images counts the images of messages, which no page has: nobody looks for secrets in them.
func images(s *subject) (n int) {
	for _, p := range s.Parts {
		for _, m := range p.Said {
			if m.Role != agent.RoleTool || len(m.Content) < 1<<10 {
				n += strings.Count(m.Content, "[image]")
			}
		}
	}
	return n
}
