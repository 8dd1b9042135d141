package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"forge/agent/eval"
)

// shipped are the tasks of this repository that can be run here.
func shipped(t *testing.T) ([]eval.Task, eval.Options) {
	t.Helper()
	forge, err := exec.LookPath("forge")
	if err != nil {
		t.Fatal(err)
	}
	all, err := eval.Load("evals")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 15 {
		t.Errorf("only %d tasks", len(all))
	}
	dir := t.TempDir()
	set := func(kvs []string) {
		for _, kv := range kvs {
			name, value, _ := strings.Cut(kv, "=")
			t.Setenv(name, value)
		}
	}
	caches := goEnv(t)
	set(home(dir))
	set(caches)
	scratch := filepath.Join(dir, "scratch")
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	var tasks []eval.Task
	for _, task := range all {
		if _, needsGo := task.Files["go.mod"]; needsGo && (caches == nil || testing.Short()) {
			continue
		}
		tasks = append(tasks, task)
	}
	return tasks, eval.Options{Forge: []string{forge}, Demo: true, Parallel: 2, Scratch: scratch, Check: checked}
}

// The demo scripts solve the tasks that forge ships, and checks that pass without any
// work would measure nothing.
func TestShippedTasks(t *testing.T) {
	tasks, o := shipped(t)
	r, err := eval.Run(t.Context(), tasks, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Results {
		if !x.Passed {
			t.Errorf("%s: %s %+v", x.Task, x.Error, x.Checks)
		}
	}
	for i := range tasks {
		tasks[i].Script = []byte("text I did nothing.\nend\n")
	}
	if r, err = eval.Run(t.Context(), tasks, o); err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Results {
		if x.Passed || x.ExitCode != 0 {
			t.Errorf("%s passes where nothing was done: %+v", x.Task, x)
		}
	}
}
