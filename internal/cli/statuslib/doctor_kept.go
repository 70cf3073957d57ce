package statuslib

import (
	"context"
	"path/filepath"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/project"
	"entire/session"
	"entire/strategy/maintain"
)

// examineKept checks the compressed conversations of the project.
func examineKept(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, progress maintain.Progress) (out []maintain.Finding) {
	ident, data := project.InRepo(ctx, wp.Repo), workplace.DataDir(env)
	if data == "" || !cliui.IsDir(filepath.Dir(session.BaseIn(ident.Dir(data)))) {
		return nil
	}
	store := session.OpenStore(session.BaseIn(ident.Dir(data)))
	defer store.Close()
	seen := func(done, all int) { progress("conversations", done, all) }
	for sid, err := range store.CheckCompressed(ctx, seen) {
		out = append(out, maintain.Finding{Kind: "conversation", Subject: sid, Why: err.Error(),
			Hint: "if an export has all of it: `entire sessions delete " + sid + "`, then `entire sessions import FILE`"})
	}
	return out
}
