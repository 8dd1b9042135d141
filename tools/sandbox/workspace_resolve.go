package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// maxLinks is how many symbolic links one path may lead through; the kernel's own
// figure.
const maxLinks = 40

// Resolve finds out what a model means by name: relative to the main folder, or
// absolute and inside one of the folders. Links are followed as the kernel would,
// as long as they stay inside; a link that says an absolute path inside is one of
// them. The file need not exist. A name that leads outside is an error that wraps
// ErrOutside and names the way to add a folder; it does not tell where the name
// leads, since that is the business of nobody outside.
func (w *Workspace) Resolve(name string) (Path, error) { return w.resolve(name, false) }

// ResolveEntry is Resolve for what is moved or deleted: where name itself is a link,
// it is the link that is meant, wherever that leads. A slash at the end asks for
// what it leads to.
func (w *Workspace) ResolveEntry(name string) (Path, error) { return w.resolve(name, true) }

func (w *Workspace) resolve(name string, entry bool) (Path, error) {
	if err := plausible(name); err != nil {
		return Path{}, err
	}
	roots := w.list()
	if runtime.GOOS == "windows" {
		name = onVolume(name, filepath.VolumeName(roots[0].dir))
	}
	k := walk{roots: roots, at: roots[0]}
	rest := strings.Split(slashes(name), "/")
	if filepath.IsAbs(name) {
		r, below := find(roots, name)
		if r == nil {
			return Path{}, w.outside(name)
		}
		k.at = r
		if rest = below; strings.HasSuffix(slashes(name), "/") || strings.HasSuffix(slashes(name), "/.") {
			rest = append(rest, ".") // a slash at the end asks for a folder
		}
	}
	switch err := k.along(rest, entry); {
	case errors.Is(err, ErrOutside):
		return Path{}, w.outside(name)
	case err != nil:
		return Path{}, fmt.Errorf("%s: %w", name, err)
	}
	p := k.at.path(roots[0], k.cur)
	if len(p.Abs) > MaxPath {
		return Path{}, fmt.Errorf("the path is %d bytes long, at most %d work", len(p.Abs), MaxPath)
	}
	return p, nil
}

// plausible refuses what is no path, or is one that means something else to a
// shell than to the system.
func plausible(name string) error {
	switch {
	case name == "":
		return errors.New("the path is empty; name a file or a folder (the workspace itself is \".\")")
	case len(name) > MaxPath:
		return fmt.Errorf("the path is %d bytes long, at most %d work", len(name), MaxPath)
	case strings.ContainsRune(name, 0):
		return fmt.Errorf("%q holds a NUL byte; no file name can", name)
	case !utf8.ValidString(name):
		return fmt.Errorf("%q is not valid UTF-8", name)
	case strings.HasPrefix(name, "~"):
		return fmt.Errorf("%s: ~ is not expanded here; write the whole path, or ./~… for a name that begins with it", name)
	case strings.Contains(name, "://"):
		return fmt.Errorf("%s is a URL, not a path", name)
	}
	return nil
}

func (w *Workspace) outside(name string) error {
	return fmt.Errorf("%s is %w (%s); stay inside, or ask the person to start forge with --add-dir DIR for it",
		name, ErrOutside, strings.Join(w.Roots(), ", "))
}

// onVolume gives a name that begins with a slash the volume it lacks on Windows, where
// it would be taken for one below the workspace: the one that Git's bash writes as a
// folder of one letter, /c/work, else the workspace's own.
func onVolume(name, volume string) string {
	slash := func(i int) bool { return i < len(name) && (name[i] == '/' || name[i] == '\\') }
	if !slash(0) || slash(1) { // \\host\share is whole
		return name
	}
	if c := name[1:min(2, len(name))]; c != "" && unicode.IsLetter(rune(c[0])) && (len(name) == 2 || slash(2)) {
		return strings.ToUpper(c) + ":" + name[2:]
	}
	return volume + name
}

func slashes(name string) string {
	if runtime.GOOS == "windows" {
		return filepath.ToSlash(name)
	}
	return name
}

// walk follows a path one component at a time.
type walk struct {
	roots   []*root
	at      *root
	cur     []string // resolved so far, below at
	links   int
	missing bool // cur does not exist
	file    bool // cur is no folder
}

// along goes on with these components. entry says that the last of them is not to be
// followed, should it be a link.
func (k *walk) along(rest []string, entry bool) error {
	for i, part := range rest {
		last := i == len(rest)-1
		switch {
		case k.file && !(part == "" && !last): // "f/", "f/.", "f/.." and "f/x" all want f to be a folder
			return syscall.ENOTDIR
		case part == "" || part == ".":
		case part == ".." && k.missing:
			return fs.ErrNotExist
		case part == ".." && len(k.cur) == 0:
			return ErrOutside
		case part == "..":
			k.cur = k.cur[:len(k.cur)-1]
		default:
			if err := k.step(part, entry && last); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *walk) step(part string, stay bool) error {
	if !k.missing {
		here := path.Join(append(k.cur[:len(k.cur):len(k.cur)], part)...)
		fi, err := k.at.handle.Lstat(here)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			k.missing = true
		case err != nil:
			var pe *fs.PathError
			if errors.As(err, &pe) {
				err = pe.Err
			}
			return err
		case fi.Mode()&fs.ModeSymlink != 0 && !stay:
			return k.follow(here)
		default:
			k.file = !fi.IsDir()
		}
	}
	if k.missing {
		if err := writable(part); err != nil {
			return err
		}
	}
	k.cur = append(k.cur, part)
	return nil
}

func (k *walk) follow(link string) error {
	if k.links++; k.links > maxLinks {
		return errors.New("too many symbolic links (a loop?)")
	}
	target, err := k.at.handle.Readlink(link)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(target) {
		return k.along(strings.Split(slashes(target), "/"), false)
	}
	r, rest := find(k.roots, target)
	if r == nil {
		return ErrOutside
	}
	k.at, k.cur = r, nil
	return k.along(rest, false)
}

// writable refuses a new name that could not be shown as it is: with control
// characters, or with invisible ones. Files that have such a name already can be
// read. The joiners stay where writing needs them (Persian, emoji).
func writable(name string) error {
	before := rune(0)
	for _, r := range name {
		joiner := (r == '\u200c' || r == '\u200d') && before > unicode.MaxASCII
		if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && !joiner || r == '\u2028' || r == '\u2029' {
			return fmt.Errorf("the name %q holds the control or invisible character %U; choose a plain name", name, r)
		}
		before = r
	}
	return nil
}
