//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/internal/hub/settings"
)

var deploy = filepath.Join("..", "..", "deploy", "hub")

// TestComposeConfiguration: the configuration that the compose file mounts is one.
func TestComposeConfiguration(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(deploy, "hub.json"))
	if err == nil {
		_, err = settings.Read(data)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestChart: helm accepts the chart, as it is and with everything in it, and the hub accepts the configuration that comes out.
func TestChart(t *testing.T) {
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("helm is not installed; `make hub-chart` builds it")
	}
	home := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), helm, args...)
		cmd.Env = append(os.Environ(), "HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("helm %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	chart := filepath.Join(deploy, "chart")
	run("lint", "--strict", chart)
	everything := []string{"--set", "ingress.enabled=true,ingress.className=nginx,ingress.tlsSecret=tls,podMonitor.enabled=true,image.tag=1.2.3,replicas=5",
		"--set-json", `nodeSelector={"disk":"ssd"}`, "--set-json", `tolerations=[{"key":"a","operator":"Exists"}]`, "--set-json", `config.poll="30s"`}
	for _, try := range []struct {
		args  []string
		kinds []string
		has   string
	}{
		{nil, []string{"ConfigMap", "Deployment", "PodDisruptionBudget", "Service"}, "replicas: 2"},
		{everything, []string{"ConfigMap", "Deployment", "Ingress", "PodDisruptionBudget", "PodMonitor", "Service"}, `image: "entire-hub:1.2.3"`},
	} {
		out := run(append([]string{"template", "hub", chart}, try.args...)...)
		var kinds []string
		for line := range strings.Lines(out) {
			if kind, ok := strings.CutPrefix(line, "kind: "); ok {
				kinds = append(kinds, strings.TrimSpace(kind))
			}
		}
		if slices.Sort(kinds); !slices.Equal(kinds, try.kinds) || !strings.Contains(out, try.has) {
			t.Errorf("%v: %v, %s", try.args, kinds, out)
		}
		_, text, _ := strings.Cut(out, "hub.json: |\n")
		text, _, _ = strings.Cut(text, "\n---")
		if _, err := settings.Read([]byte(text)); err != nil {
			t.Errorf("%v: the hub refuses the configuration: %v: %s", try.args, err, text)
		}
	}
}
