package walk

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// Regular looks at a file that is to be read: one that is none, or has more than a number
// of bytes, is not; long is the error of those.
func Regular(fsys fs.FS, at string, most int64, long error) (fs.FileInfo, error) {
	info, err := fs.Stat(fsys, at)
	if err != nil {
		if link, lerr := fs.Lstat(fsys, at); lerr == nil && link.Mode()&fs.ModeSymlink != 0 {
			return nil, ErrLeadsOut
		}
		return nil, Bare(err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > most:
		return nil, long
	}
	return info, nil
}

// Read reads a file, and of one that grew meanwhile a byte more than most, so that it is
// seen to be too long.
func Read(fsys fs.FS, at string, most int64) ([]byte, error) {
	f, err := fsys.Open(at)
	if err != nil {
		return nil, Bare(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, Bare(err)
	}
	return text, nil
}

// Kept remembers what was made of files that have not changed since, from one look to the
// next. It is for one goroutine at a time.
type Kept[T any] struct{ was, now map[string]kept[T] }

type kept[T any] struct {
	at   time.Time
	size int64
	v    T
}

// Next begins a look: what it does not ask for is forgotten with the next one.
func (k *Kept[T]) Next() { k.was, k.now = k.now, map[string]kept[T]{} }

// Of is what was made of a file, or what make makes of it now. What make says is not to be
// kept is made anew the next time.
func (k *Kept[T]) Of(key string, info fs.FileInfo, make func() (v T, keep bool)) T {
	old, ok := k.was[key]
	if !ok || !old.at.Equal(info.ModTime()) || old.size != info.Size() {
		v, keep := make()
		if !keep {
			return v
		}
		old = kept[T]{info.ModTime(), info.Size(), v}
	}
	k.now[key] = old
	return old.v
}
