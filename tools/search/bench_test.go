//go:build unix

package search

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The trees and patterns are those of docs/performance.md: Go's own sources.
func goSource(b *testing.B) string {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("no go command: ", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}

// benchGrep measures a whole search, the limit out of the way, and ripgrep on
// the same files where it is installed.
func benchGrep(b *testing.B, pattern string, fold bool) {
	root := goSource(b)
	q := Query{Pattern: pattern, IgnoreCase: fold, Limit: 1 << 30}
	b.Run("forge", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			h, err := Grep(b.Context(), Scope{Root: root, All: true}, q)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(h.Matches), "matches")
		}
	})
	args := []string{"--no-config", "--hidden", "--no-messages", "-n", "-e", pattern}
	if fold {
		args = append(args, "-i")
	}
	benchRipgrep(b, append(args, root)...)
}

func benchRipgrep(b *testing.B, args ...string) {
	b.Run("ripgrep", func(b *testing.B) {
		rg, err := exec.LookPath("rg")
		if err != nil {
			b.Skip("no ripgrep here")
		}
		var used time.Duration
		defer func() { b.ReportMetric(float64(used.Microseconds())/float64(b.N)/1000, "cpu-ms/op") }()
		for b.Loop() {
			cmd := exec.Command(rg, args...)
			out, err := cmd.Output()
			if err != nil && len(out) > 0 {
				b.Fatal(err)
			}
			used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			b.ReportMetric(float64(strings.Count(string(out), "\n")), "matches")
		}
	})
}

// cpu reports the processor time of a benchmark, which a busy machine changes
// less than the time that passes.
func cpu(b *testing.B) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N)/1000, "cpu-ms/op") }
}

func BenchmarkGrepLiteral(b *testing.B)     { benchGrep(b, "errUnsupported", false) }
func BenchmarkGrepCommon(b *testing.B)      { benchGrep(b, "func ", false) }
func BenchmarkGrepInner(b *testing.B)       { benchGrep(b, `func \(.*\) Close\(`, false) }
func BenchmarkGrepSuffix(b *testing.B)      { benchGrep(b, `\w+Error\(`, false) }
func BenchmarkGrepFold(b *testing.B)        { benchGrep(b, "todo", true) }
func BenchmarkGrepAlternation(b *testing.B) { benchGrep(b, "ReadAll|WriteAll|CopyN", false) }
func BenchmarkGrepNone(b *testing.B)        { benchGrep(b, "zzqqxxyy", false) }
func BenchmarkGrepNoLiteral(b *testing.B)   { benchGrep(b, `[A-Z]{5,}_[0-9]+`, false) }
func BenchmarkGrepClasses(b *testing.B)     { benchGrep(b, `[0-9]{6,}[a-f]+`, false) }

// BenchmarkGrepFirstHundred is what agents mostly ask for: the limit stops it.
func BenchmarkGrepFirstHundred(b *testing.B) {
	root := goSource(b)
	for b.Loop() {
		h, err := Grep(b.Context(), Scope{Root: root}, Query{Pattern: "func "})
		if err != nil || !h.More {
			b.Fatal(h.More, err)
		}
	}
}

// BenchmarkList names every file, as rg --files does.
func BenchmarkList(b *testing.B) {
	root := goSource(b)
	b.Run("forge", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			files, err := List(b.Context(), Scope{Root: root, All: true}, 0)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(files)), "matches")
		}
	})
	benchRipgrep(b, "--no-config", "--hidden", "--files", root)
}

// BenchmarkGlob also asks every match for its age.
func BenchmarkGlob(b *testing.B) {
	root := goSource(b)
	for _, pattern := range []string{"**/*_test.go", "**/*"} {
		b.Run("forge "+pattern, func(b *testing.B) {
			defer cpu(b)()
			for b.Loop() {
				f, err := Glob(b.Context(), Scope{Root: root, All: true}, pattern, 200)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(f.Total), "matches")
			}
		})
	}
	benchRipgrep(b, "--no-config", "--hidden", "--files", "--sortr", "modified", "-g", "*_test.go", root)
}
