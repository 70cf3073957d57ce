package review

import (
	"slices"
	"strconv"
	"strings"
)

// contextLines is how many unchanged lines are shown above and below a hunk.
const contextLines = 3

// AddContext reads the unchanged lines near each hunk. text returns the new version of a file, or false
// if it is not available.
func (d *Document) AddContext(text func(path string) ([]byte, bool)) {
	for i := range d.Files {
		f := &d.Files[i]
		path, err := pathOfJSON(f.Path)
		if err != nil || f.Skipped || len(f.Hunks) == 0 {
			continue
		}
		if data, ok := text(path); ok {
			f.context = linesNearHunks(f, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"))
		}
	}
}

// pathOfJSON returns the path that pathtext.Encode encoded.
func pathOfJSON(path string) (string, error) {
	if strings.HasPrefix(path, `"`) {
		return strconv.Unquote(path)
	}
	return path, nil
}

// linesNearHunks returns the unchanged lines near the hunks, by line number. It returns none if the text
// does not have f.Lines lines: then it is another version of the file.
func linesNearHunks(f *File, lines []string) map[int]string {
	around := map[int]string{}
	if len(lines) != f.Lines {
		return around
	}
	for _, h := range f.Hunks {
		for _, span := range [][2]int{{h.Start - contextLines, h.Start}, {h.Start + h.Count, h.Start + h.Count + contextLines}} {
			for n := max(1, span[0]); n < span[1] && n <= len(lines); n++ {
				if _, added := f.text[n]; !added {
					around[n] = lines[n-1]
				}
			}
		}
	}
	return around
}

// near returns the known unchanged lines in the range first to last-1.
func (f *File) near(first, last int) (numbers []int) {
	for n := first; n < last; n++ {
		if _, known := f.context[n]; known {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// above returns the lines shown above hunk i, without those shown below the previous hunk.
func (f *File) above(i int) []int {
	h := f.Hunks[i]
	first := h.Start - contextLines
	if i > 0 {
		if below := f.below(i - 1); len(below) > 0 {
			first = max(first, slices.Max(below)+1)
		}
	}
	return f.near(first, h.Start)
}

// below returns the lines shown below hunk i.
func (f *File) below(i int) []int {
	end := f.Hunks[i].Start + f.Hunks[i].Count
	last := end + contextLines
	if i+1 < len(f.Hunks) {
		last = min(last, f.Hunks[i+1].Start)
	}
	return f.near(end, last)
}
