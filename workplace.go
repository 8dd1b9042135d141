package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
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
		f.close = append(f.close, func() { os.RemoveAll(scratch) })
		dir := filepath.Join(scratch, "sample")
		return dir, demo.WriteSample(dir)
	}
	dir, err := filepath.Abs(f.flags.Dir)
	if err != nil {
		return "", err
	}
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
	if err != nil {
		return "", cli.Usage{Err: fmt.Errorf(lang.T("work in %s: %w; give another folder with -C"), dir, err)}
	}
	return dir, nil
}

// openLog sends the log to a file: only the face writes to the terminal.
func (f *forge) openLog() {
	file := f.dirs.Log()
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	var w *os.File
	if err == nil {
		w, err = os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err != nil {
		f.notices = append(f.notices, lang.T("no log is kept: %s", err.Error()))
		return
	}
	f.close = append(f.close, func() { w.Close() })
	var to io.Writer = w
	if f.veil != nil { // each record is one write of one line
		to = f.veil.Stream(w)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(to, nil)))
}
