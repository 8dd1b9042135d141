//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/agent/config"
	"forge/programs"
	"forge/tools/builtin"
	"forge/ui/cli"
)

// Commands of the settings run by themselves, outside of the sandbox: a program that a
// project brings, by an environment that is activated, is none of theirs.
func TestNoProgramOfTheProjectIsRunForASetting(t *testing.T) {
	w := workspaceOf(t)
	bin, others := filepath.Join(w.Root(), ".venv", "bin"), t.TempDir()
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, says := range map[string]string{bin: "the project's", others: "the machine's"} {
		for _, name := range []string{"key-of-mine", "getent", "bash"} {
			line := "#!/bin/sh\necho " + strings.ReplaceAll(says, "'", "") + "\n"
			switch {
			case name == "bash" && dir == others:
				line = "#!/bin/sh\nexec /bin/sh \"$@\"\n"
			case name == "getent" && dir == bin:
				line = "#!/bin/sh\necho 127.0.0.9 STREAM nas.local\n"
			}
			if err := writeFile(filepath.Join(dir, name), []byte(line), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	const list = string(os.PathListSeparator)
	t.Setenv("PATH", bin+list+others+list+os.Getenv("PATH"))
	want := "the machines\n"

	newSource(cli.Flags{Dir: w.Root()}, &config.Config{}, config.Dirs{State: t.TempDir()}, nil) // which knows of the folder
	f := &forge{hands: &hands{workspace: w, env: &builtin.Env{Workspace: w, Shell: "/bin/sh"}}}
	if out, err := f.runStatus(t.Context(), "key-of-mine", nil); err != nil || out != want {
		t.Errorf("the status line: %q, %v", out, err)
	}
	var said strings.Builder
	if err := dictate(t.Context(), []string{"key-of-mine"}, f.unattended(os.Environ()), nil, &said); err != nil || said.String() != want {
		t.Errorf("a dictation: %q, %v", said.String(), err)
	}
	env := spellingEnviron(os.Environ(), w.Root())
	if path, err := programs.By(env, "key-of-mine"); err != nil || path != filepath.Join(others, "key-of-mine") {
		t.Errorf("a spelling checker: %q, %v", path, err)
	}
	if found := getent(t.Context(), "nas.local"); found != nil {
		t.Errorf("the project says where a machine is: %v", found)
	}
}
