package journal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"forge/plainfile"
	"forge/sorting"
)

// Git runs a reading git command in dir with in as its input, with everything
// switched off that would let the repository run a program.
type Git func(ctx context.Context, dir string, in []byte, args ...string) ([]byte, error)

// A staged is what git's index says of a file: its content is in the object store
// as long as the file's times, size and number are these.
type staged struct {
	size         uint32
	mtime, ctime int64
	ino          uint32
	exec         bool
	oid          [sha1.Size]byte
}

// index reads which files of root git holds, by their paths relative to it. What
// cannot be relied on is left out: then files are read. KindNone of the repository
// is changed, and nothing in it run.
func (t *tree) index(ctx context.Context, git Git) map[string]staged {
	if git == nil {
		return nil
	}
	out, err := git(ctx, t.root, nil, "rev-parse", "--show-prefix", "--git-path", "index", "--git-path", "info/attributes", "--show-object-format")
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 4 || lines[3] != "sha1" {
		return nil
	}
	place := func(p string) string {
		if filepath.IsAbs(p) {
			return p
		}
		return filepath.Join(t.root, p)
	}
	data, fi, err := plainfile.Read(place(lines[1]), maxIndex)
	if err != nil {
		return nil
	}
	all, err := parseIndex(data, lines[0], fi.ModTime().UnixNano())
	if err != nil || len(all) == 0 {
		return nil
	}
	attributes, _, err := plainfile.Read(place(lines[2]), maxAttributes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	switch t.converts(ctx, git, all, attributes) {
	case convertsAll:
		return nil
	case convertsSome:
		t.sameSize(ctx, git, all)
	}
	return all
}

// Bounds of what is read of git's own files, in bytes.
const (
	maxIndex      = 256 << 20
	maxAttributes = 4 << 20
)

type conversion int

const (
	convertsNone conversion = iota
	convertsSome            // a size tells
	convertsAll             // nothing tells
)

// converts says whether files of the work tree may hold other bytes than git does:
// line ends, expanded keywords, filters.
func (t *tree) converts(ctx context.Context, git Git, all map[string]staged, attributes []byte) conversion {
	for path := range all {
		if path == ".gitattributes" || strings.HasSuffix(path, "/.gitattributes") {
			b, _, err := plainfile.Read(filepath.Join(t.root, filepath.FromSlash(path)), maxAttributes)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return convertsAll
			}
			attributes = append(append(attributes, b...), '\n')
		}
	}
	conf, _ := git(ctx, t.root, nil, "config", "--get-regexp", `^core\.(autocrlf|eol|attributesfile)$`)
	for line := range strings.Lines(string(conf)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case key == "core.attributesfile":
			return convertsAll
		case value != "false" && value != "lf":
			return convertsSome
		}
	}
	some := convertsNone
	for line := range strings.Lines(string(attributes)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.Contains(line, "filter=") && !strings.Contains(line, "filter=lfs"), strings.Contains(line, "working-tree-encoding"):
			return convertsAll
		case strings.Contains(line, "text"), strings.Contains(line, "eol"), strings.Contains(line, "crlf"), strings.Contains(line, "ident"), strings.Contains(line, "filter"):
			some = convertsSome
		}
	}
	return some
}

// sameSize leaves out the files whose blob has another size than they have.
func (t *tree) sameSize(ctx context.Context, git Git, all map[string]staged) {
	names := make([]string, 0, len(all))
	var in bytes.Buffer
	for path, s := range all {
		names = append(names, path)
		in.WriteString(hex.EncodeToString(s.oid[:]) + "\n")
	}
	out, err := git(ctx, t.root, in.Bytes(), "cat-file", "--batch-check=%(objectsize)", "--buffer")
	sizes := strings.Split(string(out), "\n")
	for i, path := range names {
		if err != nil || i >= len(sizes) || sizes[i] != strconv.FormatUint(uint64(all[path].size), 10) {
			delete(all, path)
		}
	}
}

var errIndex = errors.New("an index of a form that is not known")

// parseIndex reads git's index, versions 2 to 4: the files below prefix. A file as
// young as the index itself is left out, since a change after that may not show.
func parseIndex(data []byte, prefix string, written int64) (map[string]staged, error) {
	const head, fixed = 12, 62
	if len(data) < head+sha1.Size || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, n := binary.BigEndian.Uint32(data[4:]), int(binary.BigEndian.Uint32(data[8:]))
	if version < 2 || version > 4 || n > len(data)/fixed {
		return nil, errIndex
	}
	all := make(map[string]staged, n)
	at := head
	end := len(data) - sha1.Size
	var name []byte
	for range n {
		if at+fixed > end {
			return nil, errIndex
		}
		e := data[at:end]
		u := func(i int) uint32 { return binary.BigEndian.Uint32(e[i:]) }
		s := staged{ctime: int64(u(0))*1e9 + int64(u(4)), mtime: int64(u(8))*1e9 + int64(u(12)), ino: u(20), size: u(36)}
		mode := u(24)
		copy(s.oid[:], e[40:60])
		flags := binary.BigEndian.Uint16(e[60:])
		from := fixed
		var extended uint16
		if flags&0x4000 != 0 {
			if version < 3 || len(e) < fixed+2 {
				return nil, errIndex
			}
			extended = binary.BigEndian.Uint16(e[62:])
			from += 2
		}
		if version == 4 {
			cut, used := offset(e[from:])
			from += used
			stop := bytes.IndexByte(e[from:], 0)
			if used == 0 || cut > len(name) || stop < 0 {
				return nil, errIndex
			}
			name = append(name[:len(name)-cut], e[from:from+stop]...)
			at += from + stop + 1
		} else {
			stop := bytes.IndexByte(e[from:], 0)
			if stop < 0 {
				return nil, errIndex
			}
			name = append(name[:0], e[from:from+stop]...)
			at += (from + stop + 8) &^ 7
		}
		path, below := strings.CutPrefix(string(name), prefix)
		regular, merged := mode>>12 == 0o10, flags&0x3000 == 0
		unset := extended&0x6000 != 0 // not in the work tree, or only meant to be added
		if below && regular && merged && !unset && s.mtime < written {
			s.exec = mode&0o100 != 0
			all[path] = s
		}
	}
	for at+8 <= end { // extensions: a shared index holds entries elsewhere
		if name := string(data[at : at+4]); name == "link" || name == "sdir" {
			return nil, errIndex
		}
		at += 8 + int(binary.BigEndian.Uint32(data[at+4:]))
	}
	return all, nil
}

// offset reads a number as packs have it.
func offset(b []byte) (n, used int) {
	for i, c := range b[:min(len(b), 5)] {
		n |= int(c & 0x7f)
		if c&0x80 == 0 {
			return n, i + 1
		}
		n = (n + 1) << 7
	}
	return 0, 0
}

// holds says whether git has what the file held when it was seen.
func (s staged) holds(f facts) bool {
	return s.mtime == f.mtime && s.ctime == f.ctime && s.size == uint32(f.size) && s.ino == uint32(f.ino)
}

// settle learns the contents of files of a first look: git has most of them, the
// rest is read.
func (l *looker) settle(ctx context.Context, git Git) {
	if len(l.fresh) == 0 {
		return
	}
	index := l.index(ctx, git)
	sorting.By(l.fresh, func(a, b unread) int { return strings.Compare(a.f.path, b.f.path) })
	var h handle
	open := ""
	have := false
	for _, u := range l.fresh {
		if l.quits() {
			break
		}
		e := &u.f.entries[u.i]
		if s, ok := index[join(u.f.path, e.name)]; ok && !e.hot && s.holds(e.facts) {
			e.from = fromGit
			copy(e.sum[:], s.oid[:])
			continue
		}
		if !have || open != u.f.path {
			if have {
				h.close()
			}
			var err error
			if h, err = l.handle.sub(u.f.path); err != nil {
				have = false
				continue
			}
			have, open = true, u.f.path
		}
		l.read(e, h)
	}
	if have {
		h.close()
	}
	l.fresh = nil
}

// fetchMost is how much is asked of git at once, in bytes, or one file.
const fetchMost = 16 << 20

// fetch reads what git has of the changed files, before it is gone there too.
func (l *looker) fetch(ctx context.Context, git Git) {
	var want []*entry
	size := int64(0)
	for i := range l.found {
		b := &l.found[i].before
		if b.kind != KindFile || b.from != fromGit {
			continue
		}
		if size += b.size; size > fetchMost && len(want) > 0 {
			l.fetchAll(ctx, git, want)
			want, size = nil, b.size
		}
		want = append(want, b)
	}
	if len(want) > 0 {
		l.fetchAll(ctx, git, want)
	}
}

func (l *looker) fetchAll(ctx context.Context, git Git, want []*entry) {
	var in bytes.Buffer
	for _, b := range want {
		in.WriteString(hex.EncodeToString(b.sum[:sha1.Size]) + "\n")
	}
	out, _ := git(ctx, l.root, in.Bytes(), "cat-file", "--batch", "--buffer")
	r := bufio.NewReader(bytes.NewReader(out))
	for _, b := range want {
		data, err := blob(r)
		oid := b.sum
		b.sum, b.from = sum{}, fromNowhere
		if err != nil || int64(len(data)) != b.size || blobName(data) != [sha1.Size]byte(oid[:sha1.Size]) {
			continue
		}
		if h, err := l.seen.put(data); err == nil {
			b.sum, b.from = h, fromSeen
		}
	}
}

// blob reads one answer of git cat-file --batch: "<name> blob <size>", the bytes,
// a line end.
func blob(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return nil, fmt.Errorf("git has it no more: %s", line)
	}
	n, err := strconv.Atoi(fields[2])
	if err != nil || n < 0 || n > 1<<30 {
		return nil, errIndex
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	if _, err := r.ReadByte(); err != nil {
		return nil, err
	}
	if fields[1] != "blob" {
		return nil, errIndex
	}
	return data, nil
}

// blobName is git's name of a content.
func blobName(data []byte) [sha1.Size]byte {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return [sha1.Size]byte(h.Sum(nil))
}
