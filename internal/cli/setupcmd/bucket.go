package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"entire/checkpoint/outside"
	"entire/internal/bodies"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

type bucketOptions struct {
	agree, revoke, check, json bool
}

// BucketCommand shows and agrees to the project's bucket, and checks what it has.
func BucketCommand(env *cliui.Env) *cobra.Command {
	var o bucketOptions
	cmd := &cobra.Command{
		Use:   "bucket",
		Short: "Show, agree to or check the bucket for large parts of conversations",
		Long: `Show the S3-compatible bucket that the settings name for large parts of conversations
(bucket.url), whether you agreed to it, and how many such parts are in this clone.

Nothing is sent to a bucket, and nothing is fetched from it, before you agree to its URL:
a committed file alone cannot cause your conversations to be sent. Credentials come from
the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or from AWS's own files
(~/.aws/credentials, AWS_PROFILE), never from the settings.

After that, new parts over the limit (bucket.limit) are stored beside git in this clone.
They go to the bucket with the push of the sessions that need them, before these are
sent, and stay here until the bucket was seen to have them. Commands that show a
conversation get what is not in this clone.

--check reads every part that the checkpoints here need from the bucket. If the bucket
lacks one and this clone has it, it is sent again.`,
		Example: `  entire config set bucket.url s3://team-sessions/shop
  entire share bucket --agree
  entire share bucket
  entire share bucket --check`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBucket(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.agree, "agree", false, "agree to send to the bucket, and to fetch from it")
	f.BoolVar(&o.revoke, "revoke", false, "send nothing there any more")
	f.BoolVar(&o.check, "check", false, "read from the bucket what the checkpoints here need")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.MarkFlagsMutuallyExclusive("agree", "revoke", "check")
	return cmd
}

// A bucketView is the result, as --json prints it.
type bucketView struct {
	URL     string       `json:"url"`
	Region  string       `json:"region"`
	Limit   int64        `json:"limit_bytes"`
	Agreed  bool         `json:"agreed"`
	Waiting bodiesHere   `json:"waiting"` // the bucket was not seen to have them
	Kept    bodiesHere   `json:"kept"`    // the bucket has them, too
	Checked *bodiesThere `json:"checked,omitempty"`
}

type bodiesHere struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

type bodiesThere struct {
	Count   int      `json:"count"`
	Missing []string `json:"missing"` // names of bodies
	Wrong   []string `json:"wrong"`
	Again   int      `json:"sent_again"` // of these, as this clone has them
}

func runBucket(ctx context.Context, env *cliui.Env, o bucketOptions) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	b := wp.Repo.Bodies
	set, _, err := b.Bucket()
	if err != nil {
		return fmt.Errorf("read which bucket the project has: %w", err)
	}
	if set.URL == "" && (o.agree || o.check) {
		return cliui.Failf("`entire config set bucket.url s3://BUCKET/PREFIX` names one", "the settings name no bucket")
	}
	if o.agree || o.revoke {
		if err := b.Agree(ctx, set.URL, o.agree, env.Now()); err != nil {
			return err
		}
	}
	var checked *bodiesThere
	if o.check {
		if checked, err = checkBucket(ctx, env, wp); err != nil {
			return err
		}
	}
	v, err := viewOfBucket(b)
	if err != nil {
		return err
	}
	v.Checked = checked
	if o.json {
		err = env.PrintJSON(v)
	} else {
		err = v.print(env)
	}
	if err == nil && v.Checked != nil && len(v.Checked.Missing)+len(v.Checked.Wrong) > v.Checked.Again {
		return cliui.ErrTold
	}
	return err
}

func viewOfBucket(b *bodies.Folder) (v bucketView, err error) {
	set, agreed, err := b.Bucket()
	v = bucketView{URL: set.URL, Region: set.Region, Limit: set.Limit, Agreed: agreed}
	waiting, werr := b.Waiting()
	kept, kerr := b.Kept()
	v.Waiting, v.Kept = sumOf(waiting), sumOf(kept)
	return v, errors.Join(err, werr, kerr)
}

func sumOf(names map[string]int64) (h bodiesHere) {
	for _, n := range names {
		h.Count++
		h.Bytes += n
	}
	return h
}

// checkBucket reads from the bucket what the checkpoints here need and were sent.
func checkBucket(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) (*bodiesThere, error) {
	b := wp.Repo.Bodies
	need, err := outside.Own(ctx, wp.Repo)
	if err != nil {
		return nil, err
	}
	waiting, err := b.Waiting()
	if err != nil {
		return nil, err
	}
	var ask []bodies.Pointer
	for name, p := range need {
		if _, waits := waiting[name]; !waits {
			ask = append(ask, p)
		}
	}
	show, finished := env.Progress()
	done := 0
	t := &bodiesThere{Count: len(ask), Missing: []string{}, Wrong: []string{}}
	for some := range slices.Chunk(ask, 256) {
		failed, err := b.Check(ctx, some)
		if err != nil {
			finished()
			return nil, cliui.WithHint(err, "what is in this clone can be read")
		}
		for name, why := range failed {
			if errors.Is(why, bodies.ErrWrong) {
				t.Wrong = append(t.Wrong, name)
			} else {
				t.Missing = append(t.Missing, name)
			}
		}
		done += len(some)
		show("parts", done, len(ask))
	}
	finished()
	slices.Sort(t.Missing)
	slices.Sort(t.Wrong)
	t.Again, err = sendAgain(ctx, b, append(slices.Clone(t.Missing), t.Wrong...))
	return t, err
}

// sendAgain sends those of the bodies that this clone has.
func sendAgain(ctx context.Context, b *bodies.Folder, names []string) (int, error) {
	kept, err := b.Kept()
	var here []string
	for _, name := range names {
		if _, ok := kept[name]; ok && err == nil {
			here = append(here, name)
			err = b.WaitAgain(name)
		}
	}
	if err != nil {
		return 0, err
	}
	return b.Send(ctx, here)
}

func (v bucketView) print(env *cliui.Env) error {
	if v.URL == "" {
		_, err := fmt.Fprintln(env.Out, "The settings name no bucket: all of every conversation is in git.")
		return err
	}
	state := "you have not agreed to it (`entire share bucket --agree`)"
	if v.Agreed {
		state = "you agreed to it"
	}
	fmt.Fprintf(env.Out, "%s: %s.\n", cliui.ShownLine(v.URL), state)
	fmt.Fprintf(env.Out, "Parts of more than %s leave git.\n", kib(v.Limit))
	fmt.Fprintf(env.Out, "Waiting for the next push: %s (%s)\n", cliui.Count(v.Waiting.Count, "part"), kib(v.Waiting.Bytes))
	fmt.Fprintf(env.Out, "Here and in the bucket:    %s (%s)\n", cliui.Count(v.Kept.Count, "part"), kib(v.Kept.Bytes))
	if c := v.Checked; c != nil {
		fmt.Fprintf(env.Out, "Checked %s: %d missing, %d with other bytes; sent %d of these again.\n",
			cliui.Count(c.Count, "part"), len(c.Missing), len(c.Wrong), c.Again)
	}
	return nil
}

func kib(n int64) string { return fmt.Sprintf("%d KiB", (n+1023)>>10) }
