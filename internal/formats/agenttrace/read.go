package agenttrace

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Read returns what can be read of a record that another program wrote, and says in problems what it
// left out: files that the revision does not have, ranges that are no lines of their file, and
// ranges whose lines an earlier range has. It returns an error if the text is no record at all.
func Read(data []byte, length Length) (r *Record, problems []string, err error) {
	r = &Record{}
	var other *json.UnmarshalTypeError
	switch err := json.Unmarshal(data, r); {
	case errors.As(err, &other) && other.Field != "": // the other members have been read
		problems = append(problems, fmt.Sprintf("%.80q left out: a %s cannot stand there", other.Field, other.Value))
	case err != nil:
		return nil, nil, fmt.Errorf("not a record: %w", err)
	}
	if r.Version == "" || r.Files == nil {
		return nil, nil, errors.New("not a record: it has no version or no files")
	}
	if r.Version != Version {
		problems = append(problems, fmt.Sprintf("version %.40q is read as %s", r.Version, Version))
	}
	files := r.Files
	r.Files = []File{}
	for _, f := range files {
		end := -1
		if length != nil {
			n, there := length(f.Path)
			if !there {
				problems = append(problems, fmt.Sprintf("%q: left out, because the revision has no such file", f.Path))
				continue
			}
			end = n
		}
		kept, why := f.readable(end)
		problems = append(problems, why...)
		r.Files = append(r.Files, kept)
	}
	return r, problems, nil
}

// readable returns the file without the ranges that cannot be true.
func (f File) readable(end int) (out File, problems []string) {
	out.Path = f.Path
	var taken []Range
	for _, c := range f.Conversations {
		kept := []Range{}
		for _, g := range c.Ranges {
			why := ""
			switch {
			case g.StartLine < 1 || g.EndLine < g.StartLine:
				why = "they are no lines"
			case end >= 0 && g.EndLine > end:
				why = fmt.Sprintf("the file has %d", end)
			case slices.ContainsFunc(taken, func(t Range) bool { return g.StartLine <= t.EndLine && t.StartLine <= g.EndLine }):
				why = "another range has some of them"
			case g.of(c).check("") != nil:
				why = "their contributor is of no known type"
			}
			if why != "" {
				problems = append(problems, fmt.Sprintf("%q: lines %d to %d left out: %s", f.Path, g.StartLine, g.EndLine, why))
				continue
			}
			kept, taken = append(kept, g), append(taken, g)
		}
		c.Ranges = kept
		out.Conversations = append(out.Conversations, c)
	}
	return out, problems
}

// of returns the range's contributor, or else the conversation's.
func (g Range) of(c Conversation) *Contributor {
	if g.Contributor != nil {
		return g.Contributor
	}
	return c.Contributor
}
