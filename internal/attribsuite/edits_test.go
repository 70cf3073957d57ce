package attribsuite

import (
	"fmt"
	"slices"
	"strings"
)

// edits changes files as somebody.
func (o *oracle) edits(who string, n int) {
	for range n {
		o.edit(who)
	}
}

func (o *oracle) edit(who string) {
	all := o.files()
	if len(all) == 0 || len(all) < 5 && o.IntN(10) == 0 {
		path := fmt.Sprintf("%s%d.txt", o.pick("new", 1, "dir/new", 1), o.IntN(30))
		if !o.Exists(path) {
			tool := o.toolOf(who)
			o.do("%s%s %s = %s", who, tool, path, o.fresh(who, 1+o.IntN(5)))
			return
		}
	}
	path := all[o.IntN(len(all))]
	if o.IntN(40) == 0 && len(all) > 2 && !o.calls { // a command
		if k := o.talks[who]; k != nil {
			o.ran[who] = k.turn
		}
		o.do("%s rm %s", who, path)
		return
	}
	tool := o.toolOf(who)
	o.do("%s%s %s = %s", who, tool, path, joined(o.changed(who, o.read(path))))
}

// moveOver has a person take lines out of one file and put them into another, and commit
// both.
func (o *oracle) moveOver() {
	all := o.files()
	if len(all) < 2 {
		return
	}
	o.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	lines, others := o.read(all[0]), o.read(all[1])
	if len(lines) < 3 {
		return
	}
	i := o.IntN(len(lines) - 1)
	j := min(len(lines), i+1+o.IntN(3))
	at := o.IntN(len(others) + 1)
	o.toolOf("p")
	o.do("p %s = %s", all[1], joined(slices.Concat(others[:at], lines[i:j], others[at:])))
	o.do("p %s = %s", all[0], joined(slices.Concat(lines[:i], lines[j:])))
	if o.IntN(3) == 0 {
		o.do("check worktree")
	}
	o.do("~ git add -A && git commit -q -m 'moved over %d'", o.lines)
}

// toolOf picks the tool of an edit. Nobody can tell whose lines are that a command
// writes in a turn beside which another session was at work, or a person beside a turn
// that is not over.
func (o *oracle) toolOf(who string) string {
	tool := o.tool(who)
	o.blurred = nil
	if tool == " sh" {
		o.ran[who] = o.talks[who].turn
		o.blurred = o.beside(who)
	} else if who == "p" && o.anyOpen("") {
		o.blurred = &o.always
	}
	return tool
}

// beside says of a session's turn whether another session has been at work during it.
func (o *oracle) beside(who string) *bool {
	k := o.talks[who]
	key := fmt.Sprint(who, k.turn)
	if o.besides[key] == nil {
		o.besides[key] = new(bool)
	}
	*o.besides[key] = *o.besides[key] || o.anyOpen(who)
	return o.besides[key]
}

// anyOpen reports whether a session other than one is in a turn.
func (o *oracle) anyOpen(but string) bool {
	for name, k := range o.talks {
		if k.open && name != but {
			return true
		}
	}
	return false
}

// tool is the agent's, by which it changes a file.
func (o *oracle) tool(who string) string {
	if who == "p" {
		return ""
	}
	if o.calls {
		return ""
	}
	return o.pick("", 5, " write", 2, " sh", 2)
}

// changed is a file after one change.
func (o *oracle) changed(who string, lines []token) []token {
	at := o.IntN(len(lines) + 1)
	end := min(len(lines), at+1+o.IntN(4))
	var fresh []token
	for range 1 + o.IntN(3) {
		fresh = append(fresh, o.newToken(who))
	}
	switch o.pick("insert", 5, "replace", 3, "reword", 2, "delete", 2, "move", 1, "indent", 1, "braces", 1, "sort", 1, "rewrite", 1) {
	case "insert":
		return slices.Insert(lines, at, fresh...)
	case "replace":
		return slices.Replace(lines, at, end, fresh...)
	case "reword": // the words stay, mostly
		for i := at; i < end; i++ {
			o.lines++
			lines[i] = o.reworded(who, lines[i])
		}
	case "delete":
		return slices.Delete(lines, at, end)
	case "move":
		block := slices.Clone(lines[at:end])
		rest := slices.Delete(lines, at, end)
		return slices.Insert(rest, o.IntN(len(rest)+1), block...)
	case "indent":
		for i := at; i < end; i++ {
			if lines[i] != "." {
				lines[i] = ">" + lines[i]
			}
		}
	case "braces":
		return slices.Insert(lines, at, []token{"{", "}", ".", "}"}[o.IntN(3):]...)
	case "sort":
		slices.Sort(lines[at:end])
	case "rewrite":
		for i := range lines {
			if o.IntN(3) == 0 {
				lines[i] = o.newToken(who)
			}
		}
	}
	return lines
}

func (o *oracle) reworded(who string, k token) token {
	indent := k[:len(k)-len(strings.TrimLeft(string(k), ">"))]
	of := strings.TrimLeft(string(k), ">")
	if _, words, is := strings.Cut(of, "("); is {
		of = strings.TrimSuffix(words, ")")
	}
	if marked, _ := marked(token(of).text()); marked == "" {
		return k
	}
	fresh := o.newToken(who)
	return indent + o.remember(token(fmt.Sprintf("%s(%s)", fresh, of)))
}

func joined(lines []token) string {
	var out []string
	for _, k := range lines {
		out = append(out, string(k))
	}
	return strings.Join(out, " ")
}
