//go:build linux

package clients

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed versions.json
var versionsFile []byte

// A Version is a package of npm and its version.
type Version struct {
	Package string `json:"package"`
	Version string `json:"version"`
}

// Versions returns what versions.json pins: a package for each client, and one for Node.
func Versions() (map[string]Version, error) {
	var all map[string]Version
	if err := json.Unmarshal(versionsFile, &all); err != nil {
		return nil, fmt.Errorf("read versions.json: %w", err)
	}
	return all, nil
}

// Cache returns the folder that programs are installed in: entire-clients in the user's cache.
func Cache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	return filepath.Join(dir, "entire-clients"), nil
}

// Install brings the pinned packages of the names, and Node, into folders of the cache that bear those names. What is there
// in the right version stays as it is.
func Install(ctx context.Context, cache string, names ...string) error {
	versions, err := Versions()
	if err != nil {
		return err
	}
	for _, name := range append([]string{"node"}, names...) {
		version, ok := versions[name]
		if !ok {
			return fmt.Errorf("install %s: versions.json does not name it", name)
		}
		if err := version.install(ctx, cache, name); err != nil {
			return err
		}
	}
	return nil
}

func (v Version) install(ctx context.Context, cache, name string) error {
	dir := filepath.Join(cache, name)
	if v.installedIn(dir) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("install %s: %w", name, err)
	}
	// npm adds to the package.json of a folder above where the folder has none itself.
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\"private\":true}\n"), 0o644); err != nil {
		return fmt.Errorf("install %s: %w", name, err)
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--save-exact", v.Package+"@"+v.Version)
	npm.Dir = dir
	npm.Env = append(os.Environ(), "PATH="+binFolders(cache, "node")+":"+os.Getenv("PATH"))
	if said, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("install %s: %w: %s", name, err, lastLines(string(said), 5))
	}
	if !v.installedIn(dir) {
		return fmt.Errorf("install %s: npm did not bring version %s", name, v.Version)
	}
	return nil
}

func (v Version) installedIn(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", v.Package, "package.json"))
	if err != nil {
		return false
	}
	var is struct{ Version string }
	return json.Unmarshal(text, &is) == nil && is.Version == v.Version
}

// binFolders returns where a package's programs are: npm links them into .bin, except Node's own.
func binFolders(cache, name string) string {
	modules := filepath.Join(cache, name, "node_modules")
	if name == "node" {
		return filepath.Join(modules, "node", "bin")
	}
	return filepath.Join(modules, ".bin")
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
