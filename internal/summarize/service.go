package summarize

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// askService sends the question to the source's URL, and returns the answer.
func (r Request) askService(ctx context.Context, question string) (string, error) {
	u, err := r.Source.endpoint()
	if err != nil {
		return "", err
	}
	if r.Model == "" {
		return "", fmt.Errorf("%s needs the name of a model: `entire config set --local summarize.model NAME` sets it", u.Host)
	}
	key := ""
	if name := r.Source.KeyEnv; name != "" {
		if key = value(r.Environ, name); key == "" {
			return "", fmt.Errorf("the key of %s is missing: the variable %s is not set", u.Host, name)
		}
	}
	body, err := json.Marshal(map[string]any{
		"model": r.Model, "stream": false, "messages": []any{map[string]string{"role": "user", "content": question}},
	})
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeoutCause(ctx, r.Timeout, errSlow)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "entire")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := fetch(req)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(context.Cause(limited), errSlow):
		return "", fmt.Errorf("%s gave no answer within %s", u.Host, r.Timeout)
	case ctx.Err() != nil:
		return "", fmt.Errorf("ask %s: %w", u.Host, context.Cause(ctx))
	}
	text := err.Error()
	if key != "" {
		text = strings.ReplaceAll(text, key, "REDACTED")
	}
	return "", fmt.Errorf("ask %s: %s", u.Host, firstLine(text))
}

var errSlow = errors.New("no answer in time")

// fetch sends one request. It follows no redirect: another host would get the text.
func fetch(req *http.Request) (string, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout, transport.MaxResponseHeaderBytes = 0, 64<<10
	transport.TLSHandshakeTimeout = 10 * time.Second
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxStdout+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxStdout:
		return "", fmt.Errorf("it gave more than %d bytes", maxStdout)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return "", fmt.Errorf("it redirects (status %d), and redirects are not followed: name the final URL", resp.StatusCode)
	}
	return completion(resp.StatusCode, data)
}

// completion returns the text of a chat completion.
func completion(status int, data []byte) (string, error) {
	var c struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
		Error json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(data, &c)
	if status != http.StatusOK {
		why := string(data)
		if err == nil && len(c.Error) > 0 {
			why = complaint(c.Error)
		}
		return "", fmt.Errorf("it failed with status %d: %s", status, firstLine(why))
	}
	if err != nil || len(c.Choices) == 0 || c.Choices[0].Message.Content == "" {
		return "", errors.New("it gave no chat completion")
	}
	return c.Choices[0].Message.Content, nil
}

// complaint returns the message of an error, which is a text or an object with one.
func complaint(data json.RawMessage) string {
	var one struct {
		Message string `json:"message"`
	}
	var text string
	switch {
	case json.Unmarshal(data, &text) == nil:
		return text
	case json.Unmarshal(data, &one) == nil && one.Message != "":
		return one.Message
	}
	return string(data)
}
