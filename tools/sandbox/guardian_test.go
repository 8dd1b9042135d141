//go:build linux

package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// killedEnv makes this test program a forge that starts a command and is killed
// then: it names the form and the line.
const killedEnv = "TEST_KILLED"

// scratchEnv makes it one that has a scratch folder in a folder until it is killed.
const scratchEnv = "TEST_SCRATCH"

func TestMain(m *testing.M) {
	if Guard(os.Args[1:], os.Stdin) {
		return
	}
	if dir := os.Getenv(scratchEnv); dir != "" {
		s, err := NewScratch(dir, ScratchTemp)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(s.Path())
		time.Sleep(time.Hour)
	}
	if form, line, ok := strings.Cut(os.Getenv(killedEnv), ":"); ok {
		fmt.Fprintln(os.Stderr, killed(Form(form), line))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// killed does what forge does until somebody kills it, and says why it cannot.
func killed(form Form, line string) error {
	o := PolicyOptions{Want: Off}
	dir := os.TempDir()
	if form != None {
		o = PolicyOptions{Form: form, Roots: []string{dir}}
	}
	p, err := NewPolicy(o)
	if err != nil {
		return err
	}
	g := NewGuardian("/proc/self/exe")
	if _, err := (Command{Shell: line, Dir: dir, Policy: p, Guardian: g, Output: os.Stdout}).Start(); err != nil {
		return err
	}
	fmt.Println("mark", g.word)
	select {}
}

// What a command started ends when forge is killed, in each form: its group, and
// what left that.
func TestKilledForge(t *testing.T) {
	for _, form := range []Form{None, Landlock, Bubblewrap} {
		t.Run(string(form), func(t *testing.T) {
			t.Parallel()
			if form != None {
				policyFor(t, PolicyOptions{Form: form, Roots: []string{t.TempDir()}})
			}
			for _, line := range []string{
				"bash -c 'echo begun; sleep 300; echo'; echo",
				"(setsid bash -c 'trap \"\" TERM INT HUP; echo begun; sleep 300; echo' &); sleep 300; echo",
				"env -i bash -c 'echo begun; sleep 300; echo' & wait", // without a mark, in the group
			} {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				cmd := exec.CommandContext(ctx, "/proc/self/exe")
				temp := t.TempDir()
				cmd.Env = append(os.Environ(), killedEnv+"="+string(form)+":"+line, "TMPDIR="+temp)
				out, err := cmd.StdoutPipe()
				must(t, err)
				cmd.Stderr = os.Stderr
				must(t, cmd.Start())
				t.Cleanup(func() { _ = cmd.Process.Kill() })
				word, begun := "", false
				for lines := bufio.NewScanner(out); (word == "" || !begun) && lines.Scan(); {
					if w, ok := strings.CutPrefix(lines.Text(), "mark "); ok {
						word = w
					}
					begun = begun || lines.Text() == "begun"
				}
				if word == "" || !begun {
					t.Fatalf("%s: it did not begin", line)
				}
				group := 0
				for _, s := range markedProcesses("=" + word + ".") {
					if st, ok := readStat(s.pid); ok {
						group = st.group
					}
				}
				left := func() (n int) {
					for _, st := range processes() {
						if st.alive() && st.group == group && group != 0 {
							n++
						}
					}
					return n + len(markedProcesses("="+word+"."))
				}
				if left() == 0 {
					t.Fatalf("%s: nothing runs: the test is broken", line)
				}
				if n := SweepScratch(t.Context(), temp); n != 0 {
					t.Errorf("%s: the temp folder of a living forge was swept", line)
				}
				must(t, cmd.Process.Kill())
				_ = cmd.Wait()
				if n := SweepScratch(t.Context(), temp); form != None && n != 1 && kernelMark.Get() != "" {
					t.Errorf("%s: %d temp folders were swept", line, n)
				}
				for end := time.Now().Add(patience); left() > 0; time.Sleep(5 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("%s: left running: %v", line, markedProcesses("="+word+"."))
					}
				}
			}
		})
	}
}

// A guardian that is let go kills nothing, and what is no guardian's call is none.
func TestGuardianLetGo(t *testing.T) {
	for _, args := range [][]string{nil, {guardWord}, {guardWord, "short"}, {guardWord, strings.Repeat("=", 26)}, {"x", strings.Repeat("A", 26)}} {
		if Guard(args, strings.NewReader("")) {
			t.Errorf("%q is a guardian", args)
		}
	}
	g := NewGuardian("/proc/self/exe")
	dir := t.TempDir()
	out := newLines()
	p, err := Command{Shell: "echo begun; sleep 300", Dir: dir, Guardian: g, Output: out}.Start()
	must(t, err)
	t.Cleanup(func() { p.Stop(); <-p.Done() })
	if out.next(t) != "begun" {
		t.Fatal("it did not begin")
	}
	g.Close()
	select {
	case <-g.done:
	case <-time.After(patience):
		t.Fatal("it does not go")
	}
	if len(descendants(p)) == 0 {
		t.Error("it killed a command")
	}
	var nobody *Guardian
	if a, b := nobody.Mark(), nobody.Mark(); a == b || strings.Contains(a, ".") {
		t.Errorf("%q, %q", a, b)
	}
	nobody.Close()
}

// BenchmarkGuardian shows what the first command of a forge costs more than others.
func BenchmarkGuardian(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		g := NewGuardian("/proc/self/exe")
		begun := time.Now()
		g.Mark()
		b.ReportMetric(float64(time.Since(begun).Microseconds()), "µs")
		p, err := Command{Argv: []string{"true"}, Dir: dir, Guardian: g}.Start()
		if err != nil {
			b.Fatal(err)
		}
		<-p.Done()
		g.Close()
		<-g.done
	}
}
