package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"forge/lazy"
)

//go:embed builtin.script
var builtinText string

// The sample's files end in .txt so that no go command takes them for a part of
// this module: its test fails, and is meant to.
//
//go:embed sample/*.txt
var sampleFiles embed.FS

// Builtin returns the script that --demo plays in the sample project. The result
// is shared and not to be changed.
func Builtin() *Script { return builtin.Get() }

var builtin = lazy.Value[*Script]{Of: func() *Script {
	s, err := Parse(strings.NewReader(builtinText))
	if err != nil {
		panic("demo: builtin.script: " + err.Error()) // a test parses it: this cannot ship
	}
	return s
}}

// WriteSample writes the sample project into dir, which it makes where it is
// missing. It overwrites nothing: a file that exists is an error.
func WriteSample(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write sample project: %w", err)
	}
	names, err := fs.Glob(sampleFiles, "sample/*.txt")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := sampleFiles.ReadFile(name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, strings.TrimSuffix(filepath.Base(name), ".txt"))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("write sample project: %w", err)
		}
		_, err = f.Write(data)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("write sample project: %w", err)
		}
	}
	return nil
}
