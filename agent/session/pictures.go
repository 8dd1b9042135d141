package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"forge/lazy"
	"forge/swap"
)

// Pictures keeps the pictures that texts name: of drafts, of queued prompts, of the
// history. A picture is named by its content, so the same one is kept once, whoever
// names it. Dir is private to the person; it is made when something is first kept. A
// message that was sent has its pictures in its own record, too.
type Pictures struct{ Dir string }

var pictureName = lazy.Regexp{Expr: `^[0-9a-f]{16}\.[a-z]+$`}

// Keep stores a picture and returns its name; ext is the end of it, with the dot. The
// file is written whole or not at all.
func (p Pictures) Keep(data []byte, ext string) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:8]) + ext
	if p.Path(name) == "" {
		return "", fmt.Errorf("keep a picture: %q is no ending of a picture's name", ext)
	}
	if fi, err := os.Stat(p.Path(name)); err == nil && fi.Size() == int64(len(data)) {
		return name, p.used(name)
	}
	if err := swap.Write(p.Path(name), data, 0o600, swap.Quick); err != nil {
		return "", fmt.Errorf("keep a picture: %w", err)
	}
	return name, nil
}

// used notes that a picture is wanted still.
func (p Pictures) used(name string) error {
	now := time.Now()
	return os.Chtimes(p.Path(name), now, now)
}

// Path is the file of a picture; empty where name is none that Keep gives.
func (p Pictures) Path(name string) string {
	if !pictureName.Get().MatchString(name) {
		return ""
	}
	return filepath.Join(p.Dir, name)
}

// Read returns a picture. One that was deleted meanwhile is fs.ErrNotExist.
func (p Pictures) Read(name string) ([]byte, error) {
	path := p.Path(name)
	if path == "" {
		return nil, fmt.Errorf("%q names no picture: %w", name, fs.ErrNotExist)
	}
	return os.ReadFile(path)
}

// Prune deletes pictures nobody kept again since before, and what a crash left half
// written.
func (p Pictures) Prune(before time.Time) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return
	}
	before = age(before, newest(entries))
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && fi.ModTime().Before(before) {
			os.Remove(filepath.Join(p.Dir, e.Name())) // the next start tries again
		}
	}
}
