package journal

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"forge/swap"
)

// A file too large for its content to be kept can be taken back all the same where
// it was only moved: it lies whole under its other name and gets the old one again.

// pair finds such files among those of a plan that would have to stay as they are.
func pair(files []File) {
	for i := range files {
		old := &files[i]
		if !old.unkept || old.want.Kind != KindFile || old.now.Kind != KindNone {
			continue
		}
		for k := range files {
			now := &files[k]
			if now.unkept && now.to == "" && now.tree == old.tree && now.want.Kind == KindNone && now.now.sameContent(old.want) {
				old.Do, old.Why, old.from = Restore, "", now.abs
				now.Do, now.Why, now.to = Remove, "", old.abs
				break
			}
		}
	}
}

// together keeps both of a pair as they are where one of them must stay.
func together(files []File) {
	stays := map[string]string{}
	for _, f := range files {
		if f.Do == Keep {
			stays[f.abs] = f.Why
		}
	}
	for i := range files {
		f := &files[i]
		if other := f.from + f.to; f.Do != Keep && other != "" {
			if why, ok := stays[other]; ok {
				f.Do, f.Why = Keep, why
			}
		}
	}
}

// moveBack gives the files of pairs their old names.
func moveBack(todo []*File, roots map[*tree]*os.Root, errs map[*File]error) {
	at := map[string]*File{}
	for _, f := range todo {
		at[f.abs] = f
	}
	for _, f := range todo {
		if f.from == "" {
			continue
		}
		r, g := roots[f.tree], at[f.from]
		err := r.MkdirAll(native(path.Dir(f.rel)), 0o755)
		if err == nil {
			if _, e := r.Lstat(native(f.rel)); !errors.Is(e, fs.ErrNotExist) {
				err = errors.New("another stands in its place now")
			}
		}
		if err == nil {
			err = swap.Patiently(func() error { return r.Rename(native(g.rel), native(f.rel)) })
		}
		if err == nil {
			err = r.Chmod(native(f.rel), f.want.mode())
		}
		errs[f], errs[g] = plain(err), plain(err)
	}
}
