package recipientscmd

import (
	"context"
	"fmt"

	"entire/checkpoint/metadata"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/seal"
	"entire/internal/term"
)

// listed is what --json prints.
type listed struct {
	Enabled    bool              `json:"enabled"`
	Recipients []listedRecipient `json:"recipients"`
	DataKeys   int               `json:"data_keys"` // on the metadata branch
	Readable   int               `json:"readable"`  // of these, that the identities here open
	Unread     string            `json:"why_not,omitempty"`
}

type listedRecipient struct {
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"`
	Key      string `json:"key"`
	DataKeys int    `json:"data_keys"` // on the metadata branch, wrapped to it
}

func runList(ctx context.Context, env *cliui.Env, asJSON bool) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	on, err := wp.Repo.Vault.On()
	if err != nil {
		return badSettings(wp, err)
	}
	all, err := parsedRecipients(wp)
	if err != nil {
		return err
	}
	keys, err := metadata.KeysHere(ctx, wp.Repo)
	if err != nil {
		return err
	}
	v := listed{Enabled: on, Recipients: []listedRecipient{}, DataKeys: len(keys)}
	for _, r := range all {
		one := listedRecipient{ID: r.ID(), Name: r.Name(), Key: r.String()}
		for _, forms := range keys {
			if forms[r.ID()] {
				one.DataKeys++
			}
		}
		v.Recipients = append(v.Recipients, one)
	}
	for key := range keys {
		if _, err := wp.Repo.Vault.Key(ctx, key); err == nil {
			v.Readable++
		} else if v.Unread == "" {
			v.Unread = err.Error()
		}
	}
	if asJSON {
		return env.PrintJSON(v)
	}
	return printList(env, v, all)
}

func printList(env *cliui.Env, v listed, all []seal.Recipient) error {
	if !v.Enabled {
		fmt.Fprintln(env.Out, "Conversations are stored in clear. `entire recipients add KEY` encrypts them.")
	} else {
		fmt.Fprintf(env.Out, "What is stored of conversations is encrypted to %s.\n", cliui.Count(len(all), "recipient"))
	}
	if len(all) > 0 {
		rows := [][]term.Cell{cliui.FaintRow(env.Screen(), []string{"NAME", "ID", "DATA KEYS", "PUBLIC KEY"})}
		for i, r := range v.Recipients {
			rows = append(rows, term.Plain(cliui.ShownLine(r.Name), r.ID, fmt.Sprintf("%d of %d", r.DataKeys, v.DataKeys), cliui.ShownLine(shortKey(all[i]))))
		}
		fmt.Fprint(env.Out, "\n"+term.Columns(rows, env.Width())+"\n")
	}
	if v.DataKeys > 0 {
		fmt.Fprintf(env.Out, "Your keys open %d of %s.\n", v.Readable, cliui.Count(v.DataKeys, "data key"))
	}
	if v.Unread != "" {
		fmt.Fprintln(env.Out, "Of the others: "+cliui.ShownLine(v.Unread))
	}
	return nil
}

// shortKey returns a recipient's key without its name.
func shortKey(r seal.Recipient) string {
	bare, err := seal.ParseRecipient(r.String())
	if err != nil {
		return r.String()
	}
	return bare.Short()
}

// parsedRecipients returns the recipients of the project's settings.
func parsedRecipients(wp *workplace.Workplace) ([]seal.Recipient, error) {
	e, err := config.ReadEncryption(wp.Place.Settings)
	if err != nil {
		return nil, badSettings(wp, err)
	}
	var all []seal.Recipient
	for _, line := range e.Recipients {
		r, err := seal.ParseRecipient(line)
		if err != nil {
			return nil, badSettings(wp, err)
		}
		all = append(all, r)
	}
	if !e.Said {
		return wp.Repo.Vault.Recipients() // what the clone remembers
	}
	return all, nil
}

func badSettings(wp *workplace.Workplace, err error) error {
	return cliui.Failf("nothing is stored of conversations until "+cliui.ShownLine(config.Path(wp.Place.Settings, config.Project))+" is right", "read the recipients: %w", err)
}

// recipientNames returns the names that remove takes.
func recipientNames(_ context.Context, wp *workplace.Workplace, _ string) (names []string, err error) {
	all, err := parsedRecipients(wp)
	for _, r := range all {
		if r.Name() != "" {
			names = append(names, r.Name()+"\t"+shortKey(r))
		} else {
			names = append(names, r.ID()+"\t"+shortKey(r))
		}
	}
	return names, err
}
