package settings

import (
	"encoding/json"
	"fmt"
	"time"

	"entire/internal/strictjson"
)

// Hub is the configuration file.
type Hub struct {
	Listen       string       `json:"listen"`                   // address and port
	MetricsOn    string       `json:"metrics_listen,omitempty"` // a second address, for metrics without a token; "" for none
	URL          string       `json:"url,omitempty"`            // of the pages, as browsers reach them
	Data         string       `json:"data"`                     // folder of the mirrors and, without a database, of the index
	DatabaseEnv  string       `json:"database_env,omitempty"`   // the variable with the address of PostgreSQL; "" for SQLite
	Poll         Duration     `json:"poll,omitempty"`           // how often repositories are fetched
	Workers      int          `json:"workers,omitempty"`        // how many repositories are read at once
	Repositories []Repository `json:"repositories"`
	Teams        []Team       `json:"teams,omitempty"`
	Tokens       []Token      `json:"tokens,omitempty"`
	OIDC         *OIDC        `json:"oidc,omitempty"`
	Limits       Limits       `json:"limits,omitempty"`
}

// Repository is one repository of a git server.
type Repository struct {
	Name             string `json:"name"`
	URL              string `json:"url"`
	User             string `json:"user,omitempty"`
	PasswordEnv      string `json:"password_env,omitempty"`
	Forge            string `json:"forge,omitempty"` // github, gitlab or gitea: whose webhooks are believed
	WebhookSecretEnv string `json:"webhook_secret_env,omitempty"`
}

// Team is people and the folders they look after. A line belongs to the first team whose paths match its file, or else to
// the first whose authors match the checkpoint's.
type Team struct {
	Name    string   `json:"name"`
	Paths   []string `json:"paths,omitempty"`   // folders and files, as in services/pay or services/*/api
	Authors []string `json:"authors,omitempty"` // addresses, or @host for all of a host
}

// Token lets a program read.
type Token struct {
	Name         string    `json:"name"`
	SHA256       string    `json:"sha256"` // of the token, in hex
	Repositories []string  `json:"repositories"`
	Expires      time.Time `json:"expires,omitzero"`
}

// OIDC is how people log in.
type OIDC struct {
	Issuer          string   `json:"issuer"`
	ClientID        string   `json:"client_id"`
	ClientSecretEnv string   `json:"client_secret_env,omitempty"`
	Scopes          []string `json:"scopes,omitempty"`
	GroupsClaim     string   `json:"groups_claim,omitempty"`
	SessionKeyEnv   string   `json:"session_key_env"` // at least 32 random bytes, the same in every replica
	SessionFor      Duration `json:"session_for,omitempty"`
	Access          []Access `json:"access"`
}

// Access lets a group, or a person by address, read repositories.
type Access struct {
	Group        string   `json:"group,omitempty"`
	Email        string   `json:"email,omitempty"`
	Repositories []string `json:"repositories"`
}

// Limits protect the hub from its readers.
type Limits struct {
	PerSecond float64  `json:"per_second,omitempty"` // requests of one reader
	Burst     int      `json:"burst,omitempty"`
	Query     Duration `json:"query,omitempty"` // the longest query of the index
}

// Everything is the name that stands for all repositories.
const Everything = "*"

// Duration is a time as 90s or 5m.
type Duration time.Duration

// UnmarshalJSON reads a duration.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	err := json.Unmarshal(data, &text)
	v, bad := time.ParseDuration(text)
	if err != nil || bad != nil || v <= 0 {
		return fmt.Errorf("%s is no time as \"90s\", \"5m\" or \"12h\"", data)
	}
	*d = Duration(v)
	return nil
}

// MarshalJSON writes a duration.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// Read reads a configuration and sets what it leaves out.
func Read(data []byte) (*Hub, error) {
	var h Hub
	if err := strictjson.Decode(data, &h); err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	h.Complete()
	return &h, nil
}

// Complete sets what the configuration leaves out.
func (h *Hub) Complete() {
	set := func(d *Duration, v time.Duration) {
		if *d == 0 {
			*d = Duration(v)
		}
	}
	if h.Listen == "" {
		h.Listen = "127.0.0.1:8080"
	}
	set(&h.Poll, time.Minute)
	set(&h.Limits.Query, 10*time.Second)
	if h.Workers < 1 {
		h.Workers = 2
	}
	if h.Limits.PerSecond <= 0 {
		h.Limits.PerSecond = 20
	}
	if h.Limits.Burst < 1 {
		h.Limits.Burst = 60
	}
	if h.OIDC != nil {
		set(&h.OIDC.SessionFor, 12*time.Hour)
		if h.OIDC.GroupsClaim == "" {
			h.OIDC.GroupsClaim = "groups"
		}
	}
}
