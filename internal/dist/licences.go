package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// A licence is a file at the top of a module.
type licence struct{ name, text string }

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)(s)?([-._].*)?$`)

// beside are files that stand beside a licence and are none.
var beside = regexp.MustCompile(`(?i)^(notice|patents)`)

// licences reads the files by which a module says who may pass it on.
func licences(dir string) (list []licence, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceName.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, licence{e.Name(), string(text)})
	}
	return list, nil
}

// sure is how much of a text has to be a known licence, in percent, so that the bill names it.
const sure = 75

// identifiers returns the licences by their names in SPDX's list, without those that are not recognised.
func identifiers(texts []licence) (ids []string) {
	for _, l := range texts {
		if beside.MatchString(l.name) {
			continue
		}
		found := licensecheck.Scan([]byte(l.text))
		if found.Percent < sure {
			continue
		}
		for _, m := range found.Match {
			if !m.IsURL {
				ids = append(ids, m.ID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// licenceTexts returns the texts of all licences, each with the modules that have it.
func licenceTexts(mods []linked) string {
	var order []string
	holders := map[string][]string{}
	for _, m := range mods {
		for _, l := range m.texts {
			text := strings.TrimSpace(strings.ReplaceAll(l.text, "\r\n", "\n"))
			if holders[text] == nil {
				order = append(order, text)
			}
			holders[text] = append(holders[text], fmt.Sprintf("%s %s (%s)", m.path, m.version, l.name))
		}
	}
	var b strings.Builder
	b.WriteString("The programs contain these modules, under these licences.\n")
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(holders[text], "\n"), text)
	}
	return b.String()
}

// licencesPath is where the licences of a system's modules are written.
func (r *release) licencesPath(p platform) string {
	return filepath.Join(r.build, "licences-"+p.os+"-"+p.arch+".txt")
}

// platformFiles are the programs and the files that differ with them.
func (r *release) platformFiles(p platform) []file {
	return append(r.programFiles(p), file{name: "THIRD-PARTY-LICENSES.txt", path: r.licencesPath(p)})
}
