package authorship

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Decode returns a note that Check accepts, and refuses any other text.
func Decode(data []byte, length Length) (*Note, error) {
	n, problems, err := parse(data)
	switch {
	case err != nil:
		return nil, err
	case len(problems) > 0:
		return nil, errors.New(problems[0])
	}
	return n, n.Check(length)
}

// Read returns what can be read of a note that another program wrote, and says in problems what it
// left out: lines that are no entries, keys without a record, files that the commit does not have,
// and ranges that are no lines of their file. Where entries overlap, the last one has the line, as
// git-ai reads it. It returns an error for another version, and for a text that is no note at all.
func Read(data []byte, length Length) (n *Note, problems []string, err error) {
	n, problems, err = parse(data)
	if err != nil {
		return nil, nil, err
	}
	files := n.Files
	n.Files = nil
	for _, f := range files {
		end := -1
		if length != nil {
			lines, there := length(f.Path)
			if !there {
				problems = append(problems, fmt.Sprintf("%q: left out, because the commit has no such file", f.Path))
				continue
			}
			end = lines
		}
		kept, why := n.readable(f, end)
		problems = append(problems, why...)
		if len(kept.Entries) > 0 {
			n.Files = append(n.Files, kept)
		}
	}
	slices.SortStableFunc(n.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	n.Files = joined(n.Files)
	return n, problems, nil
}

// joined puts the entries of a path that is listed twice together.
func joined(files []File) (out []File) {
	for _, f := range files {
		if k := len(out) - 1; k >= 0 && out[k].Path == f.Path {
			out[k].Entries = lastWins(append(out[k].Entries, f.Entries...))
			continue
		}
		out = append(out, f)
	}
	return out
}

// readable returns the file without the entries and ranges that cannot be true.
func (n *Note) readable(f File, end int) (out File, problems []string) {
	out.Path = f.Path
	for _, e := range f.Entries {
		if _, _, known := n.Record(e.Key); !known {
			problems = append(problems, fmt.Sprintf("%q: %d ranges left out: the metadata has no record of %.60q", f.Path, len(e.Ranges), e.Key))
			continue
		}
		kept := Entry{Key: e.Key}
		for _, g := range e.Ranges {
			if g.Start < 1 || g.End < g.Start || end >= 0 && g.End > end {
				problems = append(problems, fmt.Sprintf("%q: %s left out: it is not in the file", f.Path, g))
				continue
			}
			kept.Ranges = append(kept.Ranges, g)
		}
		if len(kept.Ranges) > 0 {
			out.Entries = append(out.Entries, kept)
		}
	}
	out.Entries = lastWins(out.Entries)
	return out, problems
}

// lastWins takes each line from all entries but the last that has it, and sorts their ranges.
func lastWins(entries []Entry) (out []Entry) {
	var taken []Range
	for _, e := range slices.Backward(entries) {
		kept := Entry{Key: e.Key}
		ranges := slices.Clone(e.Ranges)
		slices.SortFunc(ranges, func(a, b Range) int { return a.Start - b.Start })
		for _, g := range ranges {
			free := without(g, taken)
			kept.Ranges = append(kept.Ranges, free...)
			taken = append(taken, free...)
			slices.SortFunc(taken, func(a, b Range) int { return a.Start - b.Start })
		}
		if len(kept.Ranges) > 0 {
			out = append(out, kept)
		}
	}
	slices.Reverse(out)
	return out
}

// without returns the parts of g that no range of taken has; taken is sorted and does not overlap.
func without(g Range, taken []Range) (out []Range) {
	for _, t := range taken {
		if t.End < g.Start || t.Start > g.End {
			continue
		}
		if t.Start > g.Start {
			out = append(out, Range{g.Start, t.Start - 1})
		}
		if g.Start = t.End + 1; g.Start > g.End {
			return out
		}
	}
	return append(out, g)
}

// parse reads the text of a note. Problems are lines that it does not understand.
func parse(data []byte) (n *Note, problems []string, err error) {
	head, meta, found := strings.Cut("\n"+strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"+divider+"\n")
	if !found {
		return nil, nil, errors.New("not a note of git-ai: it has no line ---")
	}
	n = &Note{}
	var other *json.UnmarshalTypeError
	switch err := json.Unmarshal([]byte(meta), &n.Metadata); {
	case errors.As(err, &other): // the other members have been read
		problems = append(problems, fmt.Sprintf("metadata %.80q left out: a %s cannot stand there", other.Field, other.Value))
	case err != nil:
		return nil, nil, fmt.Errorf("not a note of git-ai: read its metadata: %w", err)
	}
	if n.Metadata.Schema != Version {
		return nil, nil, fmt.Errorf("schema_version %.60q is not known, only %s is", n.Metadata.Schema, Version)
	}
	for i, line := range strings.Split(strings.TrimPrefix(head, "\n"), "\n") {
		switch {
		case strings.TrimSpace(line) == "":
		case !strings.HasPrefix(line, "  "):
			path := line
			if len(path) > 1 && strings.HasPrefix(path, `"`) && strings.HasSuffix(path, `"`) {
				path = path[1 : len(path)-1]
			}
			n.Files = append(n.Files, File{Path: path})
		default:
			e, why := parseEntry(line)
			if why == "" && len(n.Files) == 0 {
				why = "it is above the first file"
			}
			if why != "" {
				problems = append(problems, fmt.Sprintf("line %d is no entry: %s", i+1, why))
			}
			if len(e.Ranges) > 0 && len(n.Files) > 0 {
				f := &n.Files[len(n.Files)-1]
				f.Entries = append(f.Entries, e)
			}
		}
	}
	return n, problems, nil
}

// parseEntry reads a line with a key and its ranges; why says what it could not read.
func parseEntry(line string) (e Entry, why string) {
	key, list, found := strings.Cut(strings.TrimSpace(line), " ")
	if !found {
		return e, fmt.Sprintf("%.60q has no ranges", key)
	}
	e.Key = key
	for part := range strings.SplitSeq(list, ",") {
		first, last, both := strings.Cut(strings.TrimSpace(part), "-")
		if !both {
			last = first
		}
		start, err1 := strconv.Atoi(first)
		end, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil {
			why = fmt.Sprintf("%.60q is no range", part)
			continue
		}
		e.Ranges = append(e.Ranges, Range{start, end})
	}
	return e, why
}
