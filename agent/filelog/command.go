package filelog

import (
	"slices"
	"strconv"
	"strings"

	"entire/agent"
)

// commandWrites returns what a script writes into files with a text that it has itself: a here-document, echo and
// printf. What a shell would replace is left out, and so is a file that is only emptied.
func commandWrites(script string) []agent.FileFact {
	if !strings.ContainsAny(script, "><") && !strings.Contains(script, "mv ") && !strings.Contains(script, "cp ") && !strings.Contains(script, "sed ") {
		return nil
	}
	var out []agent.FileFact
	dir := ""
	for _, c := range simpleCommands(script) {
		if len(c.words) == 2 && c.words[0] == "cd" && c.literal {
			dir = below(dir, c.words[1])
		}
		if from, to, stay, ok := c.moves(); ok {
			out = append(out, agent.FileFact{Kind: agent.FileMoved, Path: below(dir, from), To: below(dir, to), Stay: stay})
			continue
		}
		if files, changes := c.substitutes(); len(changes) > 0 {
			for _, file := range files {
				out = append(out, agent.FileFact{Kind: agent.FileChanged, Path: below(dir, file), Changes: changes})
			}
			continue
		}
		text, ok := c.output()
		if c.to == "" && ok && c.words[0] == "tee" {
			c.to = c.words[len(c.words)-1]
		}
		if !ok || c.to == "" || text == "" || strings.HasPrefix(c.to, "/dev/") {
			continue
		}
		f := agent.FileFact{Kind: agent.FileWhole, Path: below(dir, c.to), Text: text}
		if c.add {
			f = agent.FileFact{Kind: agent.FileChanged, Path: f.Path, Changes: []agent.FileChange{{Append: text}}}
		}
		out = append(out, f)
	}
	return out
}

// moves returns the file that a command gives another name, or copies.
func (c *simple) moves() (from, to string, stay, ok bool) {
	words := c.words
	if len(words) > 0 && words[0] == "git" {
		words = words[1:]
	}
	if !c.literal || c.piped || len(words) < 3 || words[0] != "mv" && words[0] != "cp" {
		return "", "", false, false
	}
	stay = words[0] == "cp"
	words = words[1:]
	for len(words) > 2 && slices.Contains([]string{"-f", "-n", "-p", "-v", "-i", "-k", "--"}, words[0]) {
		words = words[1:]
	}
	if len(words) != 2 || strings.HasPrefix(words[0], "-") || strings.HasPrefix(words[1], "-") {
		return "", "", false, false
	}
	return words[0], words[1], stay, true
}

func below(dir, path string) string {
	if dir == "" || strings.HasPrefix(path, "/") {
		return path
	}
	return dir + "/" + path
}

// output returns what a command prints; false if that is not known.
func (c *simple) output() (string, bool) {
	if !c.literal || c.piped || len(c.words) == 0 {
		return "", false
	}
	switch c.words[0] {
	case "cat":
		return c.body, c.hasBody && (len(c.words) == 1 || len(c.words) == 2 && c.words[1] == "-")
	case "tee":
		return c.body, c.hasBody && len(c.words) == 2 && !strings.HasPrefix(c.words[1], "-")
	case "echo":
		return echoed(c.words[1:])
	case "printf":
		return printed(c.words[1:])
	}
	return "", false
}

// echoed returns what echo prints. Shells disagree about a backslash.
func echoed(words []string) (string, bool) {
	end := "\n"
	if len(words) > 0 && words[0] == "-n" {
		words, end = words[1:], ""
	}
	text := strings.Join(words, " ")
	return text + end, !strings.Contains(text, `\`) && (len(words) == 0 || !strings.HasPrefix(words[0], "-"))
}

// printed returns what printf prints, for the conversions %s, %d and %%.
func printed(words []string) (string, bool) {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", false
	}
	format, args := words[0], words[1:]
	var b strings.Builder
	for {
		used := 0
		for i := 0; i < len(format); i++ {
			if format[i] != '%' && format[i] != '\\' {
				b.WriteByte(format[i])
				continue
			}
			if i++; i == len(format) {
				return "", false
			}
			switch pair := format[i-1 : i+1]; pair {
			case `\n`:
				b.WriteByte('\n')
			case `\t`:
				b.WriteByte('\t')
			case `\\`, `\"`, `\'`:
				b.WriteByte(pair[1])
			case "%%":
				b.WriteByte('%')
			case "%s", "%d":
				if len(args) > used {
					b.WriteString(args[used])
				}
				used++
			default:
				return "", false
			}
		}
		if args = args[min(used, len(args)):]; len(args) == 0 || used == 0 {
			return b.String(), true
		}
	}
}

// shownBy returns which file a command prints, and from which line on; whole says that it prints all of it.
func shownBy(command string) (path string, first int, whole, ok bool) {
	list := simpleCommands(command)
	dir := ""
	if len(list) == 2 && len(list[0].words) == 2 && list[0].words[0] == "cd" && list[0].literal {
		dir, list = list[0].words[1], list[1:]
	}
	if len(list) != 1 || !list[0].literal || list[0].piped || list[0].to != "" {
		return "", 0, false, false
	}
	switch words := list[0].words; {
	case len(words) == 2 && words[0] == "cat" && !strings.HasPrefix(words[1], "-"):
		return below(dir, words[1]), 1, true, true
	case len(words) == 4 && words[0] == "sed" && words[1] == "-n":
		from, to, _ := strings.Cut(strings.TrimSuffix(words[2], "p"), ",")
		n, err := strconv.Atoi(from)
		_, bad := strconv.Atoi(to)
		return below(dir, words[3]), n, false, err == nil && n > 0 && (bad == nil || to == "" || to == "$") && strings.HasSuffix(words[2], "p")
	}
	return "", 0, false, false
}
