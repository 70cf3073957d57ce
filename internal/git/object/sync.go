package object

import (
	"os"
)

func Writeback(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return StartWriteback(f)
}
