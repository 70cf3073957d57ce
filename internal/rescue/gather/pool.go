package gather

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"entire/internal/git"
	"entire/internal/rescue/versions"
)

// Pool keeps contents by their hash: in memory as long as they are few, then in a temporary file without a
// name, and those that git has in git. It implements versions.Contents.
type Pool struct {
	repo   *git.Repo
	reader *git.Reader
	memory map[versions.Hash][]byte
	held   int64
	file   *os.File
	end    int64
	places map[versions.Hash]place
	stored map[versions.Hash]bool // whether git has it
}

type place struct{ at, size int64 }

// poolMemory bounds the contents that are held in memory, in bytes.
const poolMemory = 48 << 20

// maxAside bounds the temporary file, in bytes.
const maxAside = 4 << 30

// maxFile bounds the size of one version of a file, in bytes.
const maxFile = 64 << 20

// newPool returns an empty pool. Close frees what it holds.
func newPool(repo *git.Repo, reader *git.Reader) *Pool {
	return &Pool{repo: repo, reader: reader, memory: map[versions.Hash][]byte{}, places: map[versions.Hash]place{}, stored: map[versions.Hash]bool{}}
}

// Close frees the pool.
func (p *Pool) Close() error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	os.Remove(p.file.Name()) // where an open file cannot be removed
	return err
}

// Put implements versions.Contents.
func (p *Pool) Put(content []byte) (versions.Hash, error) {
	hash := versions.Hash(p.repo.BlobOID(content).String())
	if p.has(hash) {
		return hash, nil
	}
	if p.held+int64(len(content)) <= poolMemory {
		p.memory[hash] = append([]byte{}, content...)
		p.held += int64(len(content))
		return hash, nil
	}
	if err := p.spill(hash, content); err != nil {
		return "", fmt.Errorf("keep a version of a file aside: %w", err)
	}
	return hash, nil
}

func (p *Pool) has(hash versions.Hash) bool {
	_, inMemory := p.memory[hash]
	_, inFile := p.places[hash]
	return inMemory || inFile
}

// spill appends a content to the temporary file.
func (p *Pool) spill(hash versions.Hash, content []byte) error {
	if p.end+int64(len(content)) > maxAside {
		return errors.New("the versions take more than 4 GB: name PATHs to look for fewer files")
	}
	if p.file == nil {
		f, err := os.CreateTemp("", "entire-rescue-")
		if err != nil {
			return err
		}
		os.Remove(f.Name()) // it lives as long as it is open; where that is not allowed, the system's cleaning takes it
		p.file = f
	}
	if _, err := p.file.WriteAt(content, p.end); err != nil {
		return err
	}
	p.places[hash] = place{p.end, int64(len(content))}
	p.end += int64(len(content))
	return nil
}

// Get implements versions.Contents.
func (p *Pool) Get(hash versions.Hash) ([]byte, error) {
	if content, ok := p.memory[hash]; ok {
		return content, nil
	}
	if at, ok := p.places[hash]; ok {
		content := make([]byte, at.size)
		_, err := io.ReadFull(io.NewSectionReader(p.file, at.at, at.size), content)
		return content, err
	}
	found, err := p.reader.Small(maxFile, string(hash))
	switch {
	case err != nil:
		return nil, err
	case found[0].Type != "blob":
		return nil, fmt.Errorf("read a version of a file: %s: %w", hash, git.ErrMissing)
	case found[0].Large:
		return nil, fmt.Errorf("read a version of a file: %s is too large", hash)
	}
	return found[0].Data, nil
}

// Find implements versions.Contents.
func (p *Pool) Find(prefix string) (versions.Hash, bool) {
	if len(prefix) < 7 || strings.Trim(prefix, "0123456789abcdef") != "" {
		return "", false
	}
	for hash := range p.memory {
		if strings.HasPrefix(string(hash), prefix) {
			return hash, true
		}
	}
	found, err := p.reader.Small(1, prefix)
	if err != nil || len(found) != 1 || found[0].Type != "blob" {
		return "", false
	}
	return versions.Hash(found[0].OID.String()), true
}

// Known implements versions.Contents: git has the content.
func (p *Pool) Known(hash versions.Hash) bool {
	known, asked := p.stored[hash]
	if !asked {
		found, err := p.reader.Small(1, string(hash))
		known = err == nil && len(found) == 1 && found[0].Type == "blob"
		p.stored[hash] = known
	}
	return known
}
