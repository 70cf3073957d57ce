package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"entire/internal/durable"
)

// globalName is the file in the data directory that `entire enable --global` writes.
const globalName = "global.json"

// Global says which repositories of a user are recorded without settings of their own.
type Global struct {
	Enabled bool    `json:"enabled"`
	Exclude Exclude `json:"exclude"`
}

// Exclude lists repositories that are never recorded: by the folder they are in, and by the address
// of their remote "origin". A pattern stands for everything below it; "*" stands for any one name.
type Exclude struct {
	Paths   []string `json:"paths,omitempty"`   // absolute
	Origins []string `json:"origins,omitempty"` // as host/path, for example github.com/acme
}

// GlobalPath returns the path of the file in the data directory.
func GlobalPath(data string) string { return filepath.Join(data, globalName) }

// LoadGlobal reads the file at path; without the file nothing is recorded globally.
func LoadGlobal(path string) (Global, error) {
	text, err := readPlain(path)
	if err != nil {
		return Global{}, fmt.Errorf("read settings %s: %w", path, err)
	}
	var g Global
	if text == nil {
		return g, nil
	}
	if err := json.Unmarshal(text, &g); err != nil {
		return Global{}, fmt.Errorf("read settings %s: %w", path, err)
	}
	return g, nil
}

// Save writes the file at path.
func (g Global) Save(path string) error {
	text, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(path, append(text, '\n'), 0o600)
}

// ExcludesPath reports whether a repository at top is excluded.
func (e Exclude) ExcludesPath(top string) bool {
	for _, pattern := range e.Paths {
		if isBelow(filepath.ToSlash(top), filepath.ToSlash(pattern)) {
			return true
		}
	}
	return false
}

// ExcludesOrigin reports whether a repository with this address of its remote is excluded.
func (e Exclude) ExcludesOrigin(address string) bool {
	for _, pattern := range e.Origins {
		if address != "" && isBelow(OriginName(address), OriginName(pattern)) {
			return true
		}
	}
	return false
}

// OriginName returns the address of a remote as host/path, without scheme, user, port and ".git".
func OriginName(address string) string {
	name := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		name = u.Hostname() + "/" + strings.TrimPrefix(u.Path, "/")
	} else if host, rest, ok := strings.Cut(address, ":"); ok && !strings.Contains(host, "/") {
		name = host[strings.LastIndexByte(host, '@')+1:] + "/" + strings.TrimPrefix(rest, "/")
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, "/"), ".git")
}

// isBelow reports whether name is pattern or below it.
func isBelow(name, pattern string) bool {
	names, parts := strings.Split(name, "/"), strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	if pattern == "" || len(names) < len(parts) {
		return false
	}
	for i, part := range parts {
		if ok, err := path.Match(part, names[i]); err != nil || !ok {
			return false
		}
	}
	return true
}
