package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"forge/provider/catalog"
	"forge/provider/demo"
)

// The tests of this package run the program itself: TestMain puts a forge on the
// PATH that is this test binary calling run.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"forge": main, "questioner": questioner})
}

// TestScripts plays the scripts of ui/print/testdata.
func TestScripts(t *testing.T) {
	goCache := goEnv(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("ui", "print", "testdata"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for _, kv := range home(e.WorkDir) {
				name, value, _ := strings.Cut(kv, "=")
				e.Setenv(name, value)
			}
			for _, kv := range goCache {
				name, value, _ := strings.Cut(kv, "=")
				e.Setenv(name, value)
			}
			return demo.WriteSample(filepath.Join(e.WorkDir, "laps"))
		},
		Condition: func(cond string) (bool, error) {
			if cond != "localserver" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return len(catalog.Discover(context.Background(), func(string) string { return "" })) > 0, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": scriptExits,
			"json":  scriptJSON,
			"serve": scriptServe,
		},
	})
}

// writeFile is os.WriteFile while no process is being started: one that is not another
// program yet would have the file open for writing, too, and nobody could run it then
// ("text file busy").
func writeFile(path string, b []byte, perm os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, b, perm)
}

// home is an environment in which forge finds nothing of the person's who runs
// the tests: no settings, no keys, no conversations.
func home(dir string) []string {
	return []string{
		"HOME=" + filepath.Join(dir, "home"), "USERPROFILE=" + filepath.Join(dir, "home"),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "XDG_STATE_HOME=" + filepath.Join(dir, "state"),
		"XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "XDG_RUNTIME_DIR=", "DBUS_SESSION_BUS_ADDRESS=",
		"GIT_CONFIG_NOSYSTEM=1", "NO_PROXY=127.0.0.1",
		"GORACE=atexit_sleep_ms=0", // a forge built with the race detector sleeps a second at its end otherwise
	}
}

// goEnv keeps the go command of a scripted run on the caches there are: a cold
// one would build the standard library.
func goEnv(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		return nil // the scripts that need go skip themselves
	}
	dirs := strings.Split(strings.TrimSpace(string(out)), "\n")
	return []string{"GOCACHE=" + strings.TrimSpace(dirs[0]), "GOMODCACHE=" + strings.TrimSpace(dirs[1]), "GOFLAGS=", "GOTELEMETRY=off"}
}

// exits CODE COMMAND… runs a command and wants that exit code.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// json FILE PATH VALUE looks into the last line of a file of JSON lines; every
// line must be JSON.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] json FILE PATH VALUE")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n")
	for _, l := range lines {
		if !gjson.Valid(l) {
			ts.Fatalf("no JSON: %s", l)
		}
	}
	got := gjson.Get(lines[len(lines)-1], args[1])
	if (got.String() == args[2]) == neg {
		ts.Fatalf("%s is %q", args[1], got.String())
	}
}

// serve NAME ARG… starts `forge debug serve ARG…` and sets $NAME to its address.
// It ends with the script.
func scriptServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serve NAME ARG…")
	}
	c := exec.Command("forge", append([]string{"debug", "serve"}, args[1:]...)...)
	c.Dir = ts.MkAbs(".")
	c.Env = append(os.Environ(), home(ts.Getenv("WORK"))...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	ts.Check(err)
	ts.Check(c.Start())
	ts.Defer(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		ts.Fatalf("forge debug serve: %v: %s", err, stderr.String())
	}
	ts.Setenv(args[0], strings.TrimSpace(address))
}
