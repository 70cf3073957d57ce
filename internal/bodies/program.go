package bodies

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"entire/internal/lines"
)

// Head is the first line that the program entire-bucket reads: the bucket.
type Head struct {
	URL    string `json:"url"`
	Region string `json:"region,omitempty"`
}

// Job is one of the further lines: what to do with a body. The program answers each with an [Answer], in any order, and
// ends when its input has ended and all are answered.
type Job struct {
	Do     string `json:"do"` // get, put, check or delete; confirm is a put of what the bucket was seen to have
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size,omitempty"`
	File   string `json:"file,omitempty"` // which put and confirm read, and get writes
}

// Answer is a line that the program writes.
type Answer struct {
	SHA256 string `json:"sha256"`          // of the job; "" for what concerns all of them
	Kind   string `json:"kind,omitempty"`  // of the error; "" if it is done
	Error  string `json:"error,omitempty"` // for a person
}

// Kinds of errors of an [Answer].
const (
	KindMissing = "missing" // the bucket has no such body
	KindWrong   = "wrong"   // the body in the bucket, or in the file, has another hash
	KindBucket  = "bucket"  // the bucket cannot be used: no credentials, no such bucket, no network
	KindOther   = "other"
)

var (
	// ErrMissing is returned for a body that the bucket does not have.
	ErrMissing = errors.New("the bucket does not have it")

	// ErrWrong is returned for a body whose bytes have another hash than its name says.
	ErrWrong = errors.New("the bucket has other bytes under its name")

	// errNoBucket is returned where the settings name no bucket.
	errNoBucket = errors.New("the settings name no bucket (`entire config set bucket.url URL`)")

	// errNotAgreed is returned where the person has not agreed to the bucket.
	errNotAgreed = errors.New("you have not agreed to the project's bucket (`entire share bucket --agree`)")
)

// run does jobs, and says of each that failed why. The error is one that concerns all of them.
func (f *Folder) run(ctx context.Context, jobs []Job) (map[string]error, error) {
	return f.runEach(ctx, jobs, func(string) error { return nil })
}

// stopAfter is how long the program may take to end after it was told to.
const stopAfter = 2 * time.Second

// runEach is run, and calls done for each job when it is done.
func (f *Folder) runEach(ctx context.Context, jobs []Job, done func(name string) error) (failed map[string]error, err error) {
	failed = map[string]error{}
	if len(jobs) == 0 {
		return failed, nil
	}
	r := f.load()
	switch {
	case r.err != nil:
		return nil, r.err
	case r.bucket.URL == "":
		return nil, errNoBucket
	case !r.agreed:
		return nil, errNotAgreed
	case f.Program == nil:
		return nil, ErrNotHere
	}
	path, err := f.Program()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Env, cmd.WaitDelay = f.Environ, stopAfter
	if cmd.Stdin, err = encodeJobs(Head{r.bucket.URL, r.bucket.Region}, jobs); err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	left := map[string]bool{}
	for _, j := range jobs {
		left[j.SHA256] = true
	}
	whole := takeAnswers(lines.NewReader(out, maxAnswer), left, failed, done)
	err = cmd.Wait()
	switch {
	case whole != nil:
		return nil, whole
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(left) > 0:
		return nil, fmt.Errorf("the bucket program ended before %d of %d bodies: %w %s", len(left), len(jobs), errors.Join(err), strings.TrimSpace(stderr.String()))
	}
	return failed, nil
}

func encodeJobs(head Head, jobs []Job) (*bytes.Buffer, error) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	err := enc.Encode(head)
	for _, j := range jobs {
		err = errors.Join(err, enc.Encode(j))
	}
	return &in, err
}

// maxAnswer bounds an answer in bytes.
const maxAnswer = 64 << 10

// takeAnswers reads answers until the program ends; a program whose output nobody reads never would. It
// removes the answered jobs from left.
func takeAnswers(in *lines.Reader, left map[string]bool, failed map[string]error, done func(string) error) (whole error) {
	for {
		line, err := in.Next()
		if err != nil && !errors.Is(err, lines.ErrTooLong) && !errors.Is(err, lines.ErrTorn) {
			return whole
		}
		var a Answer
		if err == nil || errors.Is(err, lines.ErrTorn) {
			err = json.Unmarshal(line, &a)
		}
		if err != nil {
			whole = errors.Join(whole, fmt.Errorf("the bucket program answered %.80q: %w", line, err))
			continue
		}
		if a.SHA256 == "" || a.Kind == KindBucket {
			if whole == nil {
				whole = errors.New(a.Error)
			}
			continue
		}
		if !left[a.SHA256] {
			continue
		}
		delete(left, a.SHA256)
		if err := a.err(); err != nil {
			failed[a.SHA256] = err
		} else if err := done(a.SHA256); err != nil {
			failed[a.SHA256] = err
		}
	}
}

func (a Answer) err() error {
	switch a.Kind {
	case "":
		return nil
	case KindMissing:
		return ErrMissing
	case KindWrong:
		return ErrWrong
	}
	return errors.New(a.Error)
}
