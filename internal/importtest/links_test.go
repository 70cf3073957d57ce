package importtest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	link      = regexp.MustCompile(`\]\(([^)\s:]+)\)`) // an address with a scheme has a colon
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	ownAnchor = regexp.MustCompile(`<a id="([^"]+)"`)
	linked    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	dropped   = regexp.MustCompile(`[^\pL\pN_\- ]`)
)

// TestLinks: every link in a document leads to a file that is there, and to a heading of it.
func TestLinks(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "dist"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, to := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			name, at, _ := strings.Cut(to[1], "#")
			file := path
			if name != "" {
				file = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: no file for %s", path, to[1])
			} else if at != "" && filepath.Ext(file) == ".md" && !anchors(t, file)[at] {
				t.Errorf("%s: no heading for %s", path, to[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// anchors returns what a link can name in a document, as forges make it of headings.
func anchors(t *testing.T, file string) map[string]bool {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := codeBlock.ReplaceAllString(string(data), "")
	found, times := map[string]bool{}, map[string]int{}
	for _, a := range ownAnchor.FindAllStringSubmatch(text, -1) {
		found[a[1]] = true
	}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		name := strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(linked.ReplaceAllString(h[1], "$1")), ""), " ", "-")
		if n := times[name]; n > 0 {
			found[fmt.Sprintf("%s-%d", name, n)] = true
		}
		found[name] = true
		times[name]++
	}
	return found
}
