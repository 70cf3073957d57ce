package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	tries     = 5
	maxWait   = 30 * time.Second // between two tries
	answerMax = 1 << 20
)

// A Client posts spans to one collector.
type Client struct {
	URL      string            // where traces are posted, whole
	Headers  map[string]string // as for authentication
	Timeout  time.Duration     // of one request
	Resource []Attribute
	Version  string // of this program
	// Wait waits before another try. nil waits in real time.
	Wait func(context.Context, time.Duration) error
}

// TracesURL returns where traces are posted for the address of a collector, or an error for one that is no
// address of http or https.
func TracesURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%.200q is no address of http or https", address)
	}
	if u.User != nil {
		return "", errors.New("the address has a user and password: name them in OTEL_EXPORTER_OTLP_HEADERS")
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u.Path = path.Join("/", u.Path, "v1/traces")
	}
	return u.String(), nil
}

// Headers reads the form of OTEL_EXPORTER_OTLP_HEADERS: name=value,name=value with percent encoding.
func Headers(text string) (map[string]string, error) {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, v, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(v))
		if !ok || name == "" || err != nil || strings.ContainsAny(name+value, "\r\n") {
			return nil, errors.New("it is not a list of name=value, separated by commas")
		}
		out[name] = value
	}
	return out, nil
}

// Send posts spans, and returns how many the collector refused, with its reason. It tries again where the
// protocol says so.
func (c Client) Send(ctx context.Context, spans []Span) (refused int64, why string, err error) {
	body, err := Encode(c.Resource, c.Version, spans)
	if err != nil {
		return 0, "", err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(body); err != nil {
		return 0, "", err
	}
	if err := z.Close(); err != nil {
		return 0, "", err
	}
	wait := time.Second
	for n := 1; ; n++ {
		refused, why, again, err := c.post(ctx, packed.Bytes())
		if err == nil || again < 0 || n == tries || ctx.Err() != nil {
			return refused, why, err
		}
		if again > 0 {
			wait = again
		}
		if err := c.wait(ctx, min(wait, maxWait)); err != nil {
			return 0, "", err
		}
		wait *= 2
	}
}

func (c Client) wait(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// post sends one request. again says after which time another try makes sense: 0 for the usual, negative for never.
func (c Client) post(ctx context.Context, body []byte) (refused int64, why string, again time.Duration, err error) {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return 0, "", -1, err
	}
	for name, value := range c.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("User-Agent", "entire/"+c.Version)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", -1, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
	if err != nil {
		return 0, "", 0, err
	}
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		refused, why = partial(data)
		return refused, why, -1, nil
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return 0, "", -1, fmt.Errorf("it redirects (status %d), and redirects are not followed: name the final address", resp.StatusCode)
	}
	err = fmt.Errorf("it answered with status %d: %s", resp.StatusCode, message(data))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return 0, "", time.Duration(max(seconds, 0)) * time.Second, err
	}
	return 0, "", -1, err
}

// partial returns what a collector says that it did not take.
func partial(data []byte) (int64, string) {
	var answer struct {
		Partial struct {
			Rejected json.Number `json:"rejectedSpans"`
			Message  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(data, &answer) != nil {
		return 0, ""
	}
	n, _ := answer.Partial.Rejected.Int64()
	return n, answer.Partial.Message
}

// message returns why a collector failed, in at most 300 bytes.
func message(data []byte) string {
	var status struct {
		Message string `json:"message"`
	}
	text := strings.TrimSpace(string(data))
	if json.Unmarshal(data, &status) == nil && status.Message != "" {
		text = status.Message
	}
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return text
}
