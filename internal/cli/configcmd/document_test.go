package configcmd_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/internal/cli/configcmd"
)

// docs/settings.md and the schema are written from the table. To write them anew: make settings
func TestSettingsDocuments(t *testing.T) {
	schema, err := json.MarshalIndent(configcmd.Schema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	docs := filepath.Join("..", "..", "..", "docs")
	for name, text := range map[string]string{"settings.md": configcmd.Document(), "settings.schema.json": string(schema) + "\n"} {
		path := filepath.Join(docs, name)
		if slices.Contains(flag.Args(), "write-settings") {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(have), text); diff != "" {
			t.Errorf("%s is not what the table says; run `make settings`:\n%s", path, diff)
		}
	}
}
