package workplace

import (
	"context"
	"os"
	"path/filepath"

	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/git"
)

// globalSettings returns the folder with the settings of a repository that `entire enable --global`
// records: below git's common directory, because the worktree gets no file.
func globalSettings(common string) string { return filepath.Join(common, "entire", "global") }

// globalSource is the file in that folder with the path of the user's global settings. Without them,
// or when they are disabled, the repository is not recorded any more.
const globalSource = "source"

// trackedGlobally reports whether a repository is recorded because of the user's global settings.
func trackedGlobally(common string) bool {
	source, err := readShort(filepath.Join(globalSettings(common), globalSource))
	if err != nil || !filepath.IsAbs(source) {
		return false
	}
	g, err := config.LoadGlobal(source)
	return err == nil && g.Enabled
}

// TrackGlobally records that the repository around dir is recorded because of the user's global
// settings at source, and reports whether it is: not for one that is excluded or that has settings
// of its own.
func TrackGlobally(ctx context.Context, dir, source string, environ []string) bool {
	p := FindPlace(dir)
	common := p.Common()
	if p.SetUp || common == "" {
		return false
	}
	g, err := config.LoadGlobal(source)
	if err != nil || !g.Enabled || g.Exclude.ExcludesPath(p.Top) {
		return false
	}
	if len(g.Exclude.Origins) > 0 {
		repo, err := git.Discover(ctx, p.Top, environ)
		if err != nil {
			return false
		}
		defer repo.Close()
		if address, err := repo.FetchURL(ctx, "origin"); err == nil && g.Exclude.ExcludesOrigin(address) {
			return false
		}
	}
	folder := globalSettings(common)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return false
	}
	if err := config.Update(folder, config.Project, func(f *config.File) error { return f.Set("enabled", true) }); err != nil {
		return false
	}
	return durable.WriteFile(filepath.Join(folder, globalSource), []byte(source+"\n"), 0o600) == nil
}
