package statuslib

import (
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/config"
)

// An UnfollowedSetting is a setting of other versions that asks for what is not done here.
type UnfollowedSetting struct {
	File string `json:"file"`
	Key  string `json:"key"`
	Why  string `json:"why"`
	Hint string `json:"hint,omitempty"`
}

func unfollowedHere(env *cliui.Env, top string) []config.Unfollowed {
	return config.NotFollowed(top, config.ForeignUserPath(env.Home(), env.Getenv("XDG_CONFIG_HOME")))
}

// readUnfollowed names the settings that are not followed. Those that would protect something are problems.
func (v *Status) readUnfollowed(env *cliui.Env, settings, top string) {
	for _, u := range unfollowedHere(env, settings) {
		file := cliui.ShownPath(top, u.Path)
		if u.Loses {
			v.problem("settings", file, u.Key+" is not followed: "+u.Why, u.Hint)
			continue
		}
		v.NotFollowed = append(v.NotFollowed, UnfollowedSetting{file, u.Key, u.Why, u.Hint})
	}
}

func (v *Status) writeUnfollowed(b *strings.Builder) {
	if len(v.NotFollowed) == 0 {
		return
	}
	b.WriteString("\nSettings of other versions that are not followed:\n")
	for _, u := range v.NotFollowed {
		fmt.Fprintf(b, "  %s in %s: %s\n", u.Key, u.File, u.Why)
	}
}
