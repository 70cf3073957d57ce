package risk

import (
	"slices"
	"strings"
)

// CommandIn names the first risky action of a shell command, such as "git reset --hard", in the words of
// the list in docs/guard.md. It returns "" if there is none. exists tells whether there is a file, given its
// path as the command names it; with nil, every file is taken to exist. A redirection to a new file is not
// risky, and a checkout of a file is; after cd, every target of a redirection counts as a file that exists.
func CommandIn(line string, exists func(path string) bool) string {
	var over []string
	moves := exists == nil
	for _, c := range each(commands(line, 0), 0) {
		over = append(over, c.over...)
		if len(c.words) == 0 {
			continue
		}
		what := name(c.words[0])
		moves = moves || what == "cd" || what == "pushd"
		if what := risky(c.words); what != "" && signed(c.words) {
			return what
		}
		if rest := operands(c.words[1:]); what == "git" && exists != nil && len(rest) == 2 && rest[0] == "checkout" && exists(rest[1]) {
			return "git checkout --"
		}
	}
	for _, path := range over {
		if isWork(path) && (moves || exists(path)) {
			return "> file"
		}
	}
	return ""
}

// Beyond says what a risky action, in the words of CommandIn, takes away that no saved point holds; "" for nothing that is
// known.
func Beyond(what string) string {
	if what == "git clean -x" {
		return "files that git ignores are not in it"
	}
	return ""
}

// isWork reports whether a redirection's target may be a file of somebody's work.
func isWork(path string) bool {
	return path != "" && !strings.ContainsAny(path, "$`") && !strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/tmp/")
}

// risky names the risky action of a simple command without wrappers.
func risky(words []string) string {
	args := words[1:]
	switch what := name(words[0]); what {
	case "rm":
		if flag(args, 'r', "--recursive") || flag(args, 'R', "") {
			return "rm -r"
		}
	case "git":
		return riskyGit(args)
	case "docker", "podman", "nerdctl", "docker-compose":
		return riskyContainer(what, args)
	case "npm", "pnpm", "yarn", "bun", "composer", "cargo", "go", "pod", "bundle":
		return rewritesTree(what, args)
	case "find":
		if slices.Contains(args, "-delete") {
			return "find -delete"
		}
	case "shred", "dropdb":
		return what
	case "truncate":
		if flag(args, 's', "--size") {
			return what
		}
	case "dd":
		for _, a := range args {
			if strings.HasPrefix(a, "of=") && !strings.HasPrefix(a, "of=/dev/null") {
				return what
			}
		}
	case "rsync":
		for _, a := range args {
			if strings.HasPrefix(a, "--delete") || strings.HasPrefix(a, "--del") {
				return "rsync --delete"
			}
		}
	default:
		return migration(what, args)
	}
	return ""
}

// flag reports whether an option is among the words before "--", alone or combined as in -rf.
func flag(args []string, short byte, long string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if long != "" && (a == long || strings.HasPrefix(a, long+"=")) {
			return true
		}
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, short) > 0 {
			return true
		}
	}
	return false
}

// gitValued are git's own options that take a value as the next word.
var gitValued = map[string]bool{"-C": true, "-c": true, "--git-dir": true, "--work-tree": true, "--namespace": true, "--exec-path": true, "--config-env": true}

func riskyGit(args []string) string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if gitValued[args[0]] {
			args = drop(args, 1)
		}
		args = drop(args, 1)
	}
	if len(args) == 0 {
		return ""
	}
	verb, args := args[0], args[1:]
	switch verb {
	case "reset":
		for _, mode := range []string{"--hard", "--merge", "--keep"} {
			if slices.Contains(args, mode) {
				return "git reset " + mode
			}
		}
	case "clean":
		if flag(args, 'f', "--force") && !flag(args, 'n', "--dry-run") {
			if flag(args, 'x', "") || flag(args, 'X', "") {
				return "git clean -x"
			}
			return "git clean"
		}
	case "checkout":
		switch {
		case slices.Contains(args, "--"):
			return "git checkout --"
		case flag(args, 'f', "--force"):
			return "git checkout --force"
		case len(operands(args)) > 1 && !flag(args, 'b', "--orphan") && !flag(args, 'B', "--track") && !flag(args, 't', ""):
			return "git checkout --"
		case slices.Contains(args, "."), flag(args, 0, "--pathspec-from-file"), slices.Contains(args, "--ours"), slices.Contains(args, "--theirs"):
			return "git checkout --"
		}
	case "switch":
		if flag(args, 'f', "--force") || slices.Contains(args, "--discard-changes") {
			return "git switch --force"
		}
	case "restore":
		if !flag(args, 'S', "--staged") || flag(args, 'W', "--worktree") {
			return "git restore"
		}
	case "stash":
		if len(args) > 0 && (args[0] == "drop" || args[0] == "clear") {
			return "git stash " + args[0]
		}
	case "worktree":
		if len(args) > 0 && args[0] == "remove" {
			return "git worktree remove"
		}
	case "branch":
		if flag(args, 'D', "") || flag(args, 'd', "--delete") && flag(args, 'f', "--force") {
			return "git branch -D"
		}
	case "rm":
		if flag(args, 'f', "--force") && !slices.Contains(args, "--cached") {
			return "git rm --force"
		}
	case "read-tree":
		if slices.Contains(args, "--reset") || flag(args, 'u', "") {
			return "git read-tree"
		}
	}
	return ""
}

// migrations are programs that change a database's schema, with the subcommands that do so: their
// first word that is not an option begins with one of these.
var migrations = map[string][]string{
	"rails": {"db:"}, "rake": {"db:"}, "alembic": {"upgrade", "downgrade", "stamp"}, "flyway": {"migrate", "clean", "undo", "repair"},
	"liquibase": {"update", "rollback", "drop-all", "dropAll"}, "knex": {"migrate:", "seed:"}, "sequelize": {"db:"}, "sequelize-cli": {"db:"},
	"typeorm": {"migration:", "schema:"}, "prisma": {"migrate", "db"}, "drizzle-kit": {"push", "migrate", "drop"}, "goose": {"up", "down", "redo", "reset"},
	"dbmate": {"up", "down", "migrate", "rollback", "drop"}, "migrate": {"up", "down", "goto", "force", "drop"}, "diesel": {"migration", "database"},
	"sqlx": {"migrate", "database"}, "artisan": {"migrate", "db:"}, "mix": {"ecto."}, "django-admin": {"migrate", "flush"}, "manage.py": {"migrate", "flush"},
	"atlas": {"migrate", "schema"}, "skeema": {"push"}, "sqitch": {"deploy", "revert", "rebase"}, "hasura": {"migrate"},
}

// looks are subcommands that change nothing.
var looks = map[string]bool{"status": true, "list": true, "new": true, "create": true, "diff": true, "validate": true, "generate": true,
	"db:version": true, "db:migrate:status": true, "migrate:status": true, "migration:show": true, "migration:generate": true, "migration:create": true,
	"migrate:make": true, "migrate:list": true, "ecto.gen.migration": true, "ecto.migrations": true, "lint": true, "hash": true, "inspect": true,
	"migration:generate:model": true, "db:console": true, "pull": true, "studio": true}

// interpreters run a script that may be one of the programs.
var interpreters = map[string]bool{"python": true, "python3": true, "php": true, "ruby": true, "node": true, "dotnet": true, "python2": true}

func migration(what string, args []string) string {
	if interpreters[what] {
		if what == "dotnet" {
			if len(args) > 2 && args[0] == "ef" && args[1] == "database" && (args[2] == "update" || args[2] == "drop") {
				return "dotnet ef database " + args[2]
			}
			return ""
		}
		for len(args) > 1 && (args[0] == "-m" || strings.HasPrefix(args[0], "-")) {
			args = args[1:]
		}
		if len(args) == 0 {
			return ""
		}
		what, args = name(args[0]), args[1:]
	}
	for _, begins := range migrations[what] {
		for i, a := range args {
			if !strings.HasPrefix(a, begins) || i > 0 && strings.HasSuffix(args[i-1], "-") {
				continue
			}
			next := ""
			if i+1 < len(args) {
				next = args[i+1]
			}
			if !looks[a] && !looks[next] {
				return what + " " + a
			}
			return ""
		}
	}
	return ""
}
