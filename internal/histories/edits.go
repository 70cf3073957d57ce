package histories

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// An Edit is what somebody does to one path.
type Edit struct {
	Path     string
	Old, Now File
	Tool     string // of an agent's: "edit", "write" or "sh", which no transcript tells the changes of
}

// Do does the edit as a session's agent, or as a person. put writes it.
func (e Edit) Do(by By, put func()) {
	switch {
	case by == nil:
		put()
	case e.Tool == "write":
		by.Write(e.Path, e.Old.Text, e.Now.Text, put)
	case e.Tool == "edit":
		by.Edit(e.Path, e.Old.Text, e.Now.Text, put)
	default:
		by.Shell("make "+e.Path, put)
	}
}

// Change has somebody change a file, two by a rename.
func (p *Player) Change(by By, wt int, rng *rand.Rand) {
	now := p.Files(wt)
	path := Pick(rng, p.Names)
	old, there := now[path]
	f := old
	switch kind := p.Changes.Pick(rng); {
	case kind == "mode" && old.IsText():
		f.Mode = map[string]string{"644": "755", "755": "644"}[old.Mode]
	case kind == "remove" && there:
		f = File{}
	case kind == "rename" && there:
		to := Pick(rng, p.Names)
		if to == path || Below(to, path) || Below(path, to) || reachable(p.Repo.Dir(wt), to) {
			return
		}
		p.Edit(by, wt, []Edit{{path, old, File{}, "sh"}, {to, File{}, old, "sh"}})
		return
	case kind == "link":
		f = File{"link", Pick(rng, append(slices.Clone(p.Links), p.Line(by)))}
	case kind == "odd":
		f = File{Pick(rng, []string{"644", "755"}), Pick(rng, []string{"", "no end of line", "crlf\r\n" + p.Line(by) + "\r\n", "bin\x00" + p.Line(by), "\xff\xfe" + p.Line(by) + "\n"})}
	case kind == "pipe":
		f = File{"pipe", ""}
	case kind == "nested":
		path = Pick(rng, []string{"nested/file", "nested/new"})
		old, f = now[path], File{"644", p.Line(by) + "\n"}
	case old.IsText():
		f.Text = p.changedText(by, old.Text, rng)
	default:
		f = File{Pick(rng, []string{"644", "644", "755"}), ""}
		for range 1 + rng.IntN(6) {
			f.Text += p.Line(by) + "\n"
		}
	}
	e := Edit{path, old, f, p.Tools.Pick(rng)}
	if f.Mode != "644" || old.Mode != "644" && old.Mode != "" || !utf8.ValidString(f.Text) {
		e.Tool = "sh"
	} else if old.Mode == "" && e.Tool == "edit" {
		e.Tool = "write"
	}
	p.Edit(by, wt, []Edit{e})
}

func (p *Player) changedText(by By, text string, rng *rand.Rand) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(p.changedLines(by, lines, rng), "")
}

// changedLines changes the lines of a file, which have their ends, in one of the ways that Lines weighs.
func (p *Player) changedLines(by By, lines []string, rng *rand.Rand) []string {
	at := rng.IntN(len(lines) + 1)
	end := min(len(lines), at+1+rng.IntN(4))
	var fresh []string
	for range 1 + rng.IntN(3) {
		fresh = append(fresh, p.Line(by)+"\n")
	}
	switch p.Lines.Pick(rng) {
	case "replace":
		return slices.Replace(lines, at, end, fresh...)
	case "delete":
		if end-at < len(lines) {
			return slices.Delete(lines, at, end)
		}
	case "reword": // the words stay
		for i := at; i < end; i++ {
			lines[i] = p.reworded(by, lines[i])
		}
		return lines
	case "move":
		block := slices.Clone(lines[at:end])
		rest := slices.Delete(lines, at, end)
		return slices.Insert(rest, rng.IntN(len(rest)+1), block...)
	case "indent":
		for i := at; i < end; i++ {
			if lines[i] != "\n" {
				lines[i] = "\t" + lines[i]
			}
		}
		return lines
	case "braces":
		return slices.Insert(lines, at, []string{"{\n", "}\n", "\n", "}\n"}[rng.IntN(3):]...)
	case "sort":
		slices.Sort(lines[at:end])
		return lines
	case "rewrite":
		for i := range lines {
			if rng.IntN(3) == 0 {
				lines[i] = p.Line(by) + "\n"
			}
		}
		return lines
	}
	return slices.Insert(lines, at, fresh...)
}

// reworded is a line of somebody's with the words that it had.
func (p *Player) reworded(by By, line string) string {
	body := strings.TrimLeft(line, "\t")
	_, rest, found := strings.Cut(body, " the ")
	if !found {
		return line
	}
	mark, _, _ := strings.Cut(p.Line(by), " ")
	return line[:len(line)-len(body)] + mark + " the " + rest
}
