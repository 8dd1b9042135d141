// Package plainfile reads files that are nothing but files, and waits for none. Whoever can
// write to a folder can put a pipe where a file was looked at a moment ago: opening that
// would wait for somebody to write. Any package may use it.
package plainfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a regular file to be read, and tells what it is. The error of anything else,
// a folder or a pipe, says so; that of a file that is not there is fs.ErrNotExist.
func Open(path string) (*os.File, fs.FileInfo, error) {
	if fi, err := os.Stat(path); err != nil {
		return nil, nil, err
	} else if !fi.Mode().IsRegular() { // a device may do something where it is only opened
		return nil, nil, not(path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|atOnce, 0)
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = not(path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

func not(path string) error { return fmt.Errorf("%s is not a regular file", path) }

// Read reads a regular file. One with more than so many bytes is an error.
func Read(path string, most int64) ([]byte, fs.FileInfo, error) {
	f, fi, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if fi.Size() <= most { // what is too long is not read to find that out
		b, err := io.ReadAll(io.LimitReader(f, most+1))
		if err != nil || int64(len(b)) <= most {
			return b, fi, err
		}
	}
	return nil, nil, fmt.Errorf("%s is longer than %d bytes", path, most)
}
