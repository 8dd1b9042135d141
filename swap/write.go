package swap

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// How says what a power cut may take of a file that was written.
type How bool

const (
	// Quick is for what is made again, or found out to be broken: the system may lose it.
	Quick How = false
	// Durable is on the disk before it has its name.
	Durable How = true
)

// begin is how the name of a file begins that is not whole yet.
const begin = ".new-"

// Write puts b in the place of the file path, with this mode, and makes its folder for its
// owner alone. Whoever reads it meanwhile finds the old content or the new one, whole; where
// it fails, the old one stays and nothing is left beside it.
func Write(path string, b []byte, mode fs.FileMode, how How) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, begin+"*") // 0600
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err == nil && mode != 0o600 {
		err = f.Chmod(mode)
	}
	if err == nil && how == Durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Unfinished says whether a file of this name is one that Write has not given its own yet,
// or had not when its program was killed.
func Unfinished(name string) bool { return strings.HasPrefix(filepath.Base(name), begin) }
