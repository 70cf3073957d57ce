package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
)

// maxManifest bounds a release manifest.
const maxManifest = 1 << 20

// A versionCheck is what `entire version --check --json` prints.
type versionCheck struct {
	buildInfo
	Released string `json:"released"` // the version that the manifest is of
	Date     string `json:"date,omitempty"`
	State    string `json:"state"` // same, older, newer or other
	Archive  string `json:"archive,omitempty"`
}

// checkVersion compares this program with the release that a manifest describes, and reads nothing else.
func checkVersion(env *cliui.Env, path string, asJSON bool) error {
	if strings.Contains(path, "://") {
		return cliui.Failf("download the release's release.json, and name the file", "%s is an address: this program asks the network nothing", cliui.ShownName(path))
	}
	path, err := env.Abs(path)
	if err != nil {
		return err
	}
	text, err := durable.Read(path, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return cliui.Failf("each release has a release.json", "no such file: %s", cliui.ShownName(path))
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", cliui.ShownName(path), err)
	}
	var m struct {
		Version, Date string
		Files         []struct{ Name, Kind, OS, Arch string }
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Version == "" {
		return cliui.Failf("each release has a release.json", "%s is not a release manifest", cliui.ShownName(path))
	}
	c := versionCheck{buildInfo: readBuildInfo(), Released: m.Version, Date: m.Date}
	c.State = compareVersions(c.Version, m.Version)
	for _, f := range m.Files {
		if f.Kind == "archive" && f.OS == c.OS && f.Arch == c.Arch {
			c.Archive = f.Name
		}
	}
	if asJSON {
		return env.PrintJSON(c)
	}
	says := map[string]string{"same": "This is that version.", "older": "This one is older.", "newer": "This one is newer.", "other": "Which is newer cannot be told."}
	fmt.Fprintf(env.Out, "Here: %s. Released: %s. %s\n", cliui.ShownLine(c.Version), cliui.ShownLine(m.Version), says[c.State])
	if c.State == "older" && c.Archive != "" {
		fmt.Fprintf(env.Out, "For this system: %s\n", cliui.ShownLine(c.Archive))
	}
	return nil
}

var versionNumbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$`)
})

// compareVersions says whether the version a is the same as b, older or newer, or other if one is no version.
func compareVersions(a, b string) string {
	if strings.TrimPrefix(a, "v") == strings.TrimPrefix(b, "v") {
		return "same"
	}
	x, y := versionNumbers().FindStringSubmatch(a), versionNumbers().FindStringSubmatch(b)
	if x == nil || y == nil {
		return "other"
	}
	for i := 1; i <= 3; i++ {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return olderIf(m < n)
		}
	}
	switch {
	case x[4] == y[4]:
		return "other" // the same version of another build
	case x[4] == "" || y[4] == "":
		return olderIf(x[4] != "")
	}
	return olderIf(comparePre(x[4], y[4]) < 0)
}

func olderIf(older bool) string {
	if older {
		return "older"
	}
	return "newer"
}

// comparePre compares what follows the hyphen of two versions: part by part, numbers by their value and before
// texts, as semantic versioning says.
func comparePre(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, merr := strconv.Atoi(x[i])
		n, nerr := strconv.Atoi(y[i])
		switch {
		case merr == nil && nerr == nil && m != n:
			return m - n
		case merr == nil && nerr != nil:
			return -1
		case merr != nil && nerr == nil:
			return 1
		case x[i] != y[i]:
			return strings.Compare(x[i], y[i])
		}
	}
	return len(x) - len(y)
}
