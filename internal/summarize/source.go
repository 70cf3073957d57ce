package summarize

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"

	"entire/internal/durable"
)

// A Source makes summaries in place of the agent's own program: a command, or a service that speaks the
// protocol of OpenAI's chat completions. The zero value is the agent's own program.
type Source struct {
	Command []string `json:"command,omitempty"` // a program and its arguments; it reads the question from standard input
	URL     string   `json:"url,omitempty"`     // of the service, up to and with /v1
	KeyEnv  string   `json:"key_env,omitempty"` // the variable with the service's key, "" for none
}

// IsZero reports whether the agent's own program makes the summaries.
func (s Source) IsZero() bool { return len(s.Command) == 0 && s.URL == "" }

// Check returns an error for a source that cannot be used.
func (s Source) Check() error {
	switch {
	case len(s.Command) > 0 && s.URL != "":
		return errors.New("the settings name both a command and a URL for summaries")
	case s.URL == "":
		return nil
	}
	u, err := s.endpoint()
	if err != nil {
		return err
	}
	if u.Scheme == "http" && s.KeyEnv != "" && !onThisMachine(u) {
		return fmt.Errorf("the key of %s would be sent unencrypted: use https", u.Host)
	}
	return nil
}

// endpoint returns the address that questions are sent to.
func (s Source) endpoint() (*url.URL, error) {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the settings' URL for summaries is not one of http or https: %.200q", s.URL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the settings' URL for summaries has a user, a query or a fragment: it must have none")
	}
	if !strings.HasSuffix(u.Path, "/chat/completions") {
		u = u.JoinPath("chat", "completions")
	}
	return u, nil
}

// onThisMachine reports whether a URL names this machine by an address that no other can have.
func onThisMachine(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// Name says what gets the text.
func (s Source) Name() string {
	if len(s.Command) > 0 {
		return filepath.Base(s.Command[0])
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "the URL"
	}
	return u.Host
}

// Warning says what a person should know before they agree.
func (s Source) Warning() string {
	if len(s.Command) > 0 {
		return fmt.Sprintf("%q is run for each summary. It gets the redacted text of a checkpoint's part of the conversation, at most %d kB, and your environment.",
			s.Command, maxTranscript/1000)
	}
	text := fmt.Sprintf("The redacted text of a checkpoint's part of the conversation, at most %d kB, is sent to %s for each summary. Redaction finds most secrets, not all.",
		maxTranscript/1000, s.URL)
	if u, err := url.Parse(s.URL); err == nil && u.Scheme == "http" && !onThisMachine(u) {
		text += " The connection is not encrypted."
	}
	return text
}

// agreedFile has the sources that the user agreed to. It lies in the git directory, which no clone brings.
func agreedFile(commonDir string) string {
	return filepath.Join(commonDir, "entire", "summarize-agreed.json")
}

const agreedMax = 64 << 10

// Agreed reports whether the user agreed to exactly this source in this repository.
func Agreed(commonDir string, s Source) (bool, error) {
	digests, err := agreed(commonDir)
	return digests[s.digest()], err
}

// Agree records that the user agreed.
func Agree(commonDir string, s Source) error {
	digests, err := agreed(commonDir)
	if err != nil {
		return err
	}
	digests[s.digest()] = true
	data, err := json.Marshal(map[string]any{"agreed": digests})
	if err == nil {
		err = durable.WriteFile(agreedFile(commonDir), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("record that you agreed to summaries by %s: %w", s.Name(), err)
	}
	return nil
}

func agreed(commonDir string) (map[string]bool, error) {
	data, err := durable.ReadPlain(agreedFile(commonDir), agreedMax)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]bool{}, nil
	}
	var file struct {
		Agreed map[string]bool `json:"agreed"`
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		return nil, fmt.Errorf("read which summaries you agreed to: %w", err)
	}
	if file.Agreed == nil {
		file.Agreed = map[string]bool{}
	}
	return file.Agreed, nil
}

// digest names a source without a part of it.
func (s Source) digest() string {
	data, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
