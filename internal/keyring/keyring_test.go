package keyring

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// insideVar says that the test runs in a D-Bus session of its own with a secret service.
const insideVar = "ENTIRE_TEST_KEYRING"

// session starts a secret service with an unlocked keyring, and then the program.
const session = `printf 'open\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@"`

// TestSecretService keeps a passphrase in the secret service of a D-Bus session that the test starts.
func TestSecretService(t *testing.T) {
	if os.Getenv(insideVar) != "" {
		inSession(t)
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the keyring of this account is not touched")
	}
	for _, name := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "dbus-run-session", "--", "sh", "-c", session, "sh", program, "-test.run=^TestSecretService$", "-test.v")
	cmd.Env = []string{insideVar + "=yes", "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestSecretService") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func inSession(t *testing.T) {
	ctx := t.Context()
	k := New("entire-test", os.LookupEnv)
	if _, err := k.Get(ctx, "a"); !errors.Is(err, ErrNone) {
		t.Fatalf("an empty keyring: %v", err)
	}
	secret := "open sesame \"\\ ü\n"
	for _, account := range []string{"a", "/home/x/.ssh/id_ed25519 0123"} {
		if err := k.Set(ctx, account, secret); err != nil {
			t.Fatal(err)
		}
		if got, err := k.Get(ctx, account); got != secret || err != nil {
			t.Errorf("%s is %q, %v", account, got, err)
		}
	}
	if _, err := New("other", os.LookupEnv).Get(ctx, "a"); !errors.Is(err, ErrNone) {
		t.Errorf("another service has it: %v", err)
	}
	if err := k.Clear(ctx); err != nil {
		t.Error(err)
	}
	if _, err := k.Get(ctx, "a"); !errors.Is(err, ErrNone) {
		t.Errorf("after Clear: %v", err)
	}
}

// TestNoSession shows that nothing is started where there is no bus.
func TestNoSession(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("a keyring is part of the system")
	}
	env := map[string]string{"XDG_RUNTIME_DIR": t.TempDir(), "DBUS_SESSION_BUS_ADDRESS": "autolaunch:"}
	k := New("entire-test", func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if _, err := k.Get(t.Context(), "a"); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "no D-Bus session") {
		t.Errorf("Get: %v", err)
	}
	env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + t.TempDir() + "/none"
	if err := k.Set(t.Context(), "a", "b"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Set: %v", err)
	}
}
