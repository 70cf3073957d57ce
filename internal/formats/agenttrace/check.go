package agenttrace

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// modelMax is the most characters of a model's ID.
const modelMax = 250

// Check returns what is wrong with the record, or nil. A record is right if every field has the
// form that the format asks for, each file is there once, and no line of a file is in two ranges or
// past the file's end. Encode asks for more, so that the same owners always give the same record.
func (r *Record) Check(length Length) error {
	if r.Version != Version {
		return fmt.Errorf("version: %.40q is not %s", r.Version, Version)
	}
	if err := uuid.Validate(r.ID); err != nil || len(r.ID) != 36 {
		return fmt.Errorf("id: %.60q is no UUID", r.ID)
	}
	if t, err := time.Parse(time.RFC3339, r.Timestamp); err != nil || t.IsZero() {
		return fmt.Errorf("timestamp: %.40q is no time of RFC 3339", r.Timestamp)
	}
	if r.VCS != nil {
		if err := r.VCS.check(); err != nil {
			return err
		}
	}
	if r.Tool != nil && (r.Tool.Name == "" || r.Tool.Version == "") {
		return fmt.Errorf("tool: it has no name or no version")
	}
	if r.Files == nil {
		return fmt.Errorf("files: missing")
	}
	seen := map[string]bool{}
	for i, f := range r.Files {
		at := fmt.Sprintf("files[%d]", i)
		if seen[f.Path] {
			return fmt.Errorf("%s.path: %.120q is there twice", at, f.Path)
		}
		seen[f.Path] = true
		if err := f.check(at, length); err != nil {
			return err
		}
	}
	return nil
}

// checkForm returns an error unless the record has the form that Encode writes, which the standard does not ask for:
// the time in UTC, files in the order of their paths, and the ranges of a conversation in theirs.
func (r *Record) checkForm() error {
	if !strings.HasSuffix(r.Timestamp, "Z") {
		return fmt.Errorf("timestamp: %.40q is no time in UTC", r.Timestamp)
	}
	for i, f := range r.Files {
		if i > 0 && f.Path <= r.Files[i-1].Path {
			return fmt.Errorf("files[%d].path: %.120q does not come after %.120q", i, f.Path, r.Files[i-1].Path)
		}
		for k, c := range f.Conversations {
			for n := 1; n < len(c.Ranges); n++ {
				if c.Ranges[n].StartLine <= c.Ranges[n-1].EndLine {
					return fmt.Errorf("files[%d].conversations[%d].ranges[%d]: line %d does not come after line %d", i, k, n, c.Ranges[n].StartLine, c.Ranges[n-1].EndLine)
				}
			}
		}
	}
	return nil
}

// isCommit reports whether s is the ID of a commit of git.
func isCommit(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func (v VCS) check() error {
	switch {
	case !slices.Contains([]string{"git", "jj", "hg", "svn"}, v.Type):
		return fmt.Errorf("vcs.type: %.40q is none of git, jj, hg, svn", v.Type)
	case v.Revision == "", v.Type == "git" && !isCommit(v.Revision):
		return fmt.Errorf("vcs.revision: %.80q is no revision of %s", v.Revision, v.Type)
	}
	return nil
}

func (f File) check(at string, length Length) error {
	if f.Path == "" || !utf8.ValidString(f.Path) {
		return fmt.Errorf("%s.path: %.120q is no path in UTF-8", at, f.Path)
	}
	if f.Conversations == nil {
		return fmt.Errorf("%s.conversations: missing", at)
	}
	end := -1
	if length != nil {
		n, there := length(f.Path)
		if !there {
			return fmt.Errorf("%s.path: the revision has no file %.120q", at, f.Path)
		}
		end = n
	}
	var all []Range
	for i, c := range f.Conversations {
		if err := c.check(fmt.Sprintf("%s.conversations[%d]", at, i), end); err != nil {
			return err
		}
		all = append(all, c.Ranges...)
	}
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a.StartLine, b.StartLine) })
	for i := 1; i < len(all); i++ {
		if all[i].StartLine <= all[i-1].EndLine {
			return fmt.Errorf("%s: line %d is in two ranges", at, all[i].StartLine)
		}
	}
	return nil
}

// check checks one conversation. A file's end of -1 is unknown.
func (c Conversation) check(at string, end int) error {
	if c.URL != "" && !isURI(c.URL) {
		return fmt.Errorf("%s.url: %.120q is no URI", at, c.URL)
	}
	if err := c.Contributor.check(at); err != nil {
		return err
	}
	if c.Ranges == nil {
		return fmt.Errorf("%s.ranges: missing", at)
	}
	for i, g := range c.Ranges {
		here := fmt.Sprintf("%s.ranges[%d]", at, i)
		switch {
		case g.StartLine < 1 || g.EndLine < g.StartLine:
			return fmt.Errorf("%s: %d to %d are no lines", here, g.StartLine, g.EndLine)
		case end >= 0 && g.EndLine > end:
			return fmt.Errorf("%s: line %d is past the file's end, line %d", here, g.EndLine, end)
		}
		if err := g.Contributor.check(here); err != nil {
			return err
		}
	}
	for i, x := range c.Related {
		if x.Type == "" || !isURI(x.URL) {
			return fmt.Errorf("%s.related[%d]: it has no type, or no URI", at, i)
		}
	}
	return nil
}

func (c *Contributor) check(at string) error {
	switch {
	case c == nil:
	case !slices.Contains([]string{Human, AI, Mixed, Unknown}, c.Type):
		return fmt.Errorf("%s.contributor.type: %.40q is none of human, ai, mixed, unknown", at, c.Type)
	case utf8.RuneCountInString(c.ModelID) > modelMax:
		return fmt.Errorf("%s.contributor.model_id: it has more than %d characters", at, modelMax)
	}
	return nil
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != ""
}
