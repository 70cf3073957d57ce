//go:build soak && unix

package soak

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const (
	longTranscript = 100 << 20
	memoryAllowed  = 100 << 20
)

// TestSoakLongTranscript lets a first Stop meet 100 MB of conversation, kills it
// again and again, and expects it to go on where it was, to end with the whole
// conversation, and never to need much memory.
func TestSoakLongTranscript(t *testing.T) {
	p := newPlace(t)
	k := p.talk(1)
	k.prompt()
	k.write("src/d1/f1.txt", text(99, 3000))
	k.fill(longTranscript)
	rng := chance(2)
	var peak, offset int64
	kills, steps := 0, 0
	for deadline := time.Now().Add(10 * time.Minute); ; {
		stop := k.stop()
		killed := killAfter(t, stop, 500*time.Millisecond+time.Duration(rng.Int64N(int64(4*time.Second))), rng.IntN(2) == 0)
		peak = max(peak, peakMemory(stop))
		if !killed {
			break
		}
		kills++
		if err := p.fsck(false); err != nil {
			t.Error(err)
		}
		now := k.captured()
		if now < offset {
			t.Errorf("after kill %d the transcript is read up to %d, it was %d", kills, now, offset)
		}
		if now > offset {
			steps++
		}
		offset = now
		if time.Now().After(deadline) {
			t.Fatalf("not finished after %d kills: %d of %d bytes", kills, offset, longTranscript)
		}
	}
	report(t, p, "killed "+strconv.Itoa(kills)+" times, progress kept "+strconv.Itoa(steps)+" times, peak memory "+strconv.FormatInt(peak>>20, 10)+" MB")
	if err := k.complete(p.shadow() + ":.entire/metadata/" + k.id + "/"); err != nil {
		t.Error(err)
	}
	if refs := p.Git("for-each-ref", "refs/entire/"); refs != "" {
		t.Errorf("refs left: %s", refs)
	}
	if err := p.fsck(true); err != nil {
		t.Error(err)
	}
	if peak > memoryAllowed {
		t.Errorf("peak memory %d MB, allowed %d", peak>>20, int64(memoryAllowed)>>20)
	}
}

// fill appends lines until the transcript has n bytes.
func (k *talk) fill(n int64) {
	k.t.Helper()
	f, err := os.OpenFile(k.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		k.t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for size := int64(0); size < n; k.lines++ {
		line, err := json.Marshal(map[string]any{"type": "user", "uuid": strconv.Itoa(k.lines), "sessionId": k.id,
			"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "content": text(k.lines, 1000+k.lines%9000)}}}})
		if err != nil {
			k.t.Fatal(err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			k.t.Fatal(err)
		}
		size += int64(len(line)) + 1
	}
	if err := w.Flush(); err != nil {
		k.t.Fatal(err)
	}
}

// captured is how many bytes of the transcript our own state says are stored.
func (k *talk) captured() int64 {
	data, err := os.ReadFile(filepath.Join(k.Dir, ".git", "entire", "sessions", k.id, "engine.json"))
	if err != nil {
		return 0
	}
	var side struct{ Capture struct{ Offset int64 } }
	if err := json.Unmarshal(data, &side); err != nil {
		k.t.Errorf("engine state: %v", err)
	}
	return side.Capture.Offset
}
