package update

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// tryTime is how long the new program may take to say which version it is.
const tryTime = 20 * time.Second

// Install puts a build in the place of the program at path, which is a file and no link.
// The new one is written beside it, has to have the feed's sum, to run here and to be of
// the feed's version, and takes its place in one step. An older one under a newer name
// would be a step back, and be found newer again each day.
func Install(ctx context.Context, client *http.Client, b Build, version, program string) error {
	want, err := b.sum()
	if err != nil {
		return err
	}
	was, err := os.Stat(program)
	if err != nil {
		return err
	}
	dir := filepath.Dir(program)
	sweep(dir, time.Now().Add(-leftAfter))
	came, err := os.CreateTemp(dir, ".forge-came-*")
	if err != nil {
		return unwritable(dir, err)
	}
	defer os.Remove(came.Name())
	defer came.Close()
	if err := fetch(ctx, client, b.URL, came, want); err != nil {
		return err
	}
	next, err := unpack(came, b.URL, dir)
	if err != nil {
		return err
	}
	defer os.Remove(next) // where it did not take its place
	if err := os.Chmod(next, was.Mode().Perm()|0o500); err != nil {
		return err
	}
	if err := runs(ctx, next, version); err != nil {
		return err
	}
	return exchange(next, program)
}

// leftAfter is how old a file of an update is that nobody is at any more.
const leftAfter = time.Hour

// sweep removes what updates that were killed left beside the program before a time.
func sweep(dir string, before time.Time) {
	for _, pattern := range []string{".forge-came-*", ".forge-next-*"} {
		left, _ := filepath.Glob(filepath.Join(dir, pattern)) // none, where the folder is named like a pattern
		for _, name := range left {
			if fi, err := os.Lstat(name); err == nil && fi.Mode().IsRegular() && fi.ModTime().Before(before) {
				os.Remove(name)
			}
		}
	}
}

func unwritable(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%s cannot be written to: update as whoever installed forge there, or by what installed it", dir)
	}
	return err
}

// fetch writes what is at an address to a file, if it has the sum.
func fetch(ctx context.Context, client *http.Client, address string, to *os.File, want []byte) error {
	body, err := get(ctx, client, address)
	if err != nil {
		return fmt.Errorf("fetch the update: %w", err)
	}
	defer body.Close()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, h), io.LimitReader(body, buildMax+1))
	switch {
	case err != nil:
		return fmt.Errorf("fetch the update: %w", err)
	case n > buildMax:
		return errors.New("the update is too large to be a forge")
	case !bytes.Equal(h.Sum(nil), want):
		return fmt.Errorf("what came is not what the feed describes: its sha256 is %x; nothing was replaced", h.Sum(nil))
	}
	return to.Sync()
}

// unpack gives the program in what came, in a file of its own beside it.
func unpack(came *os.File, address, dir string) (name string, err error) {
	if _, err := came.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	from := io.Reader(came)
	if strings.HasSuffix(address, ".tar.gz") || strings.HasSuffix(address, ".tgz") {
		if from, err = inside(came); err != nil {
			return "", fmt.Errorf("unpack the update: %w", err)
		}
	}
	out, err := os.CreateTemp(dir, ".forge-next-*"+filepath.Ext(exeName))
	if err != nil {
		return "", unwritable(dir, err)
	}
	_, err = io.Copy(out, io.LimitReader(from, buildMax))
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		os.Remove(out.Name())
		return "", fmt.Errorf("unpack the update: %w", err)
	}
	return out.Name(), nil
}

// inside finds the program in an archive.
func inside(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	t := tar.NewReader(z)
	for {
		h, err := t.Next()
		if err != nil {
			return nil, fmt.Errorf("there is no %s in it: %w", exeName, err)
		}
		if h.Typeflag == tar.TypeReg && path.Base(h.Name) == exeName {
			return t, nil
		}
	}
}

// runs tries the new program: one for another machine, or half of one, takes no place.
func runs(ctx context.Context, program, version string) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	c := exec.CommandContext(ctx, program, "--version")
	c.WaitDelay = time.Second
	out, err := c.Output()
	is, forge := strings.CutPrefix(string(out[:min(len(out), 200)]), "forge ")
	if err != nil || !forge {
		return fmt.Errorf("the new forge does not run here (%v); the old one stays", err)
	}
	plain := func(v string) string { v, _, _ = strings.Cut(strings.TrimPrefix(v, "v"), "+"); return v }
	if is = strings.TrimSpace(is); plain(is) != plain(version) {
		return fmt.Errorf("what came is forge %q and not %s, as the feed says; the old one stays", is, version)
	}
	return nil
}
