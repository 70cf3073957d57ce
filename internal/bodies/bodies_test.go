package bodies

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// place makes a folder with a bucket that is agreed to.
func place(t *testing.T, settings string) *Folder {
	t.Helper()
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, ".entire"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, ".entire", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return New(filepath.Join(top, ".git"), top)
}

const withBucket = `{"strategy_options": {"bucket": {"url": "s3://team/shop/", "limit": 20}}}`

func plain(body []byte) ([]byte, error) { return body, nil }

// Nothing leaves git without a bucket, without an agreement, or if it is not larger than the limit.
func TestMoveOnlyAfterAgreement(t *testing.T) {
	t.Parallel()
	long := []byte(strings.Repeat("a line of a transcript\n", 2000))
	f := place(t, withBucket)
	if _, moved, err := f.Move(long, plain); moved || err != nil {
		t.Fatalf("moved without an agreement: %v %v", moved, err)
	}
	if f.Used() {
		t.Error("a folder was made")
	}
	if err := f.Agree(t.Context(), "s3://team/shop", true, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, moved, err := f.Move(long[:20<<10], plain); moved || err != nil {
		t.Errorf("a text of the limit's size moved: %v %v", moved, err)
	}
	blob, moved, err := f.Move(long, plain)
	if err != nil || !moved || !Is(blob) || PlainSize(blob) != int64(len(long)) {
		t.Fatalf("moved %v, %v: %s", moved, err, blob)
	}
	again, _, err := f.Move(long, plain)
	if err != nil || !bytes.Equal(again, blob) {
		t.Errorf("the same text has another pointer: %s %v", again, err)
	}
	if text, err := f.Text(t.Context(), blob); err != nil || !bytes.Equal(text, long) {
		t.Errorf("read back %d bytes, %v", len(text), err)
	}
	if err := f.Agree(t.Context(), "s3://team/shop", false, time.Unix(2, 0)); err != nil {
		t.Fatal(err)
	}
	if _, moved, _ := f.Move(long, plain); moved {
		t.Error("moved after the agreement was withdrawn")
	}
	if _, moved, err := place(t, `{}`).Move(long, plain); moved || err != nil {
		t.Errorf("moved without a bucket: %v %v", moved, err)
	}
}

// A body whose file is damaged is not here, and nothing else is returned in its place.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	f := place(t, withBucket)
	if err := f.Agree(t.Context(), "s3://team/shop", true, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	blob, _, err := f.Move(bytes.Repeat([]byte("x y z\n"), 9000), plain)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(blob)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.Dir(), "waiting", p.SHA256)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := f.Text(t.Context(), blob); !errors.Is(err, ErrNotHere) || text != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"entire_body":1,"sha256":"` + strings.Repeat("0a", 32) + `","size":3,"plain":5,"coding":"zstd"}` + "\n"))
	f.Add([]byte(`{"entire_body":2}`))
	f.Add([]byte(`{"type":"user"}`))
	f.Fuzz(func(t *testing.T, blob []byte) {
		p, err := Parse(blob)
		if err != nil {
			if p != (Pointer{}) || PlainSize(blob) != int64(len(blob)) {
				t.Fatalf("%+v with an error", p)
			}
			return
		}
		again, err := p.encode()
		if err != nil {
			t.Fatal(err)
		}
		if q, err := Parse(again); err != nil || q != p {
			t.Fatalf("%+v became %+v, %v", p, q, err)
		}
	})
}

// Text returns the text of the body that a blob stands for, from this clone or the bucket.
func (f *Folder) Text(ctx context.Context, blob []byte) ([]byte, error) {
	p, err := Parse(blob)
	if err != nil {
		return nil, err
	}
	texts, errs := f.Read(ctx, []Pointer{p})
	return texts[0], errs[0]
}
