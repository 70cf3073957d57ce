package origin

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/project"
	"entire/internal/rescue"
)

// How a project was found.
const (
	ByFolder   = "folder"       // the folder is in the repository
	ByWorktree = "worktree"     // the repository had a worktree there, or contained the folder
	ByRoot     = "first commit" // the agent recorded the first commit
	ByRemote   = "remote"       // the agent recorded the remote
	ByStore    = "recorded"     // Entire recorded a session in this folder
	ByCommits  = "commits"      // the conversation shows commits of the repository
	ByName     = "named"        // a person said so
)

// A Project is a project that a conversation belongs to.
type Project struct {
	Key string // of its store; "" if the project is not known
	// Top is its folder now; "" if it is not known.
	Top string
	How string
	// Git says whether it is a repository.
	Git bool
}

// A Resolver finds the projects of conversations. It is for one goroutine.
type Resolver struct {
	Environ []string
	Home    string
	// Stored is what the stores say: the project's key of a folder.
	Stored map[string]string
	// Was are folders that the present project had formerly.
	Was []string

	here    *repository
	known   []*repository
	folders map[string]Project // by folder
}

// A repository is one that may be the project of a conversation.
type repository struct {
	Project
	remotes map[string]bool // normalised
	trees   map[string]bool // folders of its worktrees, also of those that are gone
}

// Open returns a resolver that knows the project at dir, if there is one.
func Open(ctx context.Context, environ []string, home, dir string) *Resolver {
	r := &Resolver{Environ: environ, Home: home, folders: map[string]Project{}}
	if dir != "" {
		if p := r.at(ctx, dir); p.Git {
			for _, k := range r.known {
				if k.Key == p.Key {
					r.here = k
				}
			}
		}
	}
	return r
}

// Learn looks at the folders that are there, so that repositories are known before the rest is asked about.
func (r *Resolver) Learn(ctx context.Context, all []rescue.Conversation) {
	for i := range all {
		if ctx.Err() != nil {
			return
		}
		if folder := all[i].Folder; folder != "" {
			r.at(ctx, folder)
		}
	}
}

// Of returns the project of a conversation; one without a key, if it is not known.
func (r *Resolver) Of(ctx context.Context, c *rescue.Conversation) Project {
	for _, was := range r.Was {
		if r.here != nil && c.Folder != "" && within(was, c.Folder) {
			return r.here.by(ByName)
		}
	}
	p := r.at(ctx, c.Folder)
	if p.Git {
		return r.unlessReused(c, p)
	}
	for _, ask := range []func(*rescue.Conversation) Project{r.byWorktree, r.byRoot, r.byRemote, r.byStore} {
		if found := ask(c); found.Key != "" {
			return found
		}
	}
	if p.Key != "" {
		return p
	}
	return r.byAncestor(ctx, c.Folder)
}

// unlessReused returns the project that is in the folder now, or the one that was there when the conversation was
// held, if the agent recorded what shows that it was another.
func (r *Resolver) unlessReused(c *rescue.Conversation, p Project) Project {
	if was := r.byRoot(c); was.Key != "" && was.Key != p.Key {
		return was
	}
	for _, k := range r.known {
		if k.Key == p.Key && !k.remotes[Remote(c.Remote)] {
			if was := r.byRemote(c); was.Key != "" {
				return was
			}
		}
	}
	return p
}

// at returns the project that a folder is in, if the folder is there.
func (r *Resolver) at(ctx context.Context, folder string) Project {
	if p, known := r.folders[folder]; known || !filepath.IsAbs(folder) {
		return p
	}
	var p Project
	if fi, err := os.Stat(folder); err == nil && fi.IsDir() {
		if ident, err := project.Find(ctx, folder, r.Environ); err == nil {
			p = Project{Key: ident.Key, Top: ident.Top, Git: ident.Git, How: ByFolder}
		}
	}
	r.folders[folder] = p
	if p.Git {
		r.learn(ctx, p)
	}
	return p
}

// learn reads the remotes and worktrees of a repository.
func (r *Resolver) learn(ctx context.Context, p Project) {
	for _, k := range r.known {
		if k.Key == p.Key {
			return
		}
	}
	k := &repository{Project: p, remotes: map[string]bool{}, trees: map[string]bool{}}
	r.known = append(r.known, k)
	repo, err := git.Discover(ctx, p.Top, r.Environ)
	if err != nil {
		return
	}
	defer repo.Close()
	urls, err := repo.ConfigMatching(ctx, `^remote\..*\.(url|pushurl)$`)
	if err == nil {
		for _, url := range urls {
			k.remotes[Remote(url)] = true
		}
	}
	delete(k.remotes, "")
	entries, _ := filepath.Glob(filepath.Join(repo.CommonDir, "worktrees", "*", "gitdir"))
	for _, file := range entries {
		if text, err := durable.Read(file, 64<<10); err == nil {
			k.trees[filepath.Dir(strings.TrimSpace(string(text)))] = true
		}
	}
}

func (k *repository) by(how string) Project {
	p := k.Project
	p.How = how
	return p
}

func (r *Resolver) byWorktree(c *rescue.Conversation) Project {
	for _, k := range r.known {
		for tree := range k.trees {
			if c.Folder != "" && within(tree, c.Folder) {
				return k.by(ByWorktree)
			}
		}
	}
	return Project{}
}

func (r *Resolver) byRoot(c *rescue.Conversation) Project {
	if c.Root == "" {
		return Project{}
	}
	return r.keyed(project.KeyOfRoot(strings.ToLower(c.Root)), ByRoot)
}

// keyed returns the project with a key: a known repository, or one that is only in the stores.
func (r *Resolver) keyed(key, how string) Project {
	for _, k := range r.known {
		if k.Key == key {
			return k.by(how)
		}
	}
	if !project.ValidKey(key) {
		return Project{}
	}
	for _, stored := range r.Stored {
		if stored == key {
			return Project{Key: key, How: how, Git: true}
		}
	}
	return Project{}
}

func (r *Resolver) byRemote(c *rescue.Conversation) Project {
	remote := Remote(c.Remote)
	var found *repository
	for _, k := range r.known {
		if remote == "" || !k.remotes[remote] {
			continue
		}
		if found != nil && found.Key != k.Key {
			return Project{} // two projects push to the same place
		}
		found = k
	}
	if found == nil {
		return Project{}
	}
	return found.by(ByRemote)
}

func (r *Resolver) byStore(c *rescue.Conversation) Project {
	if c.Folder == "" || r.Stored[c.Folder] == "" {
		return Project{}
	}
	return r.keyed(r.Stored[c.Folder], ByStore)
}

// byAncestor returns the repository that contained a folder which is gone. The user's home directory is none.
func (r *Resolver) byAncestor(ctx context.Context, folder string) Project {
	if !filepath.IsAbs(folder) {
		return Project{}
	}
	for at := filepath.Dir(filepath.Clean(folder)); at != filepath.Dir(at) && at != r.Home; at = filepath.Dir(at) {
		if fi, err := os.Stat(at); err != nil || !fi.IsDir() {
			continue
		}
		p := r.at(ctx, at)
		if !p.Git || p.Top == r.Home {
			return Project{}
		}
		p.How = ByWorktree
		return p
	}
	return Project{}
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
