package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"entire/internal/bodies"
)

// Times after which a server that does not answer is given up.
const (
	dialTime   = 5 * time.Second
	answerTime = 20 * time.Second
	tries      = 3
)

const amazon = "s3.amazonaws.com"

// open returns the bucket that a URL names.
func open(head bodies.Head, environ []string) (*store, error) {
	u, err := url.Parse(head.URL)
	if err != nil || u.User != nil {
		return nil, errors.New("the URL of the bucket is not valid")
	}
	s := &store{shown: head.URL}
	endpoint, path := amazon, strings.Trim(u.Path, "/")
	look := minio.BucketLookupAuto
	if s.bucket = u.Host; u.Scheme != "s3" {
		endpoint, look = u.Host, minio.BucketLookupPath
		s.bucket, path, _ = strings.Cut(path, "/")
	}
	if path != "" {
		s.prefix = path + "/"
	}
	creds, err := credentialsIn()
	if err != nil {
		return nil, err
	}
	region := head.Region
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region == "" {
			region = variable(environ, name)
		}
	}
	s.client, err = minio.New(endpoint, &minio.Options{
		Creds: creds, Secure: u.Scheme != "http", Region: region, BucketLookup: look, Transport: transport(), MaxRetries: tries,
	})
	if err != nil {
		return nil, fmt.Errorf("use the bucket %s: %w", head.URL, err)
	}
	s.client.SetAppInfo("entire", "1")
	return s, nil
}

// credentialsIn finds credentials in the environment, or in the files that AWS's own programs use.
func credentialsIn() (*credentials.Credentials, error) {
	creds := credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.EnvMinio{}, &credentials.FileAWSCredentials{}})
	v, err := creds.GetWithContext(nil)
	if err != nil || v.AccessKeyID == "" || v.SecretAccessKey == "" {
		return nil, errors.New("there are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for one of ~/.aws/credentials")
	}
	return creds, nil
}

func variable(environ []string, name string) (value string) {
	i := slices.IndexFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	if i >= 0 {
		_, value, _ = strings.Cut(environ[i], "=")
	}
	return value
}

func transport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: dialTime, KeepAlive: dialTime}).DialContext
	t.TLSHandshakeTimeout, t.ResponseHeaderTimeout = dialTime, answerTime
	t.MaxIdleConnsPerHost = atOnce
	return t
}

// isNetwork reports whether the server was not reached, or the connection ended early.
func isNetwork(err error) bool {
	var e *url.Error
	var n net.Error
	return errors.As(err, &e) || errors.As(err, &n) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, context.DeadlineExceeded)
}

// root returns the error without the request, which has the whole address.
func root(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
