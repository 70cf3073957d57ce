package attributioncmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
	"entire/internal/forge"
	"entire/internal/review"
)

// A job is the CI job that this process runs in, with the pull request that it is about.
type job struct {
	thread  forge.Thread
	hint    string // what to do if the token is refused
	summary string // the file whose Markdown GitHub shows with the job, "" if there is none
}

// eventMax is the size up to which GitHub's description of an event is read.
const eventMax = 32 << 20

// jobOf returns the CI job, as the variables of GitHub, GitLab or Gitea describe it.
func jobOf(env *cliui.Env) (*job, error) {
	j := &job{}
	switch {
	case env.Getenv("GITLAB_CI") == "true":
		j.gitlab(env)
	case env.Getenv("GITHUB_ACTIONS") == "true", env.Getenv("GITEA_ACTIONS") == "true":
		j.github(env)
	default:
		return nil, cliui.Failf("use --markdown elsewhere; docs/review.md describes jobs", "--comment works in a job of GitHub Actions, GitLab CI or Gitea Actions, and this is none")
	}
	t := &j.thread
	switch {
	case t.Number <= 0:
		return nil, cliui.Failf("run it on pull_request (GitHub, Gitea) or merge_request_event (GitLab)", "this job is not about a pull request")
	case t.Project == "" || t.API == "":
		return nil, cliui.Failf("docs/review.md says which variables it reads", "this job does not say where its repository is")
	case t.Token == "":
		return nil, cliui.Failf(j.hint, "there is no token to comment on the pull request")
	}
	return j, nil
}

func (j *job) gitlab(env *cliui.Env) {
	t := &j.thread
	t.Kind, t.API = forge.GitLab, strings.TrimRight(env.Getenv("CI_API_V4_URL"), "/")
	t.Project = first(env, "CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID")
	t.Number, _ = strconv.Atoi(env.Getenv("CI_MERGE_REQUEST_IID"))
	if t.Token = first(env, "ENTIRE_GITLAB_TOKEN", "GITLAB_TOKEN"); t.Token == "" {
		t.Token, t.OfJob = env.Getenv("CI_JOB_TOKEN"), true
	}
	j.hint = "GitLab's own token of a job may not comment: put an access token of the project with the scope api into the variable ENTIRE_GITLAB_TOKEN"
}

func (j *job) github(env *cliui.Env) {
	t := &j.thread
	t.Kind, t.API = forge.GitHub, strings.TrimRight(env.Getenv("GITHUB_API_URL"), "/")
	if t.API == "" {
		t.API = "https://api.github.com"
	}
	if env.Getenv("GITEA_ACTIONS") == "true" {
		t.Kind = forge.Gitea
	}
	t.Project, t.Token = env.Getenv("GITHUB_REPOSITORY"), first(env, "GITHUB_TOKEN", "GH_TOKEN")
	j.hint = "pass the token as GITHUB_TOKEN, and give the job `permissions: pull-requests: write`; a pull request from a fork has no such token"
	j.summary = env.Getenv("GITHUB_STEP_SUMMARY")
	if number, ok := strings.CutPrefix(env.Getenv("GITHUB_REF"), "refs/pull/"); ok {
		number, _, _ = strings.Cut(number, "/")
		t.Number, _ = strconv.Atoi(number)
	}
	if event := env.Getenv("GITHUB_EVENT_PATH"); t.Number == 0 && event != "" {
		data, err := durable.Read(event, eventMax)
		if err == nil && gjson.ValidBytes(data) {
			t.Number = int(gjson.GetBytes(data, "pull_request.number").Int())
		}
	}
}

// first returns the first of the variables that is set.
func first(env *cliui.Env, names ...string) string {
	for _, name := range names {
		if value := env.Getenv(name); value != "" {
			return value
		}
	}
	return ""
}

// keep keeps the job's comment up to date. If the token may not comment, the review goes into the job's
// summary, if there is one.
func (j *job) keep(ctx context.Context, env *cliui.Env, d *review.Document) error {
	text := d.ReviewMarkdown()
	done, err := j.thread.Keep(ctx, review.CommentMark, text)
	switch {
	case err == nil:
		if done.Removed > 0 {
			fmt.Fprintf(env.Err, "deleted %s\n", cliui.Count(done.Removed, "older comment"))
		}
		_, err = fmt.Fprintf(env.Out, "comment %s on %s %d\n", done.Did, j.request(), j.thread.Number)
		return err
	case !errors.Is(err, forge.ErrRefused):
		return cliui.WithHint(err, "run the job again; nothing else was changed")
	case j.summary == "":
		return cliui.WithHint(err, j.hint)
	}
	if err := appendTo(j.summary, text); err != nil {
		return err
	}
	fmt.Fprintf(env.Err, "warning: no comment: %s\nThe review is in the summary of the job. To have it as a comment, %s.\n", cliui.ShownLine(err.Error()), j.hint)
	return nil
}

func (j *job) request() string {
	if j.thread.Kind == forge.GitLab {
		return "merge request"
	}
	return "pull request"
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the summary of the job: %w", err)
	}
	_, err = f.WriteString(text)
	if shut := f.Close(); err == nil {
		err = shut
	}
	if err != nil {
		return fmt.Errorf("write the summary of the job: %w", err)
	}
	return nil
}

// pageOfJob returns the repository's page that the CI job is told, "" outside of one.
func pageOfJob(env *cliui.Env, kind forge.Kind) (string, forge.Kind) {
	found := forge.GitLab
	page := env.Getenv("CI_MERGE_REQUEST_PROJECT_URL")
	switch {
	case env.Getenv("GITLAB_CI") == "true":
		if page == "" {
			page = env.Getenv("CI_PROJECT_URL")
		}
	case env.Getenv("GITHUB_ACTIONS") == "true", env.Getenv("GITEA_ACTIONS") == "true":
		found = forge.GitHub
		if env.Getenv("GITEA_ACTIONS") == "true" {
			found = forge.Gitea
		}
		page = ""
		if server, name := env.Getenv("GITHUB_SERVER_URL"), env.Getenv("GITHUB_REPOSITORY"); server != "" && name != "" {
			page = strings.TrimRight(server, "/") + "/" + name
		}
	default:
		return "", kind
	}
	if kind == "" {
		kind = found
	}
	return page, kind
}
