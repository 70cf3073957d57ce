package checkpointtest

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"

	"entire/checkpoint/chunk"
	"entire/internal/git"
)

// blobs is an object store in memory that counts the bytes written.
type blobs struct {
	Data    map[git.OID][]byte
	Written int
	Fail    error
}

func NewBlobs() *blobs { return &blobs{Data: map[git.OID][]byte{}} }

func (b *blobs) Blob(data []byte) (git.OID, error) {
	if b.Fail != nil {
		return git.OID{}, b.Fail
	}
	oid := blobOID(data)
	if _, have := b.Data[oid]; !have {
		b.Written += len(data)
		b.Data[oid] = bytes.Clone(data)
	}
	return oid, nil
}

func (b *blobs) Read(oid git.OID) ([]byte, error) {
	data, ok := b.Data[oid]
	if !ok {
		return nil, git.ErrMissing
	}
	return data, nil
}

func (b *blobs) Join(t interface{ Fatal(...any) }, folder []git.TreeEntry) []byte {
	entries, missing := chunk.Entries(folder)
	var chunks [][]byte
	for _, e := range entries {
		data, err := b.Read(e.OID)
		if err != nil {
			t.Fatal(e.Name, err)
		}
		chunks = append(chunks, data)
	}
	if len(missing) > 0 {
		t.Fatal("missing", missing)
	}
	return chunk.JoinChunks(chunks)
}

// blobOID is the ID of data as a blob.
func blobOID(data []byte) git.OID {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))
	return git.MustOID(hex.EncodeToString(sum[:]))
}
