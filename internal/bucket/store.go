package bucket

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"entire/internal/bodies"
	"entire/internal/durable"
)

// maxBody is the most bytes of a body.
const maxBody = 256 << 20

// store is one bucket.
type store struct {
	client *minio.Client
	bucket string
	prefix string // ends in "/", or is ""
	shown  string
}

// key returns where the bucket has a body.
func (s *store) key(name string) string { return s.prefix + name[:2] + "/" + name[2:] }

func (s *store) do(ctx context.Context, job bodies.Job) bodies.Answer {
	a := bodies.Answer{SHA256: job.SHA256}
	if len(job.SHA256) != 64 || strings.Trim(job.SHA256, "0123456789abcdef") != "" {
		a.Kind, a.Error = bodies.KindOther, "it has no name of a body"
		return a
	}
	var err error
	switch job.Do {
	case "get":
		err = s.get(ctx, job)
	case "put":
		err = s.put(ctx, job, s.sound)
	case "confirm":
		err = s.put(ctx, job, s.has)
	case "check":
		err = s.check(ctx, job)
	case "delete":
		err = s.remove(ctx, job.SHA256)
	default:
		err = fmt.Errorf("nobody knows how to %q a body", job.Do)
	}
	if err != nil {
		a.Kind, a.Error = s.kind(err), s.text(err)
	}
	return a
}

var (
	errMissing = errors.New("the bucket does not have it")
	errWrong   = errors.New("its bytes have another hash")
)

// get writes a body to the job's file.
func (s *store) get(ctx context.Context, job bodies.Job) error {
	body, err := s.read(ctx, job)
	if err != nil {
		return err
	}
	return durable.WriteCache(job.File, body, 0o600)
}

// read returns a body, which has its hash.
func (s *store) read(ctx context.Context, job bodies.Job) ([]byte, error) {
	o, err := s.client.GetObject(ctx, s.bucket, s.key(job.SHA256), minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer o.Close()
	body, err := io.ReadAll(io.LimitReader(o, min(job.Size, maxBody)+1))
	if err != nil {
		return nil, err
	}
	if bodies.NameOf(body) != job.SHA256 {
		return nil, errWrong
	}
	return body, nil
}

// put stores the job's file, unless the bucket has it as a look says, and sees that it is there.
func (s *store) put(ctx context.Context, job bodies.Job, look func(context.Context, bodies.Job, []byte) (bool, error)) error {
	body, err := durable.ReadPlain(job.File, maxBody)
	if err != nil {
		return err
	}
	if bodies.NameOf(body) != job.SHA256 {
		return fmt.Errorf("the file %s is damaged: %w", job.File, errWrong)
	}
	job.Size = int64(len(body))
	if there, err := look(ctx, job, body); err != nil || there {
		return err
	}
	_, err = s.client.PutObject(ctx, s.bucket, s.key(job.SHA256), bytes.NewReader(body), int64(len(body)), minio.PutObjectOptions{
		ContentType: "application/octet-stream", SendContentMd5: true, DisableMultipart: len(body) < 64<<20,
	})
	if err != nil {
		return err
	}
	there, err := s.has(ctx, job, body)
	if err == nil && !there {
		err = errWrong
	}
	return err
}

// sound reports whether the bucket has a body, from its bytes: a server whose files are damaged still says the MD5 that it
// noted when they were written.
func (s *store) sound(ctx context.Context, job bodies.Job, _ []byte) (bool, error) {
	switch _, err := s.read(ctx, job); s.kind(err) {
	case bodies.KindMissing, bodies.KindWrong:
		return false, nil
	default:
		return err == nil, err
	}
}

// has reports whether the bucket has a body. It reads the bytes back if the bucket does not say their MD5.
func (s *store) has(ctx context.Context, job bodies.Job, body []byte) (bool, error) {
	info, err := s.client.StatObject(ctx, s.bucket, s.key(job.SHA256), minio.StatObjectOptions{})
	switch {
	case s.kind(err) == bodies.KindMissing:
		return false, nil
	case err != nil:
		return false, err
	case info.Size != int64(len(body)):
		return false, nil
	}
	sum := md5.Sum(body)
	if strings.Trim(info.ETag, `"`) == hex.EncodeToString(sum[:]) {
		return true, nil
	}
	return s.sound(ctx, job, body)
}

// check reads a body to see that the bucket has it.
func (s *store) check(ctx context.Context, job bodies.Job) error {
	_, err := s.read(ctx, job)
	return err
}

// remove deletes a body, and its earlier versions where the bucket keeps such and lets us.
func (s *store) remove(ctx context.Context, name string) error {
	key := s.key(name)
	if err := s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{}); err != nil {
		return err
	}
	for o := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: key, WithVersions: true}) {
		if o.Err != nil {
			return nil // it keeps no versions, or hides them
		}
		if o.Key != key || o.VersionID == "" || o.VersionID == "null" {
			continue
		}
		if err := s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{VersionID: o.VersionID}); err != nil {
			return fmt.Errorf("delete an earlier version: %w", err)
		}
	}
	return nil
}

// kind returns the kind of an error for the answer.
func (s *store) kind(err error) string {
	var answer minio.ErrorResponse
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errMissing):
		return bodies.KindMissing
	case errors.Is(err, errWrong):
		return bodies.KindWrong
	case errors.As(err, &answer):
		switch {
		case answer.Code == "NoSuchBucket":
			return bodies.KindBucket
		case answer.StatusCode == http.StatusNotFound:
			return bodies.KindMissing
		case answer.StatusCode == http.StatusForbidden, answer.StatusCode == http.StatusUnauthorized, answer.StatusCode >= 500:
			return bodies.KindBucket
		}
		return bodies.KindOther
	}
	if isNetwork(err) {
		return bodies.KindBucket
	}
	return bodies.KindOther
}

// text says for a person why something failed.
func (s *store) text(err error) string {
	var answer minio.ErrorResponse
	switch {
	case errors.As(err, &answer) && answer.Code == "NoSuchBucket":
		return fmt.Sprintf("there is no bucket %s", s.shown)
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized):
		return fmt.Sprintf("the bucket %s refuses these credentials: %s", s.shown, strings.TrimSuffix(answer.Message, "."))
	case errors.As(err, &answer) && answer.StatusCode >= 500:
		return fmt.Sprintf("the bucket %s does not answer: %s", s.shown, answer.Message)
	case isNetwork(err):
		return fmt.Sprintf("the bucket %s cannot be reached: %v", s.shown, root(err))
	}
	return err.Error()
}
