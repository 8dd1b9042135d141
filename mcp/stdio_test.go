//go:build unix

package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// badDialer dials the test binary as a server of this mode.
func badDialer(t testing.TB, mode string) *dialer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	probe := 20 * time.Second // however slowly it starts
	if mode == "silent" || mode == "second" || mode == "deaf" || strings.HasPrefix(mode, "slow") {
		probe = 300 * time.Millisecond
	}
	return &dialer{cfg: ServerConfig{Command: self, Env: map[string]string{"BAD_SERVER": mode, "FORGE_TEST": t.Name()}}, dir: t.TempDir(), version: "test",
		trace: &trace{}, log: newRing(64 << 10), probe: probe}
}

// dialBad connects; the session is closed, and checked to have left no process, at
// the end of the test.
func dialBad(t testing.TB, mode string) (*dialer, Session, error) {
	t.Helper()
	d := badDialer(t, mode)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := d.dial(ctx, t.Context(), "")
	t.Cleanup(func() {
		if s != nil {
			s.Close()
			<-s.Done()
		}
		leftOver(t)
	})
	return d, s, err
}

// leftOver fails for every process that a server of this test process left.
func leftOver(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	// What was killed may take a moment to go.
	var left []string
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if left = marked(t); len(left) == 0 {
			return
		}
	}
	t.Errorf("left: %q", left)
}

// marked lists the processes that carry the test's name in their environment.
func marked(t testing.TB) (left []string) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + n.Name() + "/environ")
		if err == nil && strings.Contains(string(env), "FORGE_TEST="+t.Name()+"\x00") {
			stat, _ := os.ReadFile("/proc/" + n.Name() + "/stat")
			left = append(left, clip(string(stat), 60))
		}
	}
	return left
}

func call(t testing.TB, s Session) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := s.Call(ctx, "t", []byte(`{}`), nil)
	res, _ := mapper{}.result(r)
	return res.Text, err
}

// Servers whose misbehaviour must not be felt at all.
func TestServersThatWork(t *testing.T) {
	for mode, warning := range map[string]string{
		"good": "", "banner": "Server starting", "bom": "", "crlf": "", "blank": "", "batch": "",
		"logmid": "[INFO] handling a call", "jsonlog": "handling", "arraylog": "[1,2,3]", "numlog": "12345",
		"badid": "nobody waits for", "dup": "nobody waits for", "silent": "", "exitunknown": "starting it again", "unk32600": "",
		"unknullid": "", "v2024": "", "stderrflood": "", "modern": "", "wrongversion": "",
		"second": "", "slowmodern": "answered too late", "slownullid": "answered too late",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			d, s, err := dialBad(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got, err := call(t, s); err != nil || got != "ok" {
					t.Fatalf("call: %q, %v", got, err)
				}
			}
			tools, _, err := s.Tools(t.Context())
			if err != nil || len(tools) != 1 || tools[0].Name != "t" {
				t.Errorf("tools %v, %v", tools, err)
			}
			want := "2025-11-25"
			switch mode {
			case "v2024":
				want = "2024-11-05"
			case "modern", "slowmodern":
				want = "2026-07-28"
			}
			if a := s.About(); a.Version != want || a.Transport != "stdio" {
				t.Errorf("about %+v, want version %s", a, want)
			}
			if !strings.Contains(d.log.String(), warning) {
				t.Errorf("the log does not hold %q: %q", warning, clip(d.log.String(), 400))
			}
		})
	}
}

// Servers that fail one call and live on.
func TestServersThatFailACall(t *testing.T) {
	for mode, want := range map[string]string{
		"big20":        "16777216 are the limit",
		"stringresult": `answered tools/call with "just a string"`,
		"unktype":      `of type "zzz"`,
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, s, err := dialBad(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := call(t, s); err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("the first call gave %q, %v; want an error with %q", clip(got, 80), err, want)
			}
			if got, err := call(t, s); err != nil || got != "ok" {
				t.Fatalf("the session did not live on: %q, %v", got, err)
			}
		})
	}
}

func TestServerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	d, s, err := dialBad(t, "hang")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !strings.Contains(d.log.String(), "hanging") && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := s.Call(ctx, "t", []byte(`{}`), nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled call gave %v", err)
	}
	// The server is told, and answers the next call.
	if got, err := call(t, s); err != nil || got != "ok" {
		t.Fatalf("the session did not live on: %q, %v", got, err)
	}
	eventually(t, func() bool { return strings.Contains(d.log.String(), "got cancelled") })
}

// eventually waits for what another process does.
func eventually(t testing.TB, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come to pass")
		}
	}
}

// Servers that really end: the call fails with the reason.
func TestServersThatDie(t *testing.T) {
	for mode, want := range map[string]string{
		"die": "exit code 3", "segv": "killed by signal", "partial": "exit code 0", "orphandeath": "exit code 3",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, s, err := dialBad(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := call(t, s); err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, errLost) {
				t.Fatalf("the call gave %v, want the reason %q", err, want)
			}
			<-s.Done()
			if err := s.Err(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

// Servers no session comes about with: the reason is one line.
func TestServersThatDoNotStart(t *testing.T) {
	for mode, want := range map[string]string{
		"exit": "fatal: missing API_KEY", "initerr": "boom: token\nexpired", "vbad": "2023-01-01", "pretty": "in time", "deaf": "in time",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			d := badDialer(t, mode)
			ctx, cancel := context.WithTimeout(t.Context(), 1200*time.Millisecond)
			if mode == "exit" || mode == "initerr" || mode == "vbad" {
				cancel()
				ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
			}
			defer cancel()
			s, err := d.dial(ctx, t.Context(), "")
			if err == nil {
				s.Close()
				t.Fatal("it connected")
			}
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("the reason is %q, want %q", err, want)
			}
			leftOver(t)
		})
	}
	t.Run("no program", func(t *testing.T) {
		d := badDialer(t, "good")
		d.cfg.Command = "no-such-program-here"
		if _, err := d.dial(t.Context(), t.Context(), ""); err == nil || !strings.Contains(err.Error(), "no program no-such-program-here is found") {
			t.Errorf("got %v", err)
		}
	})
}

func TestBrokenToolsAreLeftOut(t *testing.T) {
	for mode, want := range map[string]string{
		"nullschema": "a,b,t,we ird/näme!", "badtype": "t", "boolschema": "a,b", "loopcursor": "t",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			d, s, err := dialBad(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			tools, _, err := s.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, x := range tools {
				if x.Broken != "" {
					continue
				}
				names = append(names, x.Name)
				if !isObject(x.Input) {
					t.Errorf("%s has the schema %s", x.Name, x.Input)
				}
			}
			if got := strings.Join(names, ","); got != want {
				t.Errorf("tools %s, want %s", got, want)
			}
			if mode == "badtype" && !strings.Contains(d.log.String(), "a is switched off: its description is 42") {
				t.Errorf("nothing is said of the broken one: %q", d.log.String())
			}
		})
	}
}

func TestOddResults(t *testing.T) {
	for mode, want := range map[string]string{
		"unkcontent": "[content of type \"hologram\", which forge does not know] {\"type\":\"hologram\",\"x\":1}\nhi",
		"nocontent":  "[1,9007199254740993]",
		"big5":       strings.Repeat("A", 5<<20),
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, s, err := dialBad(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := call(t, s); err != nil || got != want {
				t.Errorf("got %q, %v", clip(got, 200), err)
			}
		})
	}
}

func TestProgressArrives(t *testing.T) {
	t.Parallel()
	_, s, err := dialBad(t, "progress")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	var last Progress
	_, err = s.Call(t.Context(), "t", []byte(`{}`), func(p Progress) { n++; last = p })
	if err != nil || n != 2000 || last != (Progress{1999.5, 2000, "on"}) {
		t.Errorf("%d notifications, the last %+v, %v", n, last, err)
	}
}

// However a server clings to life, nothing of it is left.
func TestNothingIsLeft(t *testing.T) {
	for _, mode := range []string{"noexit", "grandchild", "escaped", "disguised", "stderrflood"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			if (mode == "escaped" || mode == "disguised") && runtime.GOOS != "linux" {
				t.Skip("what left the group is found on Linux alone")
			}
			d, s, err := dialBad(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			var grandchild int
			if mode == "grandchild" || mode == "escaped" || mode == "disguised" {
				eventually(t, func() bool {
					_, err := fmt.Sscanf(d.log.String(), "grandchild %d\n", &grandchild)
					return err == nil
				})
			}
			s.Close()
			if grandchild != 0 {
				eventually(t, func() bool { return !alive(grandchild) })
			}
		})
	}
}

// A server behind a wrapper, as npx and uvx put it there, is gone with it: the wrapper
// leaves at once, the server ignores all that asks it to.
func TestWrappedServer(t *testing.T) {
	for _, wrapper := range []string{`"$0"; exit $?`, `"$0" & wait`, `exec "$0"`} {
		d := badDialer(t, "noexit")
		d.cfg.Args = []string{"-c", wrapper, d.cfg.Command}
		d.cfg.Command = "sh"
		if strings.Contains(wrapper, "&") {
			d.cfg.Args[1] = `"$0" <&3 & exec 3<&-; wait` // a shell gives what is in the background no input
			d.cfg.Args[1] = "exec 3<&0; " + d.cfg.Args[1]
		}
		s, err := d.dial(t.Context(), t.Context(), "")
		if err != nil {
			t.Fatalf("%s: %v", wrapper, err)
		}
		if got, err := call(t, s); err != nil || got != "ok" {
			t.Errorf("%s: %q, %v", wrapper, got, err)
		}
		s.Close()
		leftOver(t)
	}
}

// alive says whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestIDScanner(t *testing.T) {
	for in, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                            "7",
		`{"result":{"id":3,"a":[{"id":4}]},"jsonrpc":"2.0","id":"x,\"y"}`: `"x,\"y"`,
		`{"result":"\"id\":5,","id" : 12 }`:                               "12",
		`{"id":null,"result":{}}`:                                         "",
		`{"result":{"id":3}}`:                                             "",
		`{"result":"id","id":1,"x":2}`:                                    "1",
		`{"id":8`:                                                         "",
	} {
		for split := range len(in) {
			var s idScanner
			s.feed([]byte(in[:split]))
			s.feed([]byte(in[split:]))
			if got := s.id(); got != want {
				t.Errorf("%s, split at %d: id %q, want %q", in, split, got, want)
			}
		}
	}
}
