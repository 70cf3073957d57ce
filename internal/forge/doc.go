// Package forge knows the pages and the comments of a forge: GitHub, GitLab or Gitea (with Forgejo).
//
// A [Site] is a repository's page there, found from a remote's URL or from what a CI job is told; it makes
// links to lines and commits. A [Thread] is a pull request's comments; [Thread.Keep] keeps one of them up
// to date.
//
// It never sends a token to another host, never puts one into an error, and gives up after a bounded time.
// It starts nothing and reads no environment: the caller passes it in.
package forge
