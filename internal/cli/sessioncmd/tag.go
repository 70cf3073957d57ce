package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/session"
)

func sessionsRenameCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rename ID [TITLE...]",
		Short: "Give a session a title of your own",
		Long: `Give a session a title of your own, which stays. Without a title it gets one from its
first prompt, as every session does.

A session that only came with commits is copied into the store of this machine first.`,
		Example: `  entire sessions rename 6e1f0d2 The retry timeout
  entire sessions rename 6e1f0d2     # its first prompt again`,
		Args:              cliui.OneOrMore,
		ValidArgsFunction: sessionlib.CompleteSession(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error {
				s, err := l.Rename(cmd.Context(), args[0], strings.Join(args[1:], " "))
				if err != nil {
					return err
				}
				return printChanged(l, s, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the session as a JSON object")
	return cmd
}

func sessionsTagCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tag ID TAG...",
		Short: "Tag a session",
		Long: `Tag a session. A tag has letters, digits and - _ . / +; its case is kept and does not
matter. Sessions also have automatic tags: agent:NAME, branch:NAME, dir:NAME for the
folders and lang:NAME for the languages that they changed most.

` + "`entire sessions list --tag`" + ` and ` + "`entire search --tag`" + ` find them. A session that only came with
commits is copied into the store of this machine first.`,
		Example: `  entire sessions tag 6e1f0d2 bug release/1.2
  entire sessions list --tag bug`,
		Args:              cliui.TwoOrMore,
		ValidArgsFunction: completeTagged(env, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeNamed(cmd.Context(), env, args[0], asJSON, func(m *session.SessionMetadata) error {
				_, err := m.AddTags(args[1:]...)
				if errors.Is(err, session.ErrTag) {
					return cliui.Failf("as in bug, release/1.2; automatic tags are made by Entire", "%w", err)
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the session as a JSON object")
	return cmd
}

func sessionsUntagCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "untag ID TAG...",
		Short:             "Remove tags from a session",
		Example:           `  entire sessions untag 6e1f0d2 bug`,
		Args:              cliui.TwoOrMore,
		ValidArgsFunction: completeTagged(env, true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeNamed(cmd.Context(), env, args[0], asJSON, func(m *session.SessionMetadata) error {
				for _, tag := range args[1:] {
					if len(m.RemoveTags(tag)) == 0 {
						return cliui.Failf("`entire sessions show "+cliui.ShownSession(m.ID)+"` shows its tags; automatic ones stay", "session %s has no tag %s", m.ID, cliui.ShownLine(tag))
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the session as a JSON object")
	return cmd
}

// changeNamed is change for the session that a name on the command line means.
func changeNamed(ctx context.Context, env *cliui.Env, name string, asJSON bool, fn func(*session.SessionMetadata) error) error {
	return sessionlib.WithLibrary(ctx, env, func(l *sessionlib.Library) error { return change(ctx, l, name, asJSON, fn) })
}

// change changes the stored metadata of a session and prints the session.
func change(ctx context.Context, l *sessionlib.Library, prefix string, asJSON bool, fn func(*session.SessionMetadata) error) error {
	s, err := l.Change(ctx, prefix, fn)
	if err != nil {
		return err
	}
	return printChanged(l, s, asJSON)
}

func printChanged(l *sessionlib.Library, s sessionlib.ListedSession, asJSON bool) error {
	if asJSON {
		return l.Env.PrintJSON(s)
	}
	_, err := fmt.Fprintf(l.Env.Out, "Session: %s  %s\n", s.ID, sessionlib.TaggedTitle(s))
	return err
}

// tagged reports whether a session has all the tags, its own or automatic ones.
func tagged(s sessionlib.ListedSession, wanted []string) bool {
	have := append(slices.Clone(s.Tags), s.AutoTags...)
	for _, want := range wanted {
		want = strings.ToLower(strings.TrimPrefix(want, "#"))
		if !slices.ContainsFunc(have, func(tag string) bool {
			tag = strings.ToLower(tag)
			ok, err := path.Match(want, tag)
			return tag == want || err == nil && ok
		}) {
			return false
		}
	}
	return true
}

// completeTags completes tags of this project's sessions, with automatic ones if wanted.
func completeTags(env *cliui.Env, automatic bool) cobra.CompletionFunc {
	return sessionlib.CompleteNames(env, func(ctx context.Context, l *sessionlib.Library) ([]string, error) {
		all, err := l.Here(ctx)
		return tagsOf(all, automatic), err
	})
}

func tagsOf(all []sessionlib.ListedSession, automatic bool) []string {
	var tags []string
	for _, s := range all {
		tags = append(tags, s.Tags...)
		if automatic {
			tags = append(tags, s.AutoTags...)
		}
	}
	slices.Sort(tags)
	return slices.DeleteFunc(slices.Compact(tags), func(t string) bool { return t != cliui.ShownLine(t) })
}

// completeTagged completes a session, and then tags: the session's own if own is set, else those
// of all sessions.
func completeTagged(env *cliui.Env, own bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return sessionlib.CompleteSession(env)(cmd, args, typed)
		}
		return sessionlib.CompleteNames(env, func(ctx context.Context, l *sessionlib.Library) ([]string, error) {
			all, err := l.Here(ctx)
			if err == nil && own {
				var s sessionlib.ListedSession
				s, err = sessionlib.Pick(all, args[0])
				all = []sessionlib.ListedSession{s}
			}
			return slices.DeleteFunc(tagsOf(all, false), func(t string) bool { return slices.Contains(args[1:], t) }), err
		})(cmd, args, typed)
	}
}
