//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What a definition or a flag names that is nowhere is said, and the run goes on.
func TestWhatIsNowhereIsSaid(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	head := "---\ndescription: looks\n"
	dir := filepath.Join(filepath.Dir(p.settings()), "agents")
	p.write(t, filepath.Join(dir, "odd.md"), head+"tools: nosuchtool, Read, m*\nmodel: nope/nope\n---\nLook.\n")
	p.write(t, filepath.Join(dir, "fine.md"), head+"tools: Read, Task\nmodel: sonnet\n---\nLook.\n")
	out, errOut, code := p.run(t, append(answering(t), "--theme", "nonesuch", "-p", "hi")...)
	if out != "hello\n" || code != 0 {
		t.Errorf("exit %d, %q", code, out)
	}
	for _, want := range []string{"odd.md: there is no tool nosuchtool", "odd.md: nobody offers the model nope/nope", "nonesuch"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("no %q in %q", want, errOut)
		}
	}
	if n := strings.Count(errOut, "\n"); n != 3 {
		t.Errorf("%d lines: %q", n, errOut)
	}
}
