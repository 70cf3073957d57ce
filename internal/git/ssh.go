package git

import (
	"context"
	"path"
	"strings"
)

// batchSSH returns the ssh command that never asks: the user's own with an option added,
// if that is safe. "" means that the user's command stays, which cannot ask without a
// terminal.
func (r *Repo) batchSSH(ctx context.Context) (string, error) {
	set := func(name string) string { return lookup(r.Env, name) }
	conf, err := r.Config(ctx, "core.sshcommand", "ssh.variant")
	if err != nil {
		return "", err
	}
	variant := set("GIT_SSH_VARIANT")
	if variant == "" {
		variant = conf["ssh.variant"]
	}
	for _, command := range []string{set("GIT_SSH_COMMAND"), conf["core.sshcommand"]} {
		if command != "" {
			return withBatch(command, variant), nil
		}
	}
	if set("GIT_SSH") != "" {
		return "", nil
	}
	return "ssh -oBatchMode=yes", nil
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// withBatch adds the option that forbids questions to a shell command that clearly calls
// OpenSSH or PuTTY; it returns any other command unchanged.
func withBatch(command, variant string) string {
	if strings.ContainsAny(command, ";|&<>()$`#\n\r") || strings.Count(command, `"`)%2 != 0 || strings.Count(command, "'")%2 != 0 {
		return command
	}
	words := strings.Fields(command)
	if len(words) == 0 {
		return command
	}
	name := strings.Trim(words[0], `"'`)
	name = strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/"))), ".exe")
	if variant != "" && variant != "auto" {
		name = variant
	}
	switch name {
	case "ssh":
		return command + " -oBatchMode=yes"
	case "plink", "putty", "tortoiseplink":
		return command + " -batch"
	}
	return command
}
