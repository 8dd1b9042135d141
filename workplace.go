package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"forge/provider/demo"
	"forge/ui/cli"
	"forge/ui/lang"
)

// scratch reports whether the work is done on a copy of the demo's sample project.
func (f *forge) scratch() bool { return f.flags.Demo && f.flags.Dir == "" }

// workspaceDir is the folder the tools work in, absolute. The demo gets a scratch
// copy of its sample project, unless -C names a folder.
func (f *forge) workspaceDir() (string, error) {
	if f.scratch() {
		scratch, err := os.MkdirTemp("", "forge-demo-")
		if err != nil {
			return "", err
		}
		f.atEnd(func() { os.RemoveAll(scratch) })
		dir := filepath.Join(scratch, "sample")
		return dir, demo.WriteSample(dir)
	}
	dir, err := filepath.Abs(f.flags.Dir)
	if err != nil {
		return "", err
	}
	if err := workable(dir); err != nil {
		return "", cli.Usage{Err: fmt.Errorf(lang.T("work in %s: %w; give another folder with -C"), dir, err)}
	}
	return dir, nil
}

// workable fails for what is no folder to work in, without naming it.
func workable(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New(lang.T("not a folder"))
	}
	if err == nil {
		var d *os.File
		if d, err = os.Open(dir); err == nil { // a folder that may not be read is no place to work in
			d.Close()
		}
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the path stands before it already
	}
	return err
}
